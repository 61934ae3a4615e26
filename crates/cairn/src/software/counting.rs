//! Statistics of the engines on automata, for `--stats`.

use super::reached::Reached;
use ic3cfa::Statistics;
use ic3cfa::observer::{Observer, Phase, Technique};
use std::time::Duration;

/// Counts what an engine does, and tells how far it has come.
pub struct Counting {
    reached: Reached,
    statistics: Statistics,
}

impl Counting {
    /// Nothing counted.
    pub fn new(reached: Reached) -> Self {
        Counting { reached, statistics: Statistics::default() }
    }

    /// The engine has ended: hands over the counters.
    pub fn finish(&self) {
        let Statistics { nodes, level, lemmas, literals, obligations, .. } = &self.statistics;
        let mut lines = vec![
            format!(
                "frames {level}, locations {nodes}, lemmas {lemmas} with {literals} literals, \
                 obligations {obligations} with {} literals",
                self.statistics.obligation_literals
            ),
            format!(
                "smt calls {}, {:.3} s",
                self.statistics.total_queries(),
                self.statistics.total_solver_time().as_secs_f64()
            ),
        ];
        for phase in Phase::ALL {
            let at = phase as usize;
            lines.push(format!(
                "  {phase:?}: {} calls, {:.3} s, {} answers without a call",
                self.statistics.queries[at],
                self.statistics.solver_time[at].as_secs_f64(),
                self.statistics.shortcuts[at]
            ));
        }
        for technique in Technique::ALL {
            let count = self.statistics.count(technique);
            if count > 0 {
                lines.push(format!("  {technique:?}: {count}"));
            }
        }
        self.reached.summarize(lines);
    }
}

impl Observer for Counting {
    fn begin(&mut self, nodes: usize) {
        self.statistics.begin(nodes);
        self.reached.begin(nodes);
    }

    fn frontier(&mut self, level: usize, lemmas: &[usize], obligations: usize) {
        self.statistics.frontier(level, lemmas, obligations);
        Observer::frontier(&mut self.reached, level, lemmas, obligations);
    }

    fn lemma(&mut self, level: usize, literals: usize) {
        self.statistics.lemma(level, literals);
        Observer::lemma(&mut self.reached, level, literals);
    }

    fn obligation(&mut self, level: usize, literals: usize) {
        self.statistics.obligation(level, literals);
        Observer::obligation(&mut self.reached, level, literals);
    }

    fn query(&mut self, phase: Phase, time: Duration) {
        self.statistics.query(phase, time);
        Observer::query(&mut self.reached, phase, time);
    }

    fn shortcut(&mut self, phase: Phase) {
        self.statistics.shortcut(phase);
    }

    fn technique(&mut self, technique: Technique) {
        self.statistics.technique(technique);
    }
}
