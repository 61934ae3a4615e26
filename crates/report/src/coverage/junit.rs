//! Goals as test cases of JUnit's XML, which continuous integration shows: covered goals pass, open ones
//! fail, what is infeasible or justified is skipped.

use super::{Subject, how, place};
use ::coverage::report::Judged;
use ::coverage::status::Status;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::collections::BTreeMap;
use std::io;

/// The document.
///
/// # Errors
/// None that memory does not give.
pub fn junit(subject: &Subject<'_>) -> io::Result<String> {
    let report = subject.report;
    let mut suites: BTreeMap<String, Vec<&Judged>> = BTreeMap::new();
    for judged in &report.goals {
        let goal = &judged.goal;
        suites.entry(format!("{}:{}", goal.place().file, goal.function)).or_default().push(judged);
    }
    let counts = report.counts(None);
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let number = |n: usize| n.to_string();
    let (all, open) = (number(counts.all()), number(counts.open));
    let skipped = number(counts.infeasible + counts.justified);
    let seconds = format!("{:.3}", report.seconds);
    let attributes = [
        ("name", "cairn cover"),
        ("tests", &all),
        ("failures", &open),
        ("skipped", &skipped),
        ("time", &seconds),
    ];
    writer.create_element("testsuites").with_attributes(attributes).write_inner_content(
        |writer| {
            for (name, goals) in &suites {
                suite(writer, name, goals)?;
            }
            Ok(())
        },
    )?;
    Ok(String::from_utf8_lossy(&writer.into_inner()).into_owned() + "\n")
}

type Xml = Writer<Vec<u8>>;

fn suite(writer: &mut Xml, name: &str, goals: &[&Judged]) -> io::Result<()> {
    let count = |fits: fn(&Status) -> bool| goals.iter().filter(|j| fits(&j.status)).count();
    let all = goals.len().to_string();
    let open = count(|status| matches!(status, Status::Open(_))).to_string();
    let skipped =
        count(|status| matches!(status, Status::Infeasible(_) | Status::Justified { .. }))
            .to_string();
    let attributes = [("name", name), ("tests", &all), ("failures", &open), ("skipped", &skipped)];
    writer.create_element("testsuite").with_attributes(attributes).write_inner_content(
        |writer| {
            for judged in goals {
                case(writer, judged)?;
            }
            Ok(())
        },
    )?;
    Ok(())
}

fn case(writer: &mut Xml, judged: &Judged) -> io::Result<()> {
    let goal = &judged.goal;
    let name = format!("{} {}: {}", place(goal.place()), goal.kind, goal.about);
    let line = goal.place().line.to_string();
    let attributes = [
        ("name", name.as_str()),
        ("classname", &goal.id),
        ("file", &goal.place().file),
        ("line", &line),
    ];
    let case = writer.create_element("testcase").with_attributes(attributes);
    let message = how(&judged.status);
    let tag = match &judged.status {
        Status::Covered(_) => {
            case.write_inner_content(|writer| {
                let text = BytesText::new(&message);
                writer.create_element("system-out").write_text_content(text)?;
                Ok(())
            })?;
            return Ok(());
        }
        Status::Open(_) => "failure",
        Status::Infeasible(_) | Status::Justified { .. } => "skipped",
    };
    let message = match &judged.status {
        Status::Open(_) => message,
        status => format!("{}: {message}", status.word()),
    };
    case.write_inner_content(|writer| {
        writer.create_element(tag).with_attribute(("message", message.as_str())).write_empty()?;
        Ok(())
    })?;
    Ok(())
}
