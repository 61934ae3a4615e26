//! Sequential function charts: steps, transitions between them, and the actions of steps.

use super::{Block, Expr, Name};
use source::Span;

/// A chart. Its actions are those of the unit.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// Steps, in order.
    pub steps: Vec<Step>,
    /// Transitions, in order; this is their priority where none is written.
    pub transitions: Vec<Transition>,
    /// Statements that stand beside the chart: they are done in each cycle, before it.
    pub always: Block,
}

/// A step.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its name.
    pub name: Name,
    /// Whether the chart starts there.
    pub initial: bool,
    /// What is done while it is active.
    pub actions: Vec<Association>,
    /// Its place.
    pub span: Span,
}

/// An action of a step.
#[derive(Clone, Debug)]
pub struct Association {
    /// The action or Boolean variable.
    pub name: Name,
    /// `N`, `S`, `R`, `L`, `D`, `P`, `SD`, `DS`, `SL`, `P0`, `P1`; `N` where none is written.
    pub qualifier: Name,
    /// The time of `L`, `D`, `SD`, `DS` and `SL`.
    pub time: Option<Expr>,
    /// Variables that say that the action is done.
    pub indicators: Vec<Name>,
    /// Code that stands in the place of a named action; then the name is made up.
    pub code: Option<Block>,
    /// Its place.
    pub span: Span,
}

/// A transition.
#[derive(Clone, Debug)]
pub struct Transition {
    /// Its name.
    pub name: Option<Name>,
    /// `(PRIORITY := n)`; small numbers come first.
    pub priority: Option<Expr>,
    /// The steps that must be active.
    pub from: Vec<Name>,
    /// The steps that become active.
    pub to: Vec<Name>,
    /// When it happens.
    pub condition: Expr,
    /// Its place.
    pub span: Span,
}
