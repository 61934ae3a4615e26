//! Answers about a program as a page of its own: each with its failing run as a timing diagram and as a
//! table of cycles. It needs no server, no network, no script and no second file.

use super::Cycles;
use answer::Verdict;
use front_st::lower::Role;
use front_st::timing::{Lane, milliseconds};
use std::fmt::Write;

/// How many cycles the table shows.
const MAX_CYCLES: usize = 200;

/// An answer.
pub struct Section<'a> {
    /// What it is about.
    pub title: String,
    /// What that says, for people; may be empty.
    pub text: String,
    /// The verdict, if something was asked.
    pub verdict: Option<Verdict>,
    /// Why it is unknown; or that a run shows what is to be reached.
    pub remark: Option<String>,
    /// The run, if it can be told in cycles.
    pub cycles: Option<&'a Cycles>,
    /// The run in lines, otherwise.
    pub lines: Vec<String>,
    /// Which other inputs fail.
    pub class: Vec<String>,
}

impl Section<'_> {
    /// Whether there is more than a verdict.
    fn says_more(&self) -> bool {
        self.remark.is_some() || self.cycles.is_some() || !self.lines.is_empty()
    }
}

/// The page about a program.
pub fn html(program: &str, sections: &[Section<'_>], assumptions: &[String]) -> String {
    let mut page = String::new();
    let title = escape(program);
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n",
        include_str!("page.css")
    );
    let count =
        |verdict| sections.iter().filter(|section| section.verdict == Some(verdict)).count();
    let counts = [Verdict::Unsafe, Verdict::Unknown, Verdict::Safe].map(|v| (count(v), v));
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, verdict)| format!("{count} {verdict}")).collect();
    let _ = writeln!(page, "<p class=\"sub\">{}</p>\n</header>\n<main>", counts.join(", "));
    if sections.len() > 1 {
        overview(&mut page, sections);
    }
    for (number, section) in sections.iter().enumerate() {
        // What is all said in the overview is not said again.
        if sections.len() == 1 || section.says_more() {
            answer(&mut page, number, section);
        }
    }
    if !assumptions.is_empty() {
        page.push_str("<h2>Assumptions</h2>\n<section>\n<ul>\n");
        for assumption in assumptions {
            let _ = writeln!(page, "<li>{}</li>", escape(assumption));
        }
        page.push_str("</ul>\n</section>\n");
    }
    let _ = write!(
        page,
        "</main>\n<footer>Made by Cairn {}.</footer>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    );
    page
}

/// All answers in a table.
fn overview(page: &mut String, sections: &[Section<'_>]) {
    page.push_str("<section>\n<table class=\"list\">\n");
    for (number, section) in sections.iter().enumerate() {
        let Section { title, text, verdict, .. } = section;
        let title = match section.says_more() {
            true => format!("<a href=\"#answer{number}\">{}</a>", escape(title)),
            false => escape(title),
        };
        let (tag, text) = (tag(*verdict), escape(text));
        let _ = writeln!(page, "<tr><td>{tag}</td><td>{title}</td><td>{text}</td></tr>");
    }
    page.push_str("</table>\n</section>\n");
}

fn tag(verdict: Option<Verdict>) -> String {
    verdict.map_or_else(String::new, |verdict| {
        format!("<span class=\"tag {verdict}\">{verdict}</span> ")
    })
}

fn answer(page: &mut String, number: usize, section: &Section<'_>) {
    let Section { title, text, verdict, remark, cycles, lines, class } = section;
    let _ = writeln!(
        page,
        "<h2 id=\"answer{number}\">{}{}</h2>\n<section>",
        tag(*verdict),
        escape(title)
    );
    for text in [Some(text), remark.as_ref()].into_iter().flatten().filter(|text| !text.is_empty())
    {
        let _ = writeln!(page, "<p>{}</p>", escape(text));
    }
    if let Some(cycles) = cycles {
        run(page, cycles);
    }
    if !lines.is_empty() {
        let lines: Vec<String> = lines.iter().map(|line| escape(line)).collect();
        let _ = writeln!(page, "<pre>{}</pre>", lines.join("\n"));
    }
    if !class.is_empty() {
        let class: Vec<String> = class.iter().map(|line| escape(line)).collect();
        let _ = writeln!(page, "<h3>Which inputs fail</h3>\n<pre>{}</pre>", class.join("\n"));
    }
    page.push_str("</section>\n");
}

fn run(page: &mut String, cycles: &Cycles) {
    let _ = write!(page, "<div class=\"scroll\">\n{}</div>\n", cycles.diagram());
    if let Some(remark) = cycles.remark() {
        let _ = writeln!(page, "<p>{}.</p>", escape(&capital(&remark)));
    }
    let (lanes, times) = (cycles.lanes(), cycles.times());
    let shown = times.len().min(MAX_CYCLES);
    page.push_str("<details>\n<summary>Cycles</summary>\n<div class=\"scroll\">\n<table class=\"cycles\">\n<tr><th>cycle</th>");
    for number in 1..=shown {
        let _ = write!(page, "<th class=\"n\">{number}</th>");
    }
    page.push_str("</tr>\n<tr><th>clock</th>");
    for time in &times[..shown] {
        let _ = write!(page, "<th class=\"n\">{}</th>", milliseconds(*time));
    }
    page.push_str("</tr>\n");
    for lane in &lanes {
        row(page, lane, shown);
    }
    page.push_str("</table>\n</div>\n");
    if times.len() > shown {
        let _ = writeln!(page, "<p class=\"why\">{} cycles are left out.</p>", times.len() - shown);
    }
    page.push_str("</details>\n");
}

fn row(page: &mut String, lane: &Lane, shown: usize) {
    let class = match lane.role {
        Role::Input => "input",
        Role::Output => "output",
        Role::Internal => "internal",
    };
    let _ = write!(page, "<tr class=\"{class}\"><td>{}</td>", escape(&lane.name));
    for at in 0..shown.min(lane.values.len()) {
        let changed = at > 0 && lane.values[at] != lane.values[at - 1];
        let mark = if changed { "n new" } else { "n" };
        let _ = write!(page, "<td class=\"{mark}\">{}</td>", escape(&lane.word(&lane.values[at])));
    }
    page.push_str("</tr>\n");
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// What has a meaning in HTML, written so that it has none.
fn escape(text: &str) -> String {
    crate::coverage::escape(text)
}
