//! Predecessors: from a cube after an arrow to a cube before it ([Lan18 §4.2.1]).
//!
//! Without havocs the weakest existential precondition is exact, whatever the model. Inputs are
//! eliminated with the help of the model ([`crate::project`]); what is left is a cube from which
//! every state leads by the arrow into the cube after, for some inputs: less than all such
//! states, but those of the model are among them, so the search makes progress.

use crate::cases::decide;
use crate::cube::Cube;
use crate::engine::{End, Engine};
use crate::graph::ArrowId;
use crate::project::project;
use crate::strategy::Predecessors;
use program::execute::Values;
use program::wep::Effect;
use term::{Pool, Term};

/// The solver that has the model of a query.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ModelOf {
    /// That of the arrow's source.
    Source,
    /// That of all arrows into the node where the arrow leads.
    AllArrows,
}

impl Engine<'_> {
    /// States before the arrow that lead into the cube.
    ///
    /// Requires: the last query to the solver named was satisfiable, about this arrow and cube.
    pub(crate) fn predecessor(
        &mut self,
        arrow: ArrowId,
        cube: &Cube,
        model: ModelOf,
    ) -> Result<Cube, End> {
        let pool = self.pool;
        let (from, to) = (self.graph.arrows[arrow].from, self.graph.arrows[arrow].to);
        let effect = &mut self.graph.arrows[arrow].effect;
        let literals = effect.wep(pool, cube.literals());
        let form = self.strategy.predecessors;
        if effect.inputs.is_empty() && form == Predecessors::Conjuncts {
            return Ok(Cube::new(literals));
        }
        let model = match model {
            ModelOf::Source => self.model(from, &literals)?,
            ModelOf::AllArrows => self.joint_model(to, &literals)?,
        };
        let effect = &self.graph.arrows[arrow].effect;
        Ok(cube_of_states(pool, effect, literals, &model, form))
    }
}

/// A cube without inputs that implies the literals of a precondition for some inputs, and holds
/// in the model.
///
/// Requires: the literals hold in the model.
pub(crate) fn cube_of_states(
    pool: &Pool,
    effect: &Effect,
    literals: Vec<Term>,
    model: &Values,
    form: Predecessors,
) -> Cube {
    let inputs: Vec<Term> = effect.inputs.iter().map(|(_, variable)| *variable).collect();
    let simple = |literals| match form {
        Predecessors::Conjuncts => literals,
        Predecessors::Cases => decide(pool, literals, model),
    };
    Cube::new(simple(project(pool, simple(literals), &inputs, model)))
}
