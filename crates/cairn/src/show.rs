//! `cairn show`: a stage of a program on its way to the engines.

use crate::check::failed;
use crate::exit::Exit;
use crate::options::{Picture, Show, Stage, Tables, inputs};
use crate::output::{complain, print_all};
use program::minimize::minimize;
use program::print::{cfa_dot, cfa_text, procedures_text, program_dot};
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
    if arguments.stage == Stage::Ast {
        let tree = language.tree(&inputs, &reading, picture.into());
        let none = || Rejection::new(format!("{} has no syntax tree to show", language.name()));
        return Ok(tree.ok_or_else(none)??);
    }
    let task = language.read(&inputs, &reading)?;
    let Some(code) = task.code() else {
        let message = format!("{} has no stages to show", language.name());
        return Err(Rejection::new(message).into());
    };
    stage(code, arguments)
}

/// A stage of a program.
fn stage(code: &Code, arguments: &Show) -> Result<String, Failure> {
    let (program, pool) = (&code.program, &code.program.pool);
    let settings = arguments.c.settings();
    let cfa = match (arguments.stage, arguments.format) {
        (Stage::Ast | Stage::Program, Picture::Text) => return Ok(ivl::print(program)),
        (Stage::Ast | Stage::Program, Picture::Dot) => return Ok(program_dot(program)),
        (Stage::Procedures, _) => {
            let options = encode::options(&settings, &code.properties);
            let procedures = program::procedures::procedures(program, &options);
            let procedures = procedures.map_err(|error| encode::refusal(&error))?;
            return Ok(procedures_text(&procedures, pool));
        }
        (Stage::Cfa | Stage::Lbe, _) => {
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
    })
}
