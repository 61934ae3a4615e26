//! Run-time errors that were put into correct programs (`bench/faults`) are named with their place and
//! kind, and the correct programs raise no alarm: a few of them, of each kind. All are checked, and
//! compared with what sanitizers see, by `scripts/fault-figures`, which also judges here.

use std::path::Path;
use std::process::Command;

/// Programs and numbers of faults; 0 is the correct program.
const FAULTS: &str = "queue:0,queue:1,queue:3,queue:4,queue:5,\
    states:0,states:1,states:2,states:3,message:0,message:1,message:2,message:3,message:4,\
    bitmap:0,bitmap:1,bitmap:2,bitmap:3,local:0,local:1,local:2,uninit:1,grid:3";

#[test]
fn faults_are_named_and_correct_programs_raise_no_alarm() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/fault-figures");
    let output = Command::new("python3")
        .arg(script)
        .args([env!("CARGO_BIN_EXE_cairn"), "--no-machine", "--only", FAULTS])
        .output()
        .expect("python3 runs");
    let (table, doubts) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{table}\n{doubts}");
    assert!(table.contains("| all | 18 | 0 | 18 | 0 | 0 | 0 |"), "{table}");
    assert!(table.contains("5 correct programs: 0 run clean, 5 safe"), "{table}\n{doubts}");
}
