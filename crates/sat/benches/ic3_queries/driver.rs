//! A small IC3 that records the questions it asks.
//!
//! Bradley's algorithm (VMCAI 2011) in its plainest form, one solver per frame and one for
//! lifting, on one property after the other over the same frames (a frame overapproximates the
//! reachable states whatever the property). Its purpose is the stream of questions: the answers
//! of one solver drive it, and the recorded stream is played to others.

use super::design::Design;
use sat::{Answer, Lit, Solver};
use std::collections::BTreeSet;

/// What happens to the solvers.
pub enum Event {
    /// A clause is added to a solver.
    Clause { solver: usize, clause: Vec<Lit> },
    /// A question is asked.
    Question { solver: usize, assumptions: Vec<Lit>, temporary: Vec<Lit>, answer: Answer },
}

/// A recorded stream. Solver 0 serves lifting, solver `i + 1` frame `i`.
pub struct Stream {
    /// How many solvers the stream needs.
    pub solvers: usize,
    /// The events in order.
    pub events: Vec<Event>,
}

/// A cube of latch literals, sorted.
type Cube = Vec<Lit>;

/// The solver for lifting.
const LIFTING: usize = 0;
/// No property is followed beyond so many frames.
const MAX_FRAMES: usize = 40;
/// Where there are many properties, none may ask more questions.
const QUESTIONS_PER_PROPERTY: usize = 2_000;

/// Records about `questions` questions, driven by the answers of solvers that `make` makes.
pub fn record(design: &Design, questions: usize, make: &dyn Fn() -> Box<dyn Solver>) -> Stream {
    let mut driver = Driver {
        design,
        make,
        solvers: Vec::new(),
        lemmas: Vec::new(),
        events: Vec::new(),
        asked: 0,
        limit: questions,
        place: (0..design.vars).map(|_| usize::MAX).collect(),
    };
    for (at, latch) in design.latches.iter().enumerate() {
        driver.place[latch.index()] = at;
    }
    driver.add_solver();
    driver.add_frame();
    for latch in &design.latches {
        driver.add_clause(1, vec![latch.neg()]);
    }
    'all: loop {
        let before = driver.asked;
        let share = QUESTIONS_PER_PROPERTY.max(questions / design.bad.len().max(1));
        for &bad in &design.bad {
            driver.limit = questions.min(driver.asked + share);
            driver.check(bad);
            if driver.asked >= questions {
                break 'all;
            }
        }
        if driver.asked == before {
            break;
        }
    }
    Stream { solvers: driver.solvers.len(), events: driver.events }
}

/// The question budget is used up.
struct Exhausted;

struct Driver<'a> {
    design: &'a Design,
    make: &'a dyn Fn() -> Box<dyn Solver>,
    solvers: Vec<Box<dyn Solver>>,
    /// For each frame the cubes blocked there and not in later frames.
    lemmas: Vec<Vec<Cube>>,
    events: Vec<Event>,
    asked: usize,
    limit: usize,
    /// The latch index of a variable.
    place: Vec<usize>,
}

impl Driver<'_> {
    fn add_solver(&mut self) {
        let mut solver = (self.make)();
        self.design.add_to(solver.as_mut());
        self.solvers.push(solver);
    }

    fn add_frame(&mut self) {
        self.add_solver();
        self.lemmas.push(Vec::new());
        for &constraint in &self.design.constraints {
            self.add_clause(self.lemmas.len(), vec![constraint]);
        }
    }

    fn add_clause(&mut self, solver: usize, clause: Vec<Lit>) {
        self.solvers[solver].add_clause(&clause);
        self.events.push(Event::Clause { solver, clause });
    }

    fn ask(
        &mut self,
        solver: usize,
        assumptions: &[Lit],
        temporary: &[Lit],
    ) -> Result<Answer, Exhausted> {
        if self.asked >= self.limit {
            return Err(Exhausted);
        }
        self.asked += 1;
        let answer = self.solvers[solver].solve_with(assumptions, temporary);
        self.events.push(Event::Question {
            solver,
            assumptions: assumptions.to_vec(),
            temporary: temporary.to_vec(),
            answer,
        });
        Ok(answer)
    }

    /// Follows one property as far as the budget goes.
    fn check(&mut self, bad: Lit) {
        loop {
            let top = self.lemmas.len() - 1;
            match self.strengthen(bad, top) {
                Ok(true) => {}
                Ok(false) | Err(Exhausted) => return,
            }
            if top >= MAX_FRAMES {
                return;
            }
            self.add_frame();
            if !matches!(self.propagate(), Ok(false)) {
                return;
            }
        }
    }

    /// Blocks all bad states of the last frame. `false` where a counterexample was found.
    fn strengthen(&mut self, bad: Lit, top: usize) -> Result<bool, Exhausted> {
        loop {
            // SAT? F[top] ∧ bad
            if self.ask(top + 1, &[bad], &[])? == Answer::Unsat {
                return Ok(true);
            }
            let (state, inputs) = self.read_state(top + 1);
            // SAT? state ∧ inputs ∧ ¬bad
            let cube = self.lift(state, inputs, &[!bad])?;
            if !self.block(cube, top)? {
                return Ok(false);
            }
        }
    }

    /// Blocks a cube at a frame, and what leads to it. `false` where an initial state does.
    fn block(&mut self, cube: Cube, frame: usize) -> Result<bool, Exhausted> {
        let mut obligations = BTreeSet::from([(frame, cube)]);
        while let Some((frame, cube)) = obligations.pop_first() {
            if frame == 0 || self.is_initial(&cube) {
                return Ok(false);
            }
            if self.is_blocked(&cube, frame) {
                continue;
            }
            match self.consecution(&cube, frame)? {
                Some(core) => {
                    let (lemma, frame) = self.generalize(core, frame)?;
                    self.add_lemma(lemma, frame);
                    if frame + 1 < self.lemmas.len() {
                        obligations.insert((frame + 1, cube));
                    }
                }
                None => {
                    let (state, inputs) = self.read_state(frame);
                    let target: Vec<Lit> = cube.iter().map(|&l| !self.next(l)).collect();
                    // SAT? state ∧ inputs ∧ T ∧ ¬cube'
                    let predecessor = self.lift(state, inputs, &target)?;
                    obligations.insert((frame - 1, predecessor));
                    obligations.insert((frame, cube));
                }
            }
        }
        Ok(true)
    }

    /// SAT? F[frame-1] ∧ ¬cube ∧ T ∧ cube'. Where not, the part of the cube that is needed.
    fn consecution(&mut self, cube: &[Lit], frame: usize) -> Result<Option<Cube>, Exhausted> {
        let assumptions: Vec<Lit> = cube.iter().map(|&l| self.next(l)).collect();
        let clause: Vec<Lit> = cube.iter().map(|&l| !l).collect();
        // Solver `frame` is the one of frame - 1.
        if self.ask(frame, &assumptions, &clause)? == Answer::Sat {
            return Ok(None);
        }
        let solver = &self.solvers[frame];
        let mut core: Cube =
            cube.iter().copied().filter(|&l| solver.failed(self.next(l))).collect();
        if self.is_initial(&core) {
            core.extend(cube.iter().find(|l| l.is_pos()));
            core.sort_unstable();
        }
        Ok(Some(core))
    }

    /// Drops literals as long as consecution holds, then moves the lemma forward.
    fn generalize(&mut self, cube: Cube, frame: usize) -> Result<(Cube, usize), Exhausted> {
        let mut lemma = cube;
        let mut at = 0;
        while at < lemma.len() && lemma.len() > 1 {
            let mut smaller = lemma.clone();
            smaller.remove(at);
            if !self.is_initial(&smaller)
                && let Some(core) = self.consecution(&smaller, frame)?
            {
                // What stood before the dropped literal was tried already.
                let tried = lemma[..at].to_vec();
                lemma = core;
                at = lemma.iter().take_while(|l| tried.contains(l)).count();
            } else {
                at += 1;
            }
        }
        let mut frame = frame;
        while frame + 1 < self.lemmas.len() && self.consecution(&lemma, frame + 1)?.is_some() {
            frame += 1;
        }
        Ok((lemma, frame))
    }

    /// Moves lemmas to later frames. `true` where a frame is inductive.
    fn propagate(&mut self) -> Result<bool, Exhausted> {
        for frame in 1..self.lemmas.len() - 1 {
            for cube in std::mem::take(&mut self.lemmas[frame]) {
                let assumptions: Vec<Lit> = cube.iter().map(|&l| self.next(l)).collect();
                // SAT? F[frame] ∧ T ∧ cube'
                match self.ask(frame + 1, &assumptions, &[]) {
                    Ok(Answer::Unsat) => self.add_lemma(cube, frame + 1),
                    Ok(_) => self.lemmas[frame].push(cube),
                    Err(Exhausted) => {
                        self.lemmas[frame].push(cube);
                        return Err(Exhausted);
                    }
                }
            }
            if self.lemmas[frame].is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn add_lemma(&mut self, cube: Cube, frame: usize) {
        let clause: Vec<Lit> = cube.iter().map(|&l| !l).collect();
        let first = (1..=frame)
            .rev()
            .take_while(|&f| !self.lemmas[f].contains(&cube))
            .last()
            .unwrap_or(frame);
        for f in first..=frame {
            self.add_clause(f + 1, clause.clone());
        }
        for lemmas in &mut self.lemmas[1..=frame] {
            lemmas.retain(|other| !cube.iter().all(|l| other.contains(l)));
        }
        self.lemmas[frame].push(cube);
    }

    fn is_blocked(&self, cube: &[Lit], frame: usize) -> bool {
        self.lemmas[frame..].iter().flatten().any(|lemma| lemma.iter().all(|l| cube.contains(l)))
    }

    fn is_initial(&self, cube: &[Lit]) -> bool {
        cube.iter().all(|l| l.is_neg())
    }

    fn next(&self, latch: Lit) -> Lit {
        self.design.next[self.place[latch.var().index()]].xor(latch.is_neg())
    }

    /// The latches and inputs that the last model of a solver assigns.
    fn read_state(&self, solver: usize) -> (Cube, Vec<Lit>) {
        let solver = &self.solvers[solver];
        let read = |vars: &[sat::Var]| -> Vec<Lit> {
            vars.iter().filter_map(|&v| solver.value(v.pos()).map(|b| v.lit(b))).collect()
        };
        (read(&self.design.latches), read(&self.design.inputs))
    }

    /// The part of a state that, with the inputs, is inconsistent with the clause `not_target`.
    fn lift(
        &mut self,
        state: Cube,
        inputs: Vec<Lit>,
        not_target: &[Lit],
    ) -> Result<Cube, Exhausted> {
        let assumptions: Vec<Lit> = inputs.into_iter().chain(state.iter().copied()).collect();
        let answer = self.ask(LIFTING, &assumptions, not_target)?;
        assert_eq!(answer, Answer::Unsat, "a state and inputs determine the next state");
        let solver = &self.solvers[LIFTING];
        Ok(state.into_iter().filter(|&l| solver.failed(l)).collect())
    }
}
