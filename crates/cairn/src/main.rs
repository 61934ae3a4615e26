//! The tool: the command line with all languages and engines.

use cairn::options::Tables;
use std::process::ExitCode;

/// Terms, cubes and clauses are many small things that come and go; the system's allocator took a
/// fifth of the time of minimizing a large program.
#[global_allocator]
static ALLOCATOR: cairn::allocator::Allocator = cairn::allocator::Allocator;

fn main() -> ExitCode {
    cairn::run(Tables { languages: verify::LANGUAGES, engines: verify::ENGINES })
}
