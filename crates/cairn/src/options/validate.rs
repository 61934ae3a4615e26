//! Somebody else's evidence.

use super::forms::{data_model, seconds};
use crate::build::BuildOptions;
use crate::world::Assumed;
use clap::Args;
use std::path::PathBuf;
use verify::DataModel;

/// `cairn validate`
#[derive(Args)]
pub struct Validate {
    /// The circuit, or the program
    #[arg(required_unless_present = "compile_commands")]
    pub files: Vec<PathBuf>,

    /// The certificate circuit or the trace; of a program, the SV-COMP witness, in YAML
    #[arg(long, value_name = "FILE")]
    pub witness: PathBuf,

    /// The number of the bad property that a certificate is about, where the circuit has several;
    /// of a program, what it must not violate, as for check, if it is not what the witness says
    #[arg(long, value_name = "N|NAME|FILE.prp")]
    pub property: Vec<String>,

    /// The sizes of C's types, if they are not those that the witness says
    #[arg(long, ignore_case = true, value_parser = data_model)]
    pub data_model: Option<DataModel>,

    /// How C files are compiled
    #[command(flatten)]
    pub build: BuildOptions,

    /// The function that a program starts with
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,

    /// A label of a C program that must not be reached
    #[arg(long, value_name = "NAME")]
    pub error_label: Vec<String>,

    /// What is assumed of the world around a program
    #[command(flatten)]
    pub assumed: Assumed,

    /// Print the answer alone
    #[arg(long)]
    pub quiet: bool,

    /// Print statistics on standard error
    #[arg(long)]
    pub stats: bool,

    /// The input language, where the extension does not tell
    #[arg(long)]
    pub lang: Option<String>,

    /// Give up after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<f64>,
}
