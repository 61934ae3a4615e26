//! Statistics of the engines on automata, for `--stats`.

use super::reached::Reached;
use ic3cfa::Statistics;
use ic3cfa::observer::{PHASES, Phase, Technique};
use lemmas::Observer;
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
        let Statistics { search, .. } = &self.statistics;
        let lemmas::Statistics { nodes, frames, lemmas, literals, obligations, .. } = search;
        let mut lines = vec![
            format!(
                "frames {frames}, locations {nodes}, lemmas {lemmas} with {literals} literals, \
                 obligations {obligations} with {} literals",
                search.obligation_literals
            ),
            format!(
                "smt calls {}, {:.3} s",
                search.total_queries(),
                search.total_solver_time().as_secs_f64()
            ),
        ];
        for phase in PHASES {
            let at = phase as usize;
            lines.push(format!(
                "  {phase:?}: {} calls, {:.3} s, {} answers without a call",
                search.queries[at],
                search.solver_time[at].as_secs_f64(),
                search.shortcuts[at]
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

    fn frontier(&mut self, frame: usize, lemmas: &[usize], obligations: usize) {
        self.statistics.frontier(frame, lemmas, obligations);
        Observer::frontier(&mut self.reached, frame, lemmas, obligations);
    }

    fn lemma(&mut self, frame: usize, literals: usize) {
        self.statistics.lemma(frame, literals);
        Observer::lemma(&mut self.reached, frame, literals);
    }

    fn obligation(&mut self, frame: usize, literals: usize) {
        self.statistics.obligation(frame, literals);
        Observer::obligation(&mut self.reached, frame, literals);
    }

    fn query(&mut self, phase: Phase) {
        self.statistics.query(phase);
        Observer::query(&mut self.reached, phase);
    }

    fn solver_time(&mut self, phase: Phase, time: Duration) {
        self.statistics.solver_time(phase, time);
    }

    fn shortcut(&mut self, phase: Phase) {
        self.statistics.shortcut(phase);
    }
}

impl ic3cfa::Observer for Counting {
    fn technique(&mut self, technique: Technique) {
        ic3cfa::Observer::technique(&mut self.statistics, technique);
    }
}
