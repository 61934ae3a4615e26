//! What is shown of a program.

use super::CProgram;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use verify::language::Picture as GraphPicture;

/// `cairn show`
#[derive(Args)]
pub struct Show {
    /// The program
    #[arg(required_unless_present = "compile_commands")]
    pub files: Vec<PathBuf>,

    /// The input language, where the extension does not tell
    #[arg(long)]
    pub lang: Option<String>,

    /// How programs are read and modelled
    #[command(flatten)]
    pub c: CProgram,

    /// How far to go
    #[arg(long, value_enum, default_value_t = Stage::Program)]
    pub stage: Stage,

    /// How to print it
    #[arg(long, value_enum, default_value_t = Picture::Text)]
    pub format: Picture,
}

/// Stages of a program on its way to the engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Stage {
    /// The typed syntax tree
    Ast,
    /// Functions of instructions, as the interpreter runs them, in a language that check reads (.ivl)
    Program,
    /// One automaton a function, calls kept, memory as variables
    Procedures,
    /// The control-flow automaton: calls inlined, memory as variables
    Cfa,
    /// The automaton after minimization and large-block encoding, as the engines see it
    Lbe,
}

/// Ways to print a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Picture {
    /// For reading
    Text,
    /// For Graphviz
    Dot,
    /// As constrained Horn clauses in SMT-LIB
    Chc,
}

impl From<Picture> for GraphPicture {
    fn from(picture: Picture) -> Self {
        match picture {
            Picture::Text | Picture::Chc => GraphPicture::Text,
            Picture::Dot => GraphPicture::Dot,
        }
    }
}
