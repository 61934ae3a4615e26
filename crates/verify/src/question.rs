//! A question: what is asked about, who may look for the answer, and at what price.

use crate::engines::{ENGINES, Engine};
use crate::known::Knowledge;
use crate::task::Task;
use answer::Interrupt;
use program::minimize::{self, Pass};
use smt::{Solvers, Standard};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What is asked: whether the goals of a task hold.
///
/// The goals follow from the task: the properties of a program together, every place of it if its
/// property is `dead-code`, every bad property of a circuit.
pub struct Question<'t> {
    /// What it is about.
    pub task: &'t Task,
    /// Who looks for the answer, and how.
    pub settings: Settings,
    /// What it may cost.
    pub limits: Limits,
}

impl<'t> Question<'t> {
    /// A question without limits, for all engines.
    pub fn new(task: &'t Task) -> Self {
        Question { task, settings: Settings::default(), limits: Limits::default() }
    }
}

/// What a question may cost.
#[derive(Clone, Default, Debug)]
pub struct Limits {
    /// When the clock was started; none: when the question is asked.
    pub since: Option<Instant>,
    /// The time from then to the answer.
    pub time: Option<Duration>,
    /// The megabytes that the process may have in use. Memory is the process's: of several questions
    /// in one process, all count.
    pub memory: Option<u64>,
    /// Ends the question when it is raised.
    pub interrupt: Interrupt,
}

/// Who is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// For a circuit IC3 with bounded model checking in turns, and more engines beside them if there
    /// are more jobs; for a program all engines that take part by themselves.
    Auto,
    /// Several engines at once, one thread each.
    Portfolio,
    /// The engine with this name.
    One(&'static str),
}

/// What gets an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goals {
    /// All properties of a program together: is there a run that violates one?
    Together,
    /// Each check of a program by itself.
    Each {
        /// Those whose line in the table contains this text; all if there is none.
        only: Option<String>,
        /// Whether the first violation is enough.
        stop: bool,
    },
}

/// How the answer is looked for.
#[derive(Clone)]
pub struct Settings {
    /// All engines that there are.
    pub table: &'static [&'static dyn Engine],
    /// Those that are asked.
    pub choice: Choice,
    /// What gets an answer, of a program.
    pub goals: Goals,
    /// How many threads work; with one, a run can be repeated. None: as the kind of task wants.
    pub jobs: Option<usize>,
    /// Decides where runs may differ by luck.
    pub seed: u64,
    /// Where engines get their solvers.
    pub solvers: &'static dyn Solvers,
    /// Of bit-level IC3.
    pub ic3: ic3::Options,
    /// Of IC3 on automata.
    pub ic3cfa: ic3cfa::Options,
    /// Of IC3 over interval bounds.
    pub icp: ic3icp::Options,
    /// Of the analysis of programs.
    pub analysis: analysis::Options,
    /// Of proofs by summaries of functions.
    pub summary: summary::Options,
    /// Passes that are left out.
    pub without: Vec<Pass>,
    /// Whether only the slice of the properties is modelled, also of small programs.
    pub slice: bool,
    /// Whether evidence is checked before it counts. Without, nothing is promised.
    pub certify: bool,
    /// Whether the invariant of a proof is kept for the outcome.
    pub invariant: bool,
    /// Whether it is wanted to know what makes an answer understood: whether a proof is vacuous, and
    /// on which variables a violation depends.
    pub explain: bool,
    /// Whether it is wanted to know if a proof is vacuous, though nothing else is explained: what is
    /// assumed of a caller may be what no caller can do.
    pub vacuity: bool,
    /// What earlier questions have found, most promising first; nothing of it is believed.
    pub known: Arc<[Knowledge]>,
    /// Whether what is found is wanted in words that outlive this question.
    pub learn: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            table: ENGINES,
            choice: Choice::Auto,
            goals: Goals::Together,
            jobs: None,
            seed: 0,
            solvers: &Standard,
            ic3: ic3::Options::default(),
            ic3cfa: ic3cfa::Options::default(),
            icp: ic3icp::Options::default(),
            analysis: analysis::Options::default(),
            summary: summary::Options::default(),
            without: Vec::new(),
            slice: false,
            certify: true,
            invariant: true,
            explain: false,
            vacuity: false,
            known: Arc::new([]),
            learn: false,
        }
    }
}

impl Settings {
    /// How automata are minimized.
    pub fn minimization(&self) -> minimize::Options {
        let mut options = minimize::Options::default();
        options.passes.retain(|pass| !self.without.contains(pass));
        options
    }

    /// Whether a pass is run.
    pub fn with(&self, pass: Pass) -> bool {
        !self.without.contains(&pass)
    }

    /// The engine with a name.
    pub fn engine(&self, name: &str) -> Option<&'static dyn Engine> {
        self.table.iter().copied().find(|engine| engine.row().name == name)
    }
}
