//! Figures of engines, for those who measure: an engine's observer that counts, tells how far it has
//! come, and hands its counters over as lines at the end.

use crate::board::Reached;
use ic3::observer::Phase as CircuitPhase;
use ic3cfa::observer::{Phase, Technique};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// Of IC3 on automata and its like.
pub struct AutomatonFigures {
    reached: Reached,
    statistics: ic3cfa::Statistics,
}

impl AutomatonFigures {
    /// Nothing counted.
    pub fn new(reached: Reached) -> Self {
        AutomatonFigures { reached, statistics: ic3cfa::Statistics::default() }
    }

    /// The engine has ended: hands over the counters.
    pub fn finish(&self) {
        let ic3cfa::Statistics { nodes, level, lemmas, literals, obligations, .. } =
            &self.statistics;
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
        self.reached.tell(lines);
    }
}

impl ic3cfa::Observer for AutomatonFigures {
    fn begin(&mut self, nodes: usize) {
        self.statistics.begin(nodes);
        self.reached.begin(nodes);
    }

    fn frontier(&mut self, level: usize, lemmas: &[usize], obligations: usize) {
        self.statistics.frontier(level, lemmas, obligations);
        ic3cfa::Observer::frontier(&mut self.reached, level, lemmas, obligations);
    }

    fn lemma(&mut self, level: usize, literals: usize) {
        self.statistics.lemma(level, literals);
        ic3cfa::Observer::lemma(&mut self.reached, level, literals);
    }

    fn obligation(&mut self, level: usize, literals: usize) {
        self.statistics.obligation(level, literals);
        ic3cfa::Observer::obligation(&mut self.reached, level, literals);
    }

    fn query(&mut self, phase: Phase, time: Duration) {
        self.statistics.query(phase, time);
        ic3cfa::Observer::query(&mut self.reached, phase, time);
    }

    fn shortcut(&mut self, phase: Phase) {
        self.statistics.shortcut(phase);
    }

    fn technique(&mut self, technique: Technique) {
        self.statistics.technique(technique);
    }
}

/// Of IC3 on circuits; clones count together.
#[derive(Clone)]
pub struct CircuitFigures {
    reached: Reached,
    statistics: Rc<RefCell<ic3::Statistics>>,
}

impl CircuitFigures {
    /// Nothing counted.
    pub fn new(reached: Reached) -> Self {
        CircuitFigures { reached, statistics: Rc::default() }
    }

    /// The engine has ended: hands over the counters.
    pub fn finish(&self) {
        let mut statistics = self.statistics.borrow_mut();
        // Closes the time of the phase that is open.
        statistics.enter(CircuitPhase::Search);
        let ic3::Statistics { frames, lemmas, literals, obligations, queries, times, .. } =
            &*statistics;
        let mut lines = vec![format!(
            "frames {frames}, lemmas {lemmas} with {literals} literals, obligations {obligations}"
        )];
        for phase in CircuitPhase::ALL {
            let (count, time) = (queries[phase as usize], times[phase as usize]);
            lines.push(format!("{phase:?}: {count} queries, {:.3} s", time.as_secs_f64()));
        }
        self.reached.tell(lines);
    }
}

impl ic3::Observer for CircuitFigures {
    fn frontier(&mut self, frame: usize, lemmas: &[usize], obligations: usize) {
        self.statistics.borrow_mut().frontier(frame, lemmas, obligations);
        ic3::Observer::frontier(&mut self.reached, frame, lemmas, obligations);
    }

    fn lemma(&mut self, frame: usize, literals: usize) {
        self.statistics.borrow_mut().lemma(frame, literals);
        ic3::Observer::lemma(&mut self.reached, frame, literals);
    }

    fn obligation(&mut self, frame: usize) {
        self.statistics.borrow_mut().obligation(frame);
        ic3::Observer::obligation(&mut self.reached, frame);
    }

    fn query(&mut self, phase: CircuitPhase) {
        self.statistics.borrow_mut().query(phase);
        ic3::Observer::query(&mut self.reached, phase);
    }

    fn enter(&mut self, phase: CircuitPhase) {
        self.statistics.borrow_mut().enter(phase);
    }
}

/// Of predicate abstraction.
pub struct AbstractionFigures {
    reached: Reached,
    statistics: cegar::Statistics,
}

impl AbstractionFigures {
    /// Nothing counted.
    pub fn new(reached: Reached) -> Self {
        AbstractionFigures { reached, statistics: cegar::Statistics::default() }
    }

    /// The engine has ended: hands over the counters.
    pub fn finish(&self) {
        let counted = &self.statistics;
        self.reached.tell([
            format!(
                "refinements {}, locations {}, states {} of which {} covered, predicates {}",
                counted.refinements,
                counted.locations,
                counted.states,
                counted.covered,
                counted.predicates
            ),
            format!(
                "smt calls {}, {:.3} s, interpolants {:.3} s",
                counted.queries.iter().sum::<u64>(),
                counted.asking.as_secs_f64(),
                counted.interpolating.as_secs_f64()
            ),
        ]);
    }
}

impl cegar::Observer for AbstractionFigures {
    fn begin(&mut self, locations: usize) {
        self.statistics.begin(locations);
    }

    fn state(&mut self, formulas: usize) {
        self.statistics.state(formulas);
    }

    fn covered(&mut self) {
        self.statistics.covered();
    }

    fn refinement(&mut self, edges: usize, predicates: usize, removed: usize) {
        self.statistics.refinement(edges, predicates, removed);
        self.reached.note(self.statistics.refinements);
    }

    fn query(&mut self, purpose: cegar::observer::Purpose, time: Duration) {
        self.statistics.query(purpose, time);
    }

    fn interpolated(&mut self, time: Duration) {
        self.statistics.interpolated(time);
    }
}
