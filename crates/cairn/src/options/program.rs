//! How programs are read and modelled.

use super::forms::data_model;
use super::st;
use crate::build::{BuildOptions, Sources};
use crate::caller::CallerOptions;
use crate::world::World;
use clap::Args;
use program::Property;
use program::minimize::Pass;
use std::collections::BTreeSet;
use verify::{DataModel, Language, Reading, Rejection, Settings, Undefined, property};

/// How C programs are read.
#[derive(Args, Clone)]
pub struct CProgram {
    /// What a program must not violate: a name (reach, assert, overflow, div0, shift, bounds,
    /// pointer, free, uninit, overlap, return, promise, float, memcleanup, memtrack; dead-code alone), several
    /// with commas, or an SV-COMP property file; without it, all of these up to promise, each check
    /// with an answer of its own
    #[arg(long, value_name = "NAME|FILE.prp")]
    pub property: Vec<String>,

    /// The sizes of C's types, if they are not those of the machine's compiler
    #[arg(long, ignore_case = true, value_parser = data_model)]
    pub data_model: Option<DataModel>,

    /// How C files are compiled
    #[command(flatten)]
    pub build: BuildOptions,

    /// The function that a program starts with
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,

    /// What is assumed of whoever calls it
    #[command(flatten)]
    pub caller: CallerOptions,

    /// Let contracts of functions stand for calls of them, and invariants for loops
    #[arg(long)]
    pub contracts: bool,

    /// A label of a C program that must not be reached
    #[arg(long, value_name = "NAME")]
    pub error_label: Vec<String>,

    /// What undefined behaviour is taken for
    #[command(flatten)]
    pub world: World,

    /// How programs of controllers are read, and what has to hold of their cycles
    #[command(flatten)]
    pub st: st::Cyclic,

    /// Model only what the property depends on, also of small programs
    #[arg(long)]
    pub cone: bool,

    /// Leave out a pass of the minimization (cone, initialized, pointers, prune, slice, blocks,
    /// substitute, propagate, bisimulation)
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = pass)]
    pub without_pass: Vec<Pass>,
}

impl CProgram {
    /// How files in a language are read.
    pub fn reading(
        &self,
        language: &dyn Language,
        sources: &Sources,
    ) -> Result<Reading, Rejection> {
        let usual = || language.data_model(&sources.files, &sources.build);
        let inputs = self.inputs(language)?;
        Ok(Reading {
            properties: self.properties().map_err(Rejection::new)?,
            entry: self.caller.entry(&self.entry).to_owned(),
            error_labels: self.error_label.clone(),
            undefined: self.undefined(),
            data_model: self.data_model.map_or_else(usual, Ok)?,
            build: sources.build.clone(),
            caller: self.caller.caller(),
            contracts: self.contracts,
            world: self.world.assumed.world(property::names_file(&self.property)),
            st: self.st.all_settings(&self.property, inputs)?,
        })
    }

    /// The names of the inputs of a program in Structured Text. What is said of another kind of program
    /// than there is, is a mistake.
    fn inputs(&self, language: &dyn Language) -> Result<Vec<String>, Rejection> {
        let (inputs, cyclic) = (&self.caller.input, language.option() == "st");
        let wrong = |message: &str| Err(Rejection::new(message));
        if !cyclic && self.st.is_given() {
            return wrong(
                "--assertion, --pattern, --reachable, --cycles, --watchdog and --dialect are for \
                 programs in Structured Text; --property names what must hold of others",
            );
        }
        if cyclic && inputs.iter().any(|input| input.range.is_some()) {
            return wrong("inputs of Structured Text have the ranges of their types: --input NAME");
        }
        match cyclic {
            true => Ok(inputs.iter().map(ToString::to_string).collect()),
            false if !inputs.is_empty() && self.caller.step.is_none() => {
                wrong("--input names what takes new values in each step: name the step with --step")
            }
            false => Ok(Vec::new()),
        }
    }

    /// What must hold: what is named, and that runs are defined if that is to be checked.
    fn properties(&self) -> Result<BTreeSet<Property>, String> {
        let mut properties = property::parse(&self.property)?;
        if self.undefined() == Undefined::Checked {
            properties.extend(Property::DEFINED);
        }
        Ok(properties)
    }

    /// What undefined behaviour is taken for.
    pub(super) fn undefined(&self) -> Undefined {
        self.world.undefined(&self.property)
    }

    /// How programs are modelled.
    pub fn settings(&self) -> Settings {
        let (without, slice) = (self.without_pass.clone(), self.cone);
        Settings { without, slice, ..Settings::default() }
    }
}

/// A data model by its name.
/// A pass by its name.
fn pass(name: &str) -> Result<Pass, String> {
    Pass::named(name).ok_or_else(|| {
        let names: Vec<&str> = Pass::ALL.iter().map(|pass| pass.name()).collect();
        format!("there is no such pass; there are {}", names.join(", "))
    })
}
