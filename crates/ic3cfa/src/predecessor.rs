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
use term::Term;

impl Engine<'_> {
    /// States before the arrow that lead into the cube.
    ///
    /// Requires: the last query to the solver of the arrow's source was satisfiable, about this
    /// arrow and cube.
    pub(crate) fn predecessor(&mut self, arrow: ArrowId, cube: &Cube) -> Result<Cube, End> {
        let pool = self.pool;
        let from = self.graph.arrows[arrow].from;
        let effect = &mut self.graph.arrows[arrow].effect;
        let mut literals = effect.wep(pool, cube.literals());
        let inputs: Vec<Term> = effect.inputs.iter().map(|(_, variable)| *variable).collect();
        if inputs.is_empty() && !self.options.case_split {
            return Ok(Cube::new(literals));
        }
        let model = self.model(from, &literals)?;
        if self.options.case_split {
            literals = decide(pool, literals, &model);
        }
        let mut literals = project(pool, literals, &inputs, &model);
        if self.options.case_split {
            literals = decide(pool, literals, &model);
        }
        Ok(Cube::new(literals))
    }
}
