//! What leaves the tool of a coverage report, for small controllers whose vectors are random runs: vectors
//! that gcc compiles and runs, lines that gcov sees, a page that Chromium shows.

use answer::{EngineName, Reason, Unit};
use coverage::goal::{Goal, Kind, What, goals};
use coverage::report::{Judged, Report};
use coverage::status::{Evidence, Exclusion, How, Open, Status, Witness};
use coverage::suite::{Suite, Vector};
use front_c::lower::Nonnull;
use program::counterexample::Watched;
use program::coverage::Map;
use program::interpret::{Effect, Interpreter, Limits, Random, Step};
use report::coverage::{Subject, csv, html, junit, suite, vectors};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use verify::languages::C;
use verify::task::{Caller, Cycle};
use verify::{DataModel, Input, Language, Reading, Task};

/// A controller with a step function.
const STEPPED: &str = "\
#include <math.h>
static float level;
int faults;
static struct out { float angle; unsigned char mode; } out;
extern int sensor(void);
void start(void) { level = 10.0f; out.mode = 1; }
void step(float rate, int enable)
{
    int seen = rate > 0.0f ? sensor() & 7 : 5;
    if (enable > 0 && rate > -1.0f && rate < 1.0f)
        level += rate;
    else if (faults < 3)
        faults++;
    if (level > 100.0f)
        level = 100.0f;
    switch (seen) {
    case 0: out.mode = 0; break;
    case 1: case 2: out.mode = 2; break;
    default: out.mode ^= 1; break;
    }
    out.angle = sinf(level) * 0.5f;
    if (level < -5000.0f) {
        out.mode = 9;
    }
}
";

/// One with a `main` of its own.
const HARNESSED: &str = "\
extern float __VERIFIER_nondet_float(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
static int state, timer;
double sum;
static void step(float x, unsigned char command)
{
    if (state == 0 && command > 100) { state = 1; timer = 0; }
    else if (state == 1) {
        timer++;
        if (timer > 3 || x < 0.0f) state = 2;
    } else if (state == 2 && command < 50) state = 0;
    sum += state;
}
int main(void)
{
    for (;;) {
        float x = __VERIFIER_nondet_float();
        unsigned char command = __VERIFIER_nondet_uchar();
        __VERIFIER_assume(x >= 0.0f || x < 0.0f || x != x);
        step(x, command);
    }
}
";

/// One that reads what somebody else changes: by name, through a pointer, at the address of a device.
const VOLATILE: &str = "\
extern unsigned char __VERIFIER_nondet_uchar(void);
volatile int port;
static const volatile short calibration = 3;
static volatile struct { unsigned char low; int high; } device;
static volatile unsigned char *where = &device.low;
int sum, count;
static int twice(int a, int b) { return 2 * a + b; }
static void step(void)
{
    if (port > 100 && calibration != 3) count++;
    /* Compilers differ in which argument comes first. */
    sum = twice(port & 15, __VERIFIER_nondet_uchar() & 3) - port % 7;
    sum += *where + device.high % 5;
    port = sum;
    if (*(volatile unsigned *)0x40010000 > 7) count += 2;
    *(volatile unsigned *)0x40010004 = 1;
}
int main(void)
{
    for (;;) step();
}
";

/// One whose step takes structs and pointers.
const POINTED: &str = "\
struct range { short low; float high; };
struct state { int n; unsigned char last[2]; };
int out;
void start(struct state *s) { s->n = 1; s->last[0] = 2; s->last[1] = 0; }
void step(const struct range *r, struct state *s, struct range by, /* , */ const int v[2], unsigned flags)
{
    s->n = s->n * 3 % 1000 + 1;
    s->last[s->n & 1] = (unsigned char)flags;
    if (r->low > by.low && v[0] != 7) out++;
    if (r->high > by.high) out += s->last[0];
    if (flags & 4) out = s->n;
}
";

/// All, and whether they have a step function.
const ALL: [(&str, &str, bool); 4] = [
    ("step", STEPPED, true),
    ("main", HARNESSED, false),
    ("volatile", VOLATILE, false),
    ("pointers", POINTED, true),
];

/// How many cycles a vector has.
const CYCLES: usize = 12;
const VECTORS: usize = 6;

struct Case {
    folder: PathBuf,
    task: Task,
    map: Map,
}

impl Case {
    fn new(name: &str, text: &str, stepped: bool) -> Case {
        let folder =
            std::env::temp_dir().join(format!("cairn-report-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("there is room");
        let path = folder.join("controller.c");
        std::fs::write(&path, text).expect("there is room");
        let cycle = stepped.then(|| Cycle { init: Some("start".into()), inputs: Vec::new() });
        let reading = Reading {
            properties: BTreeSet::new(),
            entry: if stepped { "step" } else { "main" }.into(),
            data_model: DataModel::Lp64,
            caller: Caller { cycle, nonnull: Nonnull::All, ..Caller::default() },
            ..Reading::default()
        };
        let inputs = [Input::File(path)];
        let (task, map) =
            C.read_covered(&inputs, &reading).expect("C is covered").expect("it is a program");
        Case { folder, task, map }
    }

    /// A report whose vectors are random runs.
    fn report(&self) -> Report {
        let program = &self.task.code().expect("it is a program").program;
        let mut suite = Suite::default();
        let mut points: BTreeMap<usize, Witness> = BTreeMap::new();
        for seed in 0..VECTORS {
            let seen: Rc<RefCell<Vec<(usize, usize)>>> = Rc::default();
            let (vector, cycle_of) = run(program, &self.map, seed as u64, &seen);
            for (point, taken) in seen.borrow().iter() {
                let cycle = cycle_of(*taken);
                points.entry(*point).or_insert(Witness { vector: seed, cycle, values: 0 });
            }
            suite.vectors.push(vector);
        }
        let kinds = Kind::ALL.into();
        let judged = goals(&self.map, &kinds)
            .into_iter()
            .map(|goal| Judged { status: status(&goal, &points), goal });
        let goals: Vec<Judged> = judged.collect();
        for (number, judged) in goals.iter().enumerate() {
            if let Status::Covered(Evidence::Run(witness)) = &judged.status {
                suite.vectors[witness.vector].goals.push(number);
            }
        }
        Report {
            goals,
            suite,
            assumptions: program.assumptions.clone(),
            runs: (VECTORS as u64, (VECTORS * CYCLES) as u64),
            seconds: 1.5,
            ..Report::empty(self.map.clone())
        }
    }

    fn subject<'a>(&'a self, report: &'a Report) -> Subject<'a> {
        Subject::new(&self.task, report).expect("it is a program")
    }
}

impl Drop for Case {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn status(goal: &Goal, points: &BTreeMap<usize, Witness>) -> Status {
    match goal.what {
        What::Point(point) if points.contains_key(&point) => {
            Status::Covered(Evidence::Run(points[&point]))
        }
        What::Point(_) => {
            Status::Infeasible(Exclusion { how: How::Proved, proof: None, ends: None })
        }
        _ => Status::Open(Open {
            reason: Reason::NoEngine,
            reached: vec![(EngineName::new("bmc"), 12, Unit::Steps)],
            half: false,
        }),
    }
}

/// A random run of some cycles: its vector, and which cycle an input belongs to.
fn run<'p>(
    program: &'p program::Program,
    map: &Map,
    seed: u64,
    seen: &Rc<RefCell<Vec<(usize, usize)>>>,
) -> (Vector, impl Fn(usize) -> usize + 'p) {
    let mut oracle = Watched::new(program, Random::new(seed + 1));
    let notes = oracle.clone();
    let (begins, reached) = (Rc::new(RefCell::new(Vec::new())), map.reached);
    let (marks, events) = (begins.clone(), seen.clone());
    let mut called = 0;
    let stop = answer::Interrupt::new();
    let over = stop.clone();
    let mut listener = |step: &Step<'_>| {
        let taken = notes.notes().taken.len();
        match &step.effect {
            Effect::Assigned(id, term::Value::Bits(bits)) if Some(*id) == reached => {
                let point = bits.to_u64().expect("points are few") as usize;
                events.borrow_mut().push((point, taken));
            }
            Effect::Called(function, _) if &*program.functions[*function].name == "step" => {
                called += 1;
                if called > CYCLES {
                    over.raise();
                }
            }
            Effect::Returned(function, _) if &*program.functions[*function].name == "step" => {
                marks.borrow_mut().push(taken);
            }
            _ => {}
        }
    };
    let allowance = answer::Allowance::interruptible(stop);
    let limits = Limits { steps: 20_000, allowance, ..Limits::default() };
    let interpreter = Interpreter::new(program).expect("it is well-formed").with_limits(limits);
    let _ = interpreter.watch(&mut oracle, &mut listener);
    let notes = oracle.notes();
    let mut cycles = vec![0];
    cycles.extend(begins.borrow().iter().copied().take(CYCLES - 1));
    let ends: Vec<usize> = cycles.iter().skip(1).copied().collect();
    let last = begins.borrow().get(CYCLES - 1).copied().unwrap_or(notes.taken.len());
    let mut inputs = notes.taken;
    inputs.truncate(last);
    let vector = Vector { inputs, cycles, choices: notes.choices, goals: Vec::new() };
    (vector, move |taken: usize| ends.iter().filter(|end| **end < taken).count())
}

fn gcc(folder: &Path, arguments: &[&str]) {
    let output = Command::new("gcc").current_dir(folder).args(arguments).output().expect("gcc");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "gcc {arguments:?}: {text}");
}

/// Compiles and runs the suite; gives what it says.
fn run_suite(case: &Case, text: &str, flags: &[&str]) -> (bool, String) {
    std::fs::write(case.folder.join("suite.c"), text).expect("there is room");
    let fixed = ["-w", "-O0", "-ffp-contract=off", "-fwrapv", "-c", "suite.c", "-o", "suite.o"];
    // As the first lines of the suite say.
    let telling = ["-fsanitize=thread", "--param", "tsan-distinguish-volatile=1"];
    let telling = if text.contains(telling[0]) { &telling[..] } else { &[] };
    gcc(&case.folder, &[flags, telling, &fixed].concat());
    gcc(&case.folder, &[flags, &["suite.o", "-o", "suite", "-lm"]].concat());
    let output = Command::new(case.folder.join("suite")).current_dir(&case.folder).output();
    let output = output.expect("it was just compiled");
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn suites_run_and_check() {
    for (name, text, stepped) in ALL {
        let case = Case::new(&format!("suite-{name}"), text, stepped);
        let report = case.report();
        let subject = case.subject(&report);
        let suite = suite(&subject).expect("it can be driven");
        let (passed, said) = run_suite(&case, &suite, &[]);
        assert!(passed, "{name}: {said}");
        assert!(said.contains(&format!("{VECTORS} of {VECTORS} vectors passed")), "{said}");
        // Another program does not pass.
        let other = text.replace("faults++", "faults += 2").replace("sum += ", "sum += 2 + ");
        let other = other.replace("out++", "out += 2");
        assert_ne!(other, text);
        std::fs::write(case.folder.join("controller.c"), other).expect("there is room");
        let (passed, said) = run_suite(&case, &suite, &[]);
        assert!(!passed && said.contains("not as expected"), "{name}: {said}");
    }
}

/// What gcov counts: the executions of lines.
fn gcov(case: &Case) -> BTreeMap<u32, u64> {
    let output = Command::new("gcov")
        .current_dir(&case.folder)
        .args(["--json-format", "--stdout", "suite"])
        .output()
        .expect("gcov comes with gcc");
    let text = String::from_utf8_lossy(&output.stdout);
    let json: serde_json::Value = serde_json::from_str(text.trim()).expect("it is JSON");
    let mut counts = BTreeMap::new();
    for file in json["files"].as_array().expect("files") {
        if !file["file"].as_str().is_some_and(|name| name.ends_with("controller.c")) {
            continue;
        }
        for line in file["lines"].as_array().expect("lines") {
            let number = line["line_number"].as_u64().expect("a number") as u32;
            *counts.entry(number).or_default() += line["count"].as_u64().expect("a count");
        }
    }
    counts
}

/// Lines of covered statements are executed by the compiled vectors, and no others of the goals.
#[test]
fn gcov_confirms_what_is_covered() {
    for (name, text, stepped) in ALL {
        let case = Case::new(&format!("gcov-{name}"), text, stepped);
        let report = case.report();
        let suite = suite(&case.subject(&report)).expect("it can be driven");
        let (passed, said) = run_suite(&case, &suite, &["--coverage"]);
        assert!(passed, "{name}: {said}");
        let counts = gcov(&case);
        let statements = report.goals.iter().filter(|j| j.goal.kind == Kind::Statement);
        let mut lines: BTreeMap<u32, bool> = BTreeMap::new();
        for judged in statements {
            let covered = matches!(judged.status, Status::Covered(_));
            *lines.entry(judged.goal.place().line).or_default() |= covered;
        }
        assert!(lines.values().any(|covered| *covered), "{name}: nothing is covered");
        for (line, covered) in lines {
            let Some(count) = counts.get(&line) else { continue };
            assert_eq!(*count > 0, covered, "{name}: line {line} was executed {count} times");
        }
    }
}

#[test]
fn tables_and_documents_have_all_vectors() {
    let case = Case::new("tables", STEPPED, true);
    let report = case.report();
    let subject = case.subject(&report);
    let table = csv(&subject);
    let mut lines = table.split("\r\n");
    // What is not taken in the first cycle has a column all the same.
    let mut columns: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    columns.sort_unstable();
    assert_eq!(
        columns,
        ["'faults' after sensor()", "cycle", "enable", "rate", "sensor()", "vector"]
    );
    assert_eq!(table.split("\r\n").filter(|line| !line.is_empty()).count(), 1 + VECTORS * CYCLES);
    let json: serde_json::Value = serde_json::from_str(&vectors(&subject)).expect("it is JSON");
    let all = json["vectors"].as_array().expect("vectors");
    assert_eq!(all.len(), VECTORS);
    assert_eq!(all[0]["cycles"].as_array().map(Vec::len), Some(CYCLES));
    // What the program computes itself is no input.
    assert!(!table.contains("sinf") && !vectors(&subject).contains("sinf"));
    let xml = junit(&subject).expect("there is memory");
    let counts = report.counts(None);
    assert_eq!(xml.matches("<testcase ").count(), counts.all());
    assert_eq!(xml.matches("<failure ").count(), counts.open);
    assert_eq!(xml.matches("<skipped ").count(), counts.infeasible);
}

/// Chromium, if there is one.
fn chromium() -> Option<&'static str> {
    let found = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    });
    if found.is_none() {
        eprintln!("skipped: there is no Chromium (Debian's package chromium)");
    }
    found
}

fn browse(browser: &str, case: &Case, page: &Path, arguments: &[&str]) -> String {
    let fixed = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--hide-scrollbars",
    ];
    let output = Command::new(browser)
        .args(fixed)
        .arg(format!("--user-data-dir={}", case.folder.join("profile").display()))
        .args(arguments)
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("it was found");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_page_is_shown_by_a_browser() {
    let Some(browser) = chromium() else { return };
    let case = Case::new("page", STEPPED, true);
    let report = case.report();
    let page = html(&case.subject(&report));
    let path = case.folder.join("index.html");
    std::fs::write(&path, &page).expect("there is room");
    let shown = browse(browser, &case, &path, &["--dump-dom"]);
    let all = report.goals.len();
    assert!(shown.contains(&format!("<label id=\"shown\">{all} of {all}</label>")), "{shown}");
    assert_eq!(shown.matches("<tr id=").count(), all);
    assert!(shown.contains("level += rate;"));
    let picture = case.folder.join("page.png");
    let argument = format!("--screenshot={}", picture.display());
    browse(browser, &case, &path, &[&argument, "--window-size=1280,2400"]);
    let bytes = std::fs::read(&picture).expect("Chromium has made a picture");
    assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 20_000, "{} bytes", bytes.len());
    if let Ok(keep) = std::env::var("CAIRN_KEEP_PAGE") {
        std::fs::copy(&picture, Path::new(&keep).join("page.png")).expect("there is room");
        std::fs::copy(&path, Path::new(&keep).join("index.html")).expect("there is room");
    }
}

/// Texts of a program can't become elements of the page.
#[test]
fn texts_stay_texts() {
    let text = "int x; /* <script>alert(1)</script> & \"q\" */\nint main(void) { if (x < 3 && x > 1) x = 2; return 0; }\n";
    let case = Case::new("escape", text, false);
    let report = case.report();
    let page = html(&case.subject(&report));
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;q&quot;"));
    assert_eq!(page.matches("<script>").count(), 1);
}
