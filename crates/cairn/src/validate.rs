//! `cairn validate`: checks somebody's certificate or trace of a circuit, or witness of a program.

use crate::build::Sources;
use crate::check::failed;
use crate::exit::Exit;
use crate::limits::{LastResort, Watch};
use crate::options::{Tables, Validate, inputs};
use crate::output::{complain, leave, print};
use ::validate::circuit::{self, Shown};
use ::validate::program::{Request, validate};
use ::validate::{Validated, Validity};
use answer::Exhausted;
use report::text;
use std::time::Duration;
use verify::{Budget, Failure, Language, Limits, Listener, Note, Reading, Rejection, property};

/// Checks the witness and prints what it shows.
pub fn run(arguments: &Validate, tables: Tables) -> Exit {
    let time = arguments.time_limit.map(Duration::from_secs_f64);
    let watch = Watch::start(&Limits { time, ..Limits::default() });
    let sources = arguments.build.sources(&arguments.files);
    let told = sources.and_then(|sources| {
        Ok((tables.language(arguments.lang.as_deref(), &sources.files)?, sources))
    });
    let (language, sources) = match told {
        Ok(told) => told,
        Err(message) => {
            complain(&message);
            return Exit::Input;
        }
    };
    sources.notes.iter().for_each(|note| complain(note));
    match language.has_programs() {
        true => of_program(arguments, &sources, language, &watch),
        false => of_circuit(arguments, language, &watch),
    }
}

/// Says figures, if they are wanted.
struct Figures(bool);

impl Listener for Figures {
    fn note(&mut self, note: &Note<'_>) {
        if self.0 {
            complain(&note.to_string());
        }
    }
}

fn of_program(
    arguments: &Validate,
    sources: &Sources,
    language: &dyn Language,
    watch: &Watch,
) -> Exit {
    let late = |what| format!("witness: unknown ({what})");
    let last_resort = LastResort::beyond(watch, late, Exit::Unknown);
    let validated = request(arguments, sources, watch)
        .and_then(|request| validate(&request, &mut Figures(arguments.stats)));
    let Validated { validity, run, workers } = match validated {
        Ok(validated) => validated,
        Err(Failure::Rejected(_)) if watch.is_interrupted() => {
            last_resort.answer(|| print(&late(Exhausted::Interrupted)));
            return Exit::Unknown;
        }
        Err(failure) => return failed(&failure, 0),
    };
    if let Some(run) = run.filter(|_| !arguments.quiet) {
        text::run(language, &run).iter().for_each(|line| print(line));
    }
    last_resort.answer(|| print(&format!("witness: {validity}")));
    let exit = match validity {
        Validity::Valid => Exit::Success,
        Validity::Invalid(_) => Exit::Unsafe,
        Validity::Unknown(_) => Exit::Unknown,
    };
    // Engines that are still at work end with the process.
    std::mem::forget(workers);
    leave(exit)
}

fn request(arguments: &Validate, sources: &Sources, watch: &Watch) -> Result<Request, Failure> {
    let name = arguments.witness.display().to_string();
    let text = std::fs::read_to_string(&arguments.witness)
        .map_err(|error| Rejection::new(format!("{name}: {error}")))?;
    let properties = match &arguments.property[..] {
        [] => None,
        named => Some(property::parse(named).map_err(Rejection::new)?),
    };
    Ok(Request {
        inputs: inputs(&sources.files),
        witness: (name, text),
        properties,
        data_model: arguments.data_model.or(arguments.build.data_model()),
        build: sources.build.clone(),
        entry: arguments.entry.clone(),
        error_labels: arguments.error_label.clone(),
        // Witnesses are SV-COMP's.
        world: arguments.assumed.world(true),
        limits: watch.limits(),
    })
}

fn of_circuit(arguments: &Validate, language: &'static dyn Language, watch: &Watch) -> Exit {
    let late = |what| format!("verdict: unknown ({what})");
    let last_resort = LastResort::beyond(watch, late, Exit::Unknown);
    match shown(arguments, language, watch) {
        Ok(shown) => {
            last_resort.answer(|| print(&format!("verdict: {shown}")));
            match shown {
                Shown::Safe => Exit::Success,
                Shown::Unsafe => Exit::Unsafe,
                Shown::Nothing(_) => Exit::Unknown,
            }
        }
        Err(rejection) => failed(&rejection.into(), 0),
    }
}

fn shown(
    arguments: &Validate,
    language: &'static dyn Language,
    watch: &Watch,
) -> Result<Shown, Rejection> {
    let [path] = &arguments.files[..] else {
        return Err(Rejection::new("a witness of a circuit is about one circuit"));
    };
    let file = path.display().to_string();
    let property = match &arguments.property[..] {
        [] => None,
        [number] => Some(number.parse::<usize>().map_err(|_| {
            let why = "a property of a circuit is named by its number";
            Rejection::new(format!("{file}: {why}, not by {number}"))
        })?),
        _ => return Err(Rejection::new(format!("{file}: a certificate is about one property"))),
    };
    let task = language.read(&inputs(&arguments.files), &Reading::default())?;
    let name = arguments.witness.display().to_string();
    let bytes = std::fs::read(&arguments.witness)
        .map_err(|error| Rejection::new(format!("{name}: {error}")))?;
    let Some(design) = task.design() else {
        return Err(Rejection::new(format!("{file}: this is no circuit")));
    };
    let budget = Budget::start(&watch.limits());
    circuit::validate(design, property, &file, (&name, &bytes), &budget.allowance)
}
