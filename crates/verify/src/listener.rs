//! Those who want to hear of a question while it is decided.

use crate::outcome::Answer;
use answer::{Ended, EngineName};
use program::minimize::PassStatistics;
use program::program::Assumption;
use std::fmt;

/// Hears what happens. All calls come from the thread that decides.
pub trait Listener {
    /// Something is assumed, for the first time.
    fn assumed(&mut self, _: &Assumption) {}

    /// A goal has its answer; others may still be open.
    fn answered(&mut self, _: &Answer) {}

    /// Something that is of interest to those who measure.
    fn note(&mut self, _: &Note<'_>) {}

    /// Nothing has happened for a moment: time to show progress.
    fn waiting(&mut self) {}

    /// Something has happened: progress that is shown should go.
    fn resumed(&mut self) {}
}

/// Nobody listens.
impl Listener for () {}

/// Lets progress through, and nothing else: answers are to another question.
pub(crate) struct Quiet<'a>(pub &'a mut dyn Listener);

impl Listener for Quiet<'_> {
    fn waiting(&mut self) {
        self.0.waiting();
    }

    fn resumed(&mut self) {
        self.0.resumed();
    }
}

/// The size of an automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// Locations.
    pub locations: usize,
    /// Edges.
    pub edges: usize,
    /// Variables.
    pub variables: usize,
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Size { locations, edges, variables } = self;
        write!(f, "{locations} locations, {edges} edges, {variables} variables")
    }
}

/// What those who measure are told; seconds count from the beginning.
#[derive(Debug)]
pub enum Note<'a> {
    /// The program was executed.
    Executed {
        /// What came of it, in words.
        what: String,
        /// When.
        seconds: f64,
    },
    /// There is a model.
    Modelled {
        /// Whether only the slice of the properties.
        slice: bool,
        /// Its size.
        size: Size,
        /// When.
        seconds: f64,
    },
    /// A pass has been run.
    Passed(&'a PassStatistics),
    /// The model is as small as it gets.
    Minimized {
        /// Its size.
        size: Size,
        /// When.
        seconds: f64,
    },
    /// An engine has ended.
    Ended {
        /// Who.
        engine: &'a EngineName,
        /// On which goal, where there are several kinds of them.
        goal: Option<&'a str>,
        /// With what.
        ended: &'a Ended,
        /// Its own figures.
        figures: Vec<String>,
        /// When.
        seconds: f64,
    },
    /// Evidence has been looked at.
    Checked {
        /// How long that took.
        seconds: f64,
    },
    /// Formulas of another version were tried.
    Recalled {
        /// How many.
        count: usize,
        /// How many of them hold here, if they are no proof.
        kept: usize,
        /// Whether they seem to be a proof.
        proves: bool,
        /// When.
        seconds: f64,
    },
    /// Summaries of another version were asked about (\[Fed15, Alg. 4\]).
    Upgraded {
        /// Of how many nobody had to ask.
        untouched: usize,
        /// How many still hold.
        held: usize,
        /// How many are new.
        repaired: usize,
        /// How many do not hold any more.
        lost: usize,
        /// Whether they seem to be a proof.
        proves: bool,
        /// When.
        seconds: f64,
    },
    /// A test fails.
    TestFailed {
        /// Which.
        number: u64,
        /// When.
        seconds: f64,
    },
}

impl fmt::Display for Note<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::Executed { what, seconds } => write!(f, "execution: {what} ({seconds:.3} s)"),
            Note::Modelled { slice, size, seconds } => {
                let what = if *slice { "model of the slice" } else { "model" };
                write!(f, "{what}: {size} ({seconds:.3} s)")
            }
            Note::Passed(pass) => {
                let (name, before, after) = (pass.pass.name(), &pass.before, &pass.after);
                write!(
                    f,
                    "  {name}: locations {} to {}, edges {} to {}, variables {} to {}, terms {} to \
                     {}",
                    before.locations,
                    after.locations,
                    before.edges,
                    after.edges,
                    before.variables,
                    after.variables,
                    before.terms,
                    after.terms
                )
            }
            Note::Minimized { size, seconds } => write!(f, "minimized: {size} ({seconds:.3} s)"),
            Note::Ended { engine, goal, ended, figures, seconds } => {
                if let Some(goal) = goal {
                    write!(f, "property {goal}: ")?;
                }
                write!(f, "{engine}: {ended} ({seconds:.3} s)")?;
                figures.iter().try_for_each(|line| write!(f, "\n  {line}"))
            }
            Note::Checked { seconds } => write!(f, "  evidence checked in {seconds:.3} s"),
            Note::Upgraded { untouched, held, repaired, lost, proves, seconds } => {
                let what = if *proves { "a proof" } else { "no proof" };
                write!(
                    f,
                    "recall: summaries: {untouched} untouched, {held} hold, {repaired} repaired, \
                     {lost} lost; {what} ({seconds:.3} s)"
                )
            }
            Note::Recalled { count, kept, proves, seconds } => match proves {
                true => write!(f, "recall: {count} formulas are a proof ({seconds:.3} s)"),
                false => write!(f, "recall: {kept} of {count} formulas hold ({seconds:.3} s)"),
            },
            Note::TestFailed { number, seconds } => {
                write!(f, "test {number} fails ({seconds:.3} s)")
            }
        }
    }
}
