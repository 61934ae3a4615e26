//! A report as a page of its own: metrics, goals, annotated source. It needs no server, no network and
//! no second file; without scripts only the filters of the list are missing.

use super::{Subject, how, per_cent, place};
use ::coverage::goal::Kind;
use ::coverage::report::{Counts, Judged, Report};
use ::coverage::status::Status;
use program::Place;
use program::counterexample::{Taken, written};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The statuses, worst first, as a line is marked by its worst goal.
const STATUSES: [&str; 4] = ["open", "infeasible", "justified", "covered"];
/// How many cycles of a vector are shown.
const CYCLES: usize = 200;

/// The page.
pub fn html(subject: &Subject<'_>) -> String {
    let report = subject.report;
    let mut page = String::new();
    let title = escape(&subject.title());
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Coverage of {title}</title>\n<style>\n{}</style>\n</head>\n<body>\n",
        include_str!("page.css")
    );
    let _ = writeln!(page, "<header>\n<h1>Coverage of {title}</h1>");
    let _ = writeln!(page, "<p class=\"sub\">{}</p>\n</header>\n<main>", escape(&summary(report)));
    metrics(&mut page, report);
    goals(&mut page, report);
    sources(&mut page, subject);
    vectors(&mut page, subject);
    remarks(&mut page, report);
    let _ = write!(
        page,
        "</main>\n<footer>Made by Cairn {}.</footer>\n<script>\n{}</script>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION"),
        include_str!("page.js")
    );
    page
}

fn summary(report: &Report) -> String {
    let (runs, cycles) = report.runs;
    let vectors = report.suite.vectors.len();
    let mut text = format!(
        "{} goals, {vectors} test {}, {runs} runs with {cycles} cycles, {:.1} s",
        report.goals.len(),
        if vectors == 1 { "vector" } else { "vectors" },
        report.seconds
    );
    if let Some(exhausted) = report.exhausted {
        let _ = write!(text, "; ended by: {exhausted}");
    }
    text
}

/// What has a meaning in HTML, written so that it has none.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Control characters are no characters of HTML.
            c if c.is_control() && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

// Metrics.

fn metrics(page: &mut String, report: &Report) {
    page.push_str(
        "<h2>Metrics</h2>\n<section id=\"metrics\">\n<div class=\"scroll\"><table>\n<thead><tr><th>criterion</th>\
         <th class=\"n\">goals</th><th class=\"n\">covered</th><th class=\"n\">infeasible</th>\
         <th class=\"n\">justified</th><th class=\"n\">open</th><th class=\"n\">of what is feasible</th><th></th></tr></thead>\n<tbody>\n",
    );
    let kinds = Kind::ALL.into_iter().map(Some).chain([None]);
    for kind in kinds {
        let counts = report.counts(kind);
        if counts.all() > 0 {
            metric(page, kind.map_or("all", Kind::name), counts);
        }
    }
    page.push_str("</tbody>\n</table></div>\n<p class=\"legend\">");
    for (status, about) in [
        ("covered", "covered: a test vector shows it"),
        ("infeasible", "infeasible: proved that no run shows it"),
        ("justified", "justified by the project"),
        ("open", "open"),
    ] {
        let _ = write!(page, "<span><i class=\"dot {status}\"></i>{about}</span>");
    }
    page.push_str("</p>\n</section>\n");
}

fn metric(page: &mut String, name: &str, counts: Counts) {
    let feasible = counts.all() - counts.infeasible - counts.justified;
    let share = |part: usize| 100.0 * part as f64 / counts.all() as f64;
    let _ = write!(
        page,
        "<tr><td>{name}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
         <td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td><div class=\"bar\">",
        counts.all(),
        counts.covered,
        counts.infeasible,
        counts.justified,
        counts.open,
        per_cent(counts.covered, feasible)
    );
    for (status, part) in [
        ("covered", counts.covered),
        ("infeasible", counts.infeasible),
        ("justified", counts.justified),
        ("open", counts.open),
    ] {
        if part > 0 {
            let _ = write!(page, "<i class=\"{status}\" style=\"width:{:.2}%\"></i>", share(part));
        }
    }
    page.push_str("</div></td></tr>\n");
}

// Goals.

fn goals(page: &mut String, report: &Report) {
    page.push_str("<h2>Goals</h2>\n<section id=\"goals\">\n<div class=\"filters\">");
    for status in STATUSES {
        let _ = write!(
            page,
            "<label><input type=\"checkbox\" value=\"{status}\" checked> {status}</label>"
        );
    }
    let kinds: BTreeSet<Kind> = report.goals.iter().map(|judged| judged.goal.kind).collect();
    for kind in &kinds {
        let _ = write!(
            page,
            "<label><input type=\"checkbox\" value=\"{kind}\" checked> {kind}</label>"
        );
    }
    page.push_str(
        "<input type=\"search\" placeholder=\"function, place, words\" aria-label=\"search\">\
         <label id=\"shown\"></label></div>\n<div class=\"scroll\"><table>\n<thead><tr><th>status</th><th>place</th>\
         <th>kind</th><th>goal</th><th>shown by</th></tr></thead>\n<tbody>\n",
    );
    for judged in &report.goals {
        goal(page, judged);
    }
    page.push_str("</tbody>\n</table></div>\n</section>\n");
}

fn goal(page: &mut String, judged: &Judged) {
    let (goal, status) = (&judged.goal, judged.status.word());
    let at = goal.place();
    let _ = writeln!(
        page,
        "<tr id=\"{}\" data-status=\"{status}\" data-kind=\"{}\"><td><span class=\"tag {status}\">{status}</span></td>\
         <td class=\"at\"><a href=\"#{}\">{}</a></td><td>{}</td><td>{} <span class=\"why\">in {}</span></td>\
         <td class=\"why\">{}</td></tr>",
        escape(&goal.id),
        goal.kind,
        line_id(&at.file, at.line),
        escape(&short(at)),
        goal.kind,
        escape(&goal.about),
        escape(&goal.function),
        linked(&judged.status)
    );
}

/// How a status is known, with links to vectors.
fn linked(status: &Status) -> String {
    match status {
        Status::Covered(evidence) => {
            let links = evidence.witnesses().map(|witness| {
                let number = witness.vector + 1;
                format!("<a href=\"#v{number}\">vector {number}</a>, cycle {}", witness.cycle + 1)
            });
            links.collect::<Vec<_>>().join("; ")
        }
        status => escape(&how(status)),
    }
}

/// A place in few letters; the source says of each file where it lies.
fn short(at: &Place) -> String {
    let file = at.file.rsplit(['/', '\\']).next().unwrap_or(&at.file);
    match at.is_known() {
        true => format!("{file}:{}:{}", at.line, at.column),
        false => place(at),
    }
}

/// What a line is called within the page.
fn line_id(file: &str, line: u32) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '_' };
    let file: String = file.chars().map(plain).collect();
    format!("L.{file}.{line}")
}

// Source.

fn sources(page: &mut String, subject: &Subject<'_>) {
    let mut by_file: BTreeMap<&str, BTreeMap<u32, Vec<&Judged>>> = BTreeMap::new();
    for judged in &subject.report.goals {
        let place = judged.goal.place();
        let lines = by_file.entry(&place.file).or_default();
        lines.entry(place.line).or_default().push(judged);
    }
    page.push_str("<h2>Source</h2>\n");
    for (file, lines) in &by_file {
        let Some(text) = subject.texts.get(*file) else { continue };
        let _ = writeln!(
            page,
            "<section>\n<h2 style=\"margin-top:0\"><code>{}</code></h2>",
            escape(file)
        );
        page.push_str("<pre class=\"source\">");
        for (number, line) in (1u32..).zip(text.lines()) {
            let goals = lines.get(&number).map_or(&[][..], |goals| &goals[..]);
            source_line(page, file, number, line, goals);
        }
        page.push_str("</pre>\n</section>\n");
    }
}

fn source_line(page: &mut String, file: &str, number: u32, text: &str, goals: &[&Judged]) {
    let count = |status: &str| goals.iter().filter(|j| j.status.word() == status).count();
    let worst = STATUSES.into_iter().find(|status| count(status) > 0).unwrap_or("");
    let id = line_id(file, number);
    let _ = write!(
        page,
        "<span class=\"l {worst}\" id=\"{id}\"><a class=\"no\" href=\"#{id}\">{number}</a><span class=\"t\">{}</span>",
        escape(text)
    );
    if !goals.is_empty() {
        let about: Vec<String> = goals
            .iter()
            .map(|judged| {
                let known = how(&judged.status);
                format!("{}: {} ({known})", judged.status.word(), judged.goal.about)
            })
            .collect();
        let _ = write!(page, "<span class=\"m\" title=\"{}\">", escape(&about.join("\n")));
        let parts = STATUSES.into_iter().rev().filter(|status| count(status) > 0);
        let parts =
            parts.map(|status| format!("<b class=\"{status}\">{}</b> {status}", count(status)));
        page.push_str(&parts.collect::<Vec<_>>().join(" · "));
        page.push_str("</span>");
    }
    // A line is a block of its own; a newline would be another one.
    page.push_str("</span>");
}

// Vectors.

fn vectors(page: &mut String, subject: &Subject<'_>) {
    let report = subject.report;
    if report.suite.vectors.is_empty() {
        return;
    }
    page.push_str("<h2>Test vectors</h2>\n<section>\n");
    for (number, vector) in report.suite.vectors.iter().enumerate() {
        let (cycles, goals) = (vector.cycles.len().max(1), vector.goals.len());
        let _ = writeln!(
            page,
            "<details id=\"v{0}\"><summary>Vector {0}: {cycles} {1}, {goals} {2}</summary>\n\
             <div class=\"scroll\"><table><thead><tr><th class=\"n\">cycle</th><th>inputs</th></tr></thead><tbody>",
            number + 1,
            if cycles == 1 { "cycle" } else { "cycles" },
            if goals == 1 { "goal" } else { "goals" },
        );
        for cycle in 0..cycles.min(CYCLES) {
            let inputs = super::shown_inputs(vector, cycle);
            let value = |taken: &&Taken| {
                format!("{} = {}", taken.what(), written(&taken.value, taken.reading))
            };
            let inputs: Vec<String> = inputs.iter().map(value).collect();
            let _ = writeln!(
                page,
                "<tr><td class=\"n\">{}</td><td><code>{}</code></td></tr>",
                cycle + 1,
                escape(&inputs.join(", "))
            );
        }
        page.push_str("</tbody></table></div>\n");
        if cycles > CYCLES {
            let more = cycles - CYCLES;
            let _ = writeln!(
                page,
                "<p class=\"why\">{more} more cycles are in the vectors' files.</p>"
            );
        }
        page.push_str("</details>\n");
    }
    page.push_str("</section>\n");
}

// Remarks.

fn remarks(page: &mut String, report: &Report) {
    let mut list = |title: &str, lines: Vec<String>| {
        if lines.is_empty() {
            return;
        }
        let _ = writeln!(page, "<h2>{title}</h2>\n<section><ul class=\"plain\">");
        for line in lines {
            let _ = writeln!(page, "<li>{}</li>", escape(&line));
        }
        page.push_str("</ul></section>\n");
    };
    let assumed = report.assumptions.iter();
    list(
        "What is assumed",
        assumed.map(|assumed| format!("{}: {}", place(&assumed.place), assumed.text)).collect(),
    );
    let ends = report.ends.iter();
    list(
        "Where runs ended because of undefined behaviour",
        ends.map(|(at, what, count)| format!("{}: {what} ({count} runs)", place(at))).collect(),
    );
    let unused = report.unused.iter();
    list(
        "Functions that nothing refers to",
        unused.map(|(name, at)| format!("{}: {name}", place(at))).collect(),
    );
    let values = report.unused_values.iter();
    list(
        "Values that are never used",
        values.map(|v| format!("{}: {} in {}", place(&v.place), v.variable, v.function)).collect(),
    );
}
