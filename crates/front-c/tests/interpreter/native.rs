//! gcc's results for random programs: many in one file, as starting gcc costs more than
//! compiling a program.

use super::generate::PRELUDE;
use front_c::types::DataModel;
use std::process::Command;

/// Wrapping arithmetic, and floats of their own precision.
fn flags(model: DataModel) -> &'static [&'static str] {
    match model {
        DataModel::Lp64 => &["-m64"],
        DataModel::Ilp32 => &["-m32", "-msse2", "-mfpmath=sse"],
    }
}

/// The checksums of the programs, whose names have the given prefixes.
pub fn checksums(programs: &[(String, String)], model: DataModel) -> Result<Vec<u64>, String> {
    let mut text = String::from(PRELUDE);
    text.push_str("int printf(const char *, ...);\n");
    programs.iter().for_each(|(_, program)| text.push_str(program));
    text.push_str("int main(void)\n{\n");
    for (prefix, _) in programs {
        text.push_str(&format!("    printf(\"%llu\\n\", {prefix}run());\n"));
    }
    text.push_str("    return 0;\n}\n");
    let output = run(&text, model)?;
    let numbers = output.lines().map(|line| line.parse().map_err(|e| format!("{line}: {e}")));
    let numbers: Vec<u64> = numbers.collect::<Result<_, _>>()?;
    match numbers.len() == programs.len() {
        true => Ok(numbers),
        false => Err(format!("{} results for {} programs", numbers.len(), programs.len())),
    }
}

fn run(text: &str, model: DataModel) -> Result<String, String> {
    let directory = tempfile()?;
    let (source, binary) = (directory.join("program.c"), directory.join("program"));
    let result = (|| {
        std::fs::write(&source, text).map_err(|e| e.to_string())?;
        let mut gcc = Command::new("gcc");
        gcc.args(["-w", "-std=gnu11", "-O0", "-fwrapv", "-ffp-contract=off"]).args(flags(model));
        // Otherwise gcc (12.2 for one) turns 0.0 - (double)n into a negation, which differs in the
        // sign if n is zero.
        gcc.arg("-frounding-math");
        let built = gcc.arg(&source).arg("-o").arg(&binary).output().map_err(|e| e.to_string())?;
        if !built.status.success() {
            return Err(String::from_utf8_lossy(&built.stderr).into_owned());
        }
        let output = Command::new(&binary).output().map_err(|e| e.to_string())?;
        if !output.status.success() {
            return Err(output.status.to_string());
        }
        String::from_utf8(output.stdout).map_err(|e| e.to_string())
    })();
    let _ = std::fs::remove_dir_all(&directory);
    result
}

/// A directory of its own.
fn tempfile() -> Result<std::path::PathBuf, String> {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("interpreter-{}-{number}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&directory).map_err(|e| e.to_string())?;
    Ok(directory)
}
