//! One line of progress on a terminal while the engines race.

use super::reached::Board;
use std::cell::Cell;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// How often the line changes.
const REFRESH: Duration = Duration::from_millis(100);

/// Shows a line on standard error where that is a terminal.
pub struct ProgressLine {
    board: Board,
    start: Instant,
    visible: bool,
    shown: Cell<Option<Instant>>,
}

impl ProgressLine {
    /// Silent where asked to be, or where standard error is no terminal.
    pub fn new(board: Board, quiet: bool) -> Self {
        let visible = !quiet && std::io::stderr().is_terminal();
        ProgressLine { board, start: Instant::now(), visible, shown: Cell::new(None) }
    }

    /// Shows how far the engines are.
    pub fn show(&self) {
        let due = self.shown.get().is_none_or(|at| at.elapsed() >= REFRESH);
        if self.visible && due {
            self.shown.set(Some(Instant::now()));
            let line = self.board.line(self.start.elapsed().as_secs_f64());
            // Progress is a courtesy: a terminal that can't be written to changes nothing. A line
            // that is wider than it would leave its rest behind.
            let short: String = line.chars().take(width()).collect();
            let _ = write!(std::io::stderr(), "\r\x1b[K{short}");
        }
    }

    /// Clears the line.
    pub fn clear(&self) {
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
