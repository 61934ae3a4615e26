//! `cairn show`: a stage of a program on its way to the engines.

use crate::check::failed;
use crate::exit::Exit;
use crate::options::{Picture, Show, Stage, Tables, inputs};
use crate::output::{complain, print_all};
use horn::encode::{of_automaton, of_circuit, of_procedures};
use horn::write::system_text;
use program::minimize::minimize;
use program::print::{cfa_dot, cfa_text, procedures_text, program_dot};
use program::procedures::Procedures;
use term::Pool;
use verify::encode::{self, FIRST_DEPTH, Scope, model_of};
use verify::{Code, Failure, Rejection};

/// Prints the stage.
pub fn run(arguments: &Show, tables: Tables) -> Exit {
    match text(arguments, tables) {
        Ok(text) => {
            print_all(&text);
            Exit::Success
        }
        Err(failure) => failed(&failure, 0),
    }
}

fn text(arguments: &Show, tables: Tables) -> Result<String, Failure> {
    let sources = arguments.c.build.sources(&arguments.files).map_err(Rejection::new)?;
    sources.notes.iter().for_each(|note| complain(note));
    let language = tables.language(arguments.lang.as_deref(), &sources.files);
    let language = language.map_err(Rejection::new)?;
    let reading = arguments.c.reading(language, &sources)?;
    let (inputs, picture) = (inputs(&sources.files), arguments.format);
    if arguments.stage == Stage::Ast && picture != Picture::Chc {
        let tree = language.tree(&inputs, &reading, picture.into());
        let none = || Rejection::new(format!("{} has no syntax tree to show", language.name()));
        return Ok(tree.ok_or_else(none)??);
    }
    let task = language.read(&inputs, &reading)?;
    if let (Some(design), Picture::Chc) = (task.design(), picture) {
        let pool = Pool::new();
        return Ok(system_text(&pool, &of_circuit(&pool, &design.system)));
    }
    if let Some(clauses) = task.clauses() {
        return Ok(system_text(&clauses.pool, &clauses.system));
    }
    let Some(code) = task.code() else {
        let message = format!("{} has no stages to show", language.name());
        return Err(Rejection::new(message).into());
    };
    stage(code, arguments)
}

/// The clauses of the procedures of a program.
fn procedure_clauses(procedures: &Procedures, pool: &Pool) -> Result<String, Failure> {
    let encoded = of_procedures(pool, procedures);
    let encoded = encoded.map_err(|error| Rejection::new(error.to_string()))?;
    Ok(system_text(pool, &encoded.readable(pool)))
}

/// A stage of a program.
fn stage(code: &Code, arguments: &Show) -> Result<String, Failure> {
    let (program, pool) = (&code.program, &code.program.pool);
    let settings = arguments.c.settings();
    let cfa = match (arguments.stage, arguments.format) {
        (Stage::Ast | Stage::Program, Picture::Text) => return Ok(ivl::print(program)),
        (Stage::Ast | Stage::Program, Picture::Dot) => return Ok(program_dot(program)),
        // Clauses are of the automaton, unless the stage keeps calls.
        (Stage::Procedures, _) => {
            let options = encode::options(&settings, &code.properties);
            let procedures = program::procedures::procedures(program, &options);
            let procedures = procedures.map_err(|error| encode::refusal(&error))?;
            if arguments.format == Picture::Chc {
                return procedure_clauses(&procedures, pool);
            }
            return Ok(procedures_text(&procedures, pool));
        }
        (Stage::Cfa | Stage::Lbe, _) | (Stage::Ast | Stage::Program, Picture::Chc) => {
            let scope = Scope::Fitting;
            let model = model_of(program, &code.properties, &settings, FIRST_DEPTH, scope);
            model.map_err(|error| encode::refusal(&error))?.cfa
        }
    };
    let cfa = match arguments.stage {
        Stage::Lbe => minimize(pool, &cfa, &settings.minimization()).cfa,
        _ => cfa,
    };
    Ok(match arguments.format {
        Picture::Text => cfa_text(&cfa, pool),
        Picture::Dot => cfa_dot(&cfa, pool),
        Picture::Chc => system_text(pool, &of_automaton(pool, &cfa)),
    })
}
