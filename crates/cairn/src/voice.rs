//! What a person hears while a question is decided: assumptions and answers on standard output,
//! figures and one line of progress on standard error.

use crate::output::{complain, print};
use program::program::Assumption;
use report::text;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};
use verify::Task;
use verify::board::Board;
use verify::listener::{Listener, Note};
use verify::outcome::Answer;

/// How often the line of progress changes.
const REFRESH: Duration = Duration::from_millis(100);

/// Speaks.
pub struct Voice<'t> {
    task: &'t Task,
    board: Board,
    /// Whether lines for reading are printed on standard output.
    talks: bool,
    /// Whether figures are printed on standard error.
    stats: bool,
    start: Instant,
    /// Whether progress is shown.
    visible: bool,
    shown: Option<Instant>,
}

impl<'t> Voice<'t> {
    /// Progress is shown unless that is not wanted, where standard error is a terminal.
    pub fn new(task: &'t Task, board: &Board, talks: bool, stats: bool, quiet: bool) -> Self {
        let visible = !quiet && std::io::stderr().is_terminal();
        let (board, start) = (board.clone(), Instant::now());
        Voice { task, board, talks, stats, start, visible, shown: None }
    }
}

impl Listener for Voice<'_> {
    fn assumed(&mut self, assumption: &Assumption) {
        if self.talks {
            self.resumed();
            print(&text::assumption(assumption));
        }
    }

    fn answered(&mut self, answer: &Answer) {
        if self.talks {
            self.resumed();
            let several = self.task.design().is_some_and(|design| design.system.bads.len() > 1);
            text::answer(self.task, answer, several).iter().for_each(|line| print(line));
        }
    }

    fn note(&mut self, note: &Note<'_>) {
        if self.stats {
            self.resumed();
            complain(&note.to_string());
        }
    }

    fn waiting(&mut self) {
        let due = self.shown.is_none_or(|at| at.elapsed() >= REFRESH);
        if self.visible && due {
            self.shown = Some(Instant::now());
            let line = self.board.line(self.start.elapsed().as_secs_f64());
            // Progress is a courtesy: a terminal that can't be written to changes nothing. A line
            // that is wider than it would leave its rest behind.
            let short: String = line.chars().take(width()).collect();
            let _ = write!(std::io::stderr(), "\r\x1b[K{short}");
        }
    }

    fn resumed(&mut self) {
        if self.visible && self.shown.take().is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

/// The terminal's width, as the shell tells; a usual one if it does not.
fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    columns.filter(|width| *width > 20).unwrap_or(120) - 1
}
