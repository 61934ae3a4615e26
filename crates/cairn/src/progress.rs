//! Progress on a terminal, and statistics at the end.

use ic3::Observer;
use ic3::Statistics;
use ic3::observer::Phase;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// How often the line on the terminal changes.
const REFRESH: Duration = Duration::from_millis(100);

/// Listens to an engine; shows one line on standard error where that is a terminal.
pub struct Progress {
    statistics: Statistics,
    visible: bool,
    shown: Option<Instant>,
    start: Instant,
    /// Of a bounded engine.
    depth: usize,
}

impl Progress {
    /// Silent where asked to be, or where standard error is no terminal.
    pub fn new(quiet: bool) -> Self {
        let visible = !quiet && std::io::stderr().is_terminal();
        let statistics = Statistics::default();
        Progress { statistics, visible, shown: None, start: Instant::now(), depth: 0 }
    }

    fn show(&mut self) {
        let due = self.shown.is_none_or(|at| at.elapsed() >= REFRESH);
        if !self.visible || !due {
            return;
        }
        self.shown = Some(Instant::now());
        let queries = self.statistics.total_queries();
        let rate = queries as f64 / self.start.elapsed().as_secs_f64().max(0.001);
        let top: Vec<String> =
            self.statistics.lemmas_per_frame.iter().rev().take(6).map(usize::to_string).collect();
        // Progress is a courtesy: a terminal that can't be written to changes nothing.
        let _ = write!(
            std::io::stderr(),
            "\r\x1b[K{:6.1} s  frame {}  lemmas {} (… {})  obligations {}  {:.0} queries/s",
            self.start.elapsed().as_secs_f64(),
            self.statistics.frames,
            self.statistics.lemmas,
            top.into_iter().rev().collect::<Vec<_>>().join(" "),
            self.statistics.obligations,
            rate
        );
    }

    /// The highest frame, or the depth of unrolling.
    pub fn reached(&self) -> usize {
        self.statistics.frames.max(self.depth)
    }

    /// Clears the line.
    pub fn finish(&mut self) {
        if self.shown.take().is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }

    /// Prints the counters on standard error.
    pub fn print_statistics(&mut self, property: usize, seconds: f64) {
        // Closes the time of the phase that is open.
        self.statistics.enter(Phase::Search);
        let Statistics { frames, lemmas, literals, obligations, queries, times, .. } =
            &self.statistics;
        eprintln!("property b{property}: {seconds:.3} s");
        eprintln!(
            "  frames {frames}, lemmas {lemmas} with {literals} literals, obligations {obligations}"
        );
        for phase in Phase::ALL {
            let (count, time) = (queries[phase as usize], times[phase as usize]);
            eprintln!("  {phase:?}: {count} queries, {:.3} s", time.as_secs_f64());
        }
    }
}

impl bounded::Observer for Progress {
    fn depth(&mut self, depth: usize) {
        self.depth = depth;
    }
}

impl Observer for Progress {
    fn frontier(&mut self, frame: usize, lemmas_per_frame: &[usize], obligations: usize) {
        self.statistics.frontier(frame, lemmas_per_frame, obligations);
        self.show();
    }

    fn lemma(&mut self, frame: usize, literals: usize) {
        self.statistics.lemma(frame, literals);
        self.show();
    }

    fn obligation(&mut self, frame: usize, literals: usize) {
        self.statistics.obligation(frame, literals);
    }

    fn query(&mut self, phase: Phase) {
        self.statistics.query(phase);
    }

    fn enter(&mut self, phase: Phase) {
        self.statistics.enter(phase);
    }
}
