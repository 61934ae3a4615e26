//! Figures of engines, for those who measure: an engine's observer that counts, tells how far it has
//! come, and hands its counters over as lines at the end.

use crate::board::Reached;
use ic3cfa::Statistics;
use ic3cfa::observer::Technique;
use lemmas::{Observer, Phase};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// Of an IC3, on circuits or on automata; clones count together.
#[derive(Clone)]
pub struct SearchFigures {
    reached: Reached,
    statistics: Rc<RefCell<Statistics>>,
}

impl SearchFigures {
    /// Nothing counted.
    pub fn new(reached: Reached) -> Self {
        SearchFigures { reached, statistics: Rc::default() }
    }

    /// The engine has ended: hands over the counters.
    pub fn finish(&self) {
        let mut statistics = self.statistics.borrow_mut();
        // Closes the time of the phase that is open.
        statistics.search.enter(Phase::Search);
        let search = &statistics.search;
        let solving: Duration = search.solver_time.iter().sum();
        let mut lines = vec![
            format!(
                "frames {}, locations {}, lemmas {} with {} literals, obligations {} with {} \
                 literals",
                search.frames,
                search.nodes,
                search.lemmas,
                search.literals,
                search.obligations,
                search.obligation_literals
            ),
            format!(
                "smt calls {}, {:.3} s",
                search.queries.iter().sum::<u64>(),
                solving.as_secs_f64()
            ),
        ];
        for phase in Phase::ALL {
            let at = phase as usize;
            let time = search.solver_time[at] + search.times[at];
            if search.queries[at] == 0 && time.is_zero() {
                continue;
            }
            lines.push(format!(
                "  {phase:?}: {} calls, {:.3} s, {} answers without a call",
                search.queries[at],
                time.as_secs_f64(),
                search.shortcuts[at]
            ));
        }
        for technique in Technique::ALL {
            let count = statistics.count(technique);
            if count > 0 {
                lines.push(format!("  {technique:?}: {count}"));
            }
        }
        self.reached.tell(lines);
    }
}

impl Observer for SearchFigures {
    fn begin(&mut self, nodes: usize) {
        self.statistics.borrow_mut().begin(nodes);
        self.reached.begin(nodes);
    }

    fn frontier(&mut self, frame: usize, lemmas: &[usize], obligations: usize) {
        self.statistics.borrow_mut().frontier(frame, lemmas, obligations);
        self.reached.frontier(frame, lemmas, obligations);
    }

    fn lemma(&mut self, frame: usize, literals: usize) {
        self.statistics.borrow_mut().lemma(frame, literals);
        self.reached.lemma(frame, literals);
    }

    fn obligation(&mut self, frame: usize, literals: usize) {
        self.statistics.borrow_mut().obligation(frame, literals);
        self.reached.obligation(frame, literals);
    }

    fn query(&mut self, phase: Phase) {
        self.statistics.borrow_mut().query(phase);
        self.reached.query(phase);
    }

    fn solver_time(&mut self, phase: Phase, time: Duration) {
        self.statistics.borrow_mut().solver_time(phase, time);
    }

    fn shortcut(&mut self, phase: Phase) {
        self.statistics.borrow_mut().shortcut(phase);
    }

    fn enter(&mut self, phase: Phase) {
        self.statistics.borrow_mut().search.enter(phase);
    }
}

impl ic3cfa::Observer for SearchFigures {
    fn technique(&mut self, technique: Technique) {
        self.statistics.borrow_mut().technique(technique);
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
