//! CaDiCaL behind [`Solver`]: for hard queries, bounded model checking and proofs.
//!
//! The solver is CaDiCaL by Armin Biere and others ("CaDiCaL 2.0", CAV 2024), linked through
//! the crate `cadical-sys`. Variable `i` is DIMACS variable `i + 1`.
//!
//! * **Incremental use.** CaDiCaL eliminates variables and restores the clauses it removed when
//!   a later clause or assumption mentions them, so nothing has to be frozen here.
//! * **Bounded variable addition is off** in every preset. It would make variables of its own,
//!   numbered after the largest one it knows, and the numbers would clash with the variables
//!   that [`Solver::new_var`] hands out later.
//! * **The model** is read from CaDiCaL on demand. It stays readable until the next question:
//!   the first change after [`Answer::Sat`] copies it.
//! * **The environment.** CaDiCaL's constructor itself looks for variables named `CADICAL_…`.
//!   They can tune heuristics; what correctness here rests on is set explicitly afterwards.

mod watch;

use crate::lit::{Lit, Var};
use crate::solver::{Answer, Solver, Statistics};
use answer::{Allowance, Exhausted};
use cadical_sys::{CaDiCal, ProofTracer, Status};
use std::cell::RefCell;
use watch::Watch;

/// How CaDiCaL is tuned.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Preset {
    /// CaDiCaL's own defaults: one hard question.
    #[default]
    Standard,
    /// No pre- or inprocessing at all: search only.
    Plain,
    /// CaDiCaL's choice for questions whose answer is probably [`Answer::Sat`].
    Sat,
    /// CaDiCaL's choice for questions whose answer is probably [`Answer::Unsat`].
    Unsat,
    /// Many small questions to one growing formula: no pre- or inprocessing, and neither local
    /// search nor guessing of simple models before each search.
    Incremental,
}

impl Preset {
    /// Sets the options of the preset; the solver must be fresh.
    fn configure(self, solver: &mut CaDiCal) {
        let configuration = match self {
            Preset::Standard => "default",
            Preset::Plain | Preset::Incremental => "plain",
            Preset::Sat => "sat",
            Preset::Unsat => "unsat",
        };
        let known = solver.configure(configuration);
        debug_assert!(known, "CaDiCaL has no configuration {configuration}");
        if self == Preset::Incremental {
            for (option, value) in [("lucky", 0), ("walk", 0)] {
                set(solver, option, value);
            }
        }
        set(solver, "factor", 0);
    }
}

/// Sets an option that CaDiCaL must know.
fn set(solver: &mut CaDiCal, option: &str, value: i32) {
    let known = solver.set(option, value);
    debug_assert!(known, "CaDiCaL has no option {option}");
}

/// CaDiCaL.
pub struct Cadical {
    /// In a cell because CaDiCaL extends its model lazily, when a value is read.
    inner: RefCell<CaDiCal>,
    var_count: usize,
    queries: u64,
    conflict_limit: Option<u64>,
    watch: Watch,
    /// The answer to the last question; `None` before the first.
    answer: Option<Answer>,
    /// The model of the last question by variable, once the formula has changed since.
    kept_model: Option<Vec<bool>>,
    /// The failed assumptions of the last question, sorted.
    failed: Vec<Lit>,
    /// Whether antecedents are traced, which makes CaDiCaL recurse; see [`Cadical::run`].
    traced: bool,
    /// The clause on its way to CaDiCaL.
    clause: Vec<i32>,
}

// SAFETY: a `CaDiCal` owns the C++ solver and the callbacks connected to it, and nobody else
// holds a pointer to either. The C++ solver keeps no thread-local state, and the static data it
// has is constant. The only callbacks we connect are `watch::Guard` (an `Arc` of an atomic and
// an `Instant`) and the tracer of `with_tracer`, which is required to be `Send`.
unsafe impl Send for Cadical {}

impl Default for Cadical {
    fn default() -> Self {
        Self::new(Preset::default())
    }
}

impl Cadical {
    /// A solver without variables and clauses.
    pub fn new(preset: Preset) -> Self {
        let mut inner = CaDiCal::new();
        preset.configure(&mut inner);
        Self::from_configured(inner, false)
    }

    /// A solver whose every step is told to `tracer`, with antecedents, and with the given
    /// options besides those of the preset.
    pub(crate) fn with_tracer<T>(preset: Preset, options: &[(&str, i32)], tracer: T) -> Self
    where
        T: ProofTracer + Send + 'static,
    {
        let mut inner = CaDiCal::new();
        preset.configure(&mut inner);
        for &(option, value) in options {
            set(&mut inner, option, value);
        }
        inner.connect_proof_tracer1(tracer, true, false);
        Self::from_configured(inner, true)
    }

    fn from_configured(inner: CaDiCal, traced: bool) -> Self {
        Cadical {
            inner: RefCell::new(inner),
            var_count: 0,
            queries: 0,
            conflict_limit: None,
            watch: Watch::default(),
            answer: None,
            kept_model: None,
            failed: Vec::new(),
            traced,
            clause: Vec::new(),
        }
    }

    /// CaDiCaL's version.
    pub fn version() -> String {
        CaDiCal::version()
    }

    /// The literal as CaDiCaL names it.
    ///
    /// # Panics
    /// If its variable was not made by [`Solver::new_var`]: a later new variable would get the
    /// same number, and the answer would be wrong.
    fn external(&self, lit: Lit) -> i32 {
        assert!(lit.var().index() < self.var_count, "{lit:?} is not a literal of this solver");
        lit.to_dimacs()
    }

    /// Copies the model out of CaDiCaL, which is about to forget it.
    fn keep_model(&mut self) {
        if self.answer == Some(Answer::Sat) && self.kept_model.is_none() {
            let inner = self.inner.get_mut();
            let vars = 1..=self.var_count as i32;
            self.kept_model = Some(vars.map(|var| inner.val(var) > 0).collect());
        }
    }

    /// Searches, on a stack that is large enough.
    ///
    /// When CaDiCaL records antecedents it walks implication chains recursively (in its analysis
    /// of failed assumptions and in failed literal probing), so the depth may reach the number
    /// of variables. Such a search runs on a thread of its own with a stack for that depth.
    ///
    /// # Panics
    /// If there is no memory for that stack; CaDiCaL itself would not survive this either.
    fn run(&mut self) -> Status {
        const PLAIN_STACK_VARS: usize = 2_000;
        const FRAME_BYTES: usize = 256;
        const BASE_BYTES: usize = 4 << 20;
        if !self.traced || self.var_count <= PLAIN_STACK_VARS {
            return self.search_and_conclude();
        }
        let stack_size = BASE_BYTES + self.var_count * FRAME_BYTES;
        std::thread::scope(|scope| {
            let search = std::thread::Builder::new()
                .name("cadical".to_string())
                .stack_size(stack_size)
                .spawn_scoped(scope, || self.search_and_conclude());
            match search.map(|search| search.join()) {
                Ok(Ok(status)) => status,
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                Err(error) => panic!("no memory for a stack of {stack_size} bytes: {error}"),
            }
        })
    }

    fn search_and_conclude(&mut self) -> Status {
        let inner = self.inner.get_mut();
        let status = inner.solve();
        if self.traced && status == Status::UNSATISFIABLE {
            inner.conclude();
        }
        status
    }
}

impl Solver for Cadical {
    fn name(&self) -> &'static str {
        "cadical"
    }

    fn new_var(&mut self) -> Var {
        let var = Var::new(self.var_count);
        self.var_count += 1;
        if let Some(model) = &mut self.kept_model {
            model.push(false);
        }
        var
    }

    fn var_count(&self) -> usize {
        self.var_count
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.keep_model();
        let mut external = std::mem::take(&mut self.clause);
        external.extend(clause.iter().map(|&lit| self.external(lit)));
        self.inner.get_mut().clause6(&external);
        external.clear();
        self.clause = external;
    }

    fn solve_with(&mut self, assumptions: &[Lit], temporary: &[Lit]) -> Answer {
        self.queries += 1;
        self.kept_model = None;
        self.failed.clear();
        let answer = match self.watch.before_search() {
            Some(stop) => Answer::Unknown(stop),
            None => self.ask(assumptions, temporary),
        };
        self.answer = Some(answer);
        answer
    }

    fn value(&self, lit: Lit) -> Option<bool> {
        assert!(
            self.answer == Some(Answer::Sat),
            "a model exists only after a satisfiable question"
        );
        if lit.var().index() >= self.var_count {
            return None;
        }
        let positive = match &self.kept_model {
            Some(model) => model[lit.var().index()],
            None => self.inner.borrow_mut().val(lit.var().pos().to_dimacs()) > 0,
        };
        Some(positive != lit.is_neg())
    }

    fn failed(&self, assumption: Lit) -> bool {
        assert!(
            self.answer == Some(Answer::Unsat),
            "failed assumptions exist only after an unsatisfiable question"
        );
        self.failed.binary_search(&assumption).is_ok()
    }

    fn set_allowance(&mut self, allowance: Allowance) {
        self.conflict_limit = allowance.work;
        self.watch.set(allowance, self.inner.get_mut());
    }

    fn set_work(&mut self, conflicts: Option<u64>) {
        self.conflict_limit = conflicts;
    }

    fn statistics(&self) -> Statistics {
        let inner = self.inner.borrow();
        // A statistic that CaDiCaL does not know would be -1.
        let count = |name| u64::try_from(inner.get_statistic_value(name)).unwrap_or(0);
        Statistics {
            queries: self.queries,
            conflicts: count("conflicts"),
            decisions: count("decisions"),
            propagations: count("propagations"),
        }
    }
}

impl Cadical {
    /// SAT? formula ∧ ⋀ assumptions ∧ ⋁ temporary
    fn ask(&mut self, assumptions: &[Lit], temporary: &[Lit]) -> Answer {
        for &assumption in assumptions {
            let external = self.external(assumption);
            self.inner.get_mut().assume(external);
        }
        if !temporary.is_empty() {
            for &lit in temporary {
                let external = self.external(lit);
                self.inner.get_mut().constrain(external);
            }
            self.inner.get_mut().constrain(0);
        }
        if let Some(conflicts) = self.conflict_limit {
            // CaDiCaL counts to 2³¹ - 1, which no search reaches in practice.
            let conflicts = i32::try_from(conflicts).unwrap_or(i32::MAX);
            self.inner.get_mut().limit("conflicts", conflicts);
        }
        match self.run() {
            Status::SATISFIABLE => Answer::Sat,
            Status::UNSATISFIABLE => {
                self.collect_failed(assumptions);
                Answer::Unsat
            }
            Status::UNKNOWN => {
                Answer::Unknown(self.watch.after_search().unwrap_or(Exhausted::Work))
            }
        }
    }

    fn collect_failed(&mut self, assumptions: &[Lit]) {
        let inner = self.inner.get_mut();
        let failed = assumptions.iter().filter(|assumption| inner.failed(assumption.to_dimacs()));
        self.failed.extend(failed);
        self.failed.sort_unstable();
        self.failed.dedup();
    }
}
