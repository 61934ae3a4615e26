//! Runs that go on from saved states are runs of the program, and a solver finds what chance does not.

use answer::Allowance;
use coverage::directed::Directed;
use coverage::explore::Explorer;
use coverage::probes::{Event, Probed};
use coverage::prove::{Answered, Prover};
use program::program::Cause;
use std::time::{Duration, Instant};
use term::Value;
use value::Bits;
use verify::languages::C;
use verify::{DataModel, Input, Language, Limits, Reading, Settings};

/// A controller with memory of all kinds: arrays, a pointer into one, an object on the heap, a static
/// variable of a function, and an object of its main function that somebody has the address of.
const KINDS: &str = "
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
extern void *malloc(unsigned long);
static unsigned char ring[8];
static unsigned char *head = ring;
static int seen;
static int filter(int x) { static int old = 3; int y = (old + x) / 2; old = y; return y; }
static void step(unsigned char u, int *count, int *most)
{
    *head = u;
    head = head == ring + 7 ? ring : head + 1;
    int y = filter(u);
    if (y > *most)
        *most = y;
    if (u == 7 || u == 9)
        ++*count;
    if (*count > 12 && *most > 60)
        seen = 1;
    if (seen && ring[0] == ring[4])
        seen = 2;
}
int main(void)
{
    int count = 0;
    int *most = malloc(sizeof *most);
    *most = 0;
    for (;;) {
        unsigned char u = __VERIFIER_nondet_uchar();
        __VERIFIER_assume(u < 100);
        step(u, &count, most);
    }
}
";

/// After forty cycles one value of four thousand millions opens the way, twice.
const LOCK: &str = "
extern unsigned __VERIFIER_nondet_uint(void);
extern float __VERIFIER_nondet_float(void);
static unsigned n, lock;
static struct { float level; unsigned *where; } state = { 0.5f, &lock };
int main(void)
{
    for (;;) {
        unsigned u = __VERIFIER_nondet_uint();
        float f = __VERIFIER_nondet_float();
        if (n < 40)
            n++;
        else if (lock == 0 && (u ^ 0x5bd1e995u) - n == 12345u)
            *state.where = 1;
        else if (lock == 1 && f * 3.0f == 1.5f + state.level)
            lock = 2;
        if (lock == 2)
            lock = 2;
    }
}
";

/// The same behind pointers in a structure, as generated code has it.
const BEHIND: &str = "
extern short __VERIFIER_nondet_short(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
typedef struct { short low, high; unsigned char table[4]; } P;
typedef struct { int n; short last[3]; unsigned char lock; } W;
typedef struct { short a; unsigned char b; } U;
typedef struct { P *p; W *w; U *u; } M;
static P the_p = { -1000, 1000, { 3, 1, 4, 1 } };
static W the_w;
static U the_u;
static M the_m;
static M *const m = &the_m;
static short in(short low, short high)
{
    short x = __VERIFIER_nondet_short();
    __VERIFIER_assume((low <= x) & (x <= high));
    return x;
}
static void shift(W *w, short x)
{
    unsigned char k;
    for (k = 2; k > 0; k--)
        w->last[k] = w->last[k - 1];
    w->last[0] = x;
}
static void step(M *const m)
{
    P *p = m->p;
    W *w = m->w;
    U *u = m->u;
    if (w->n < 40)
        w->n++;
    else if (w->lock == 0 && u->a * 7 + u->b == 5001 && p->table[u->b & 3] == 4)
        w->lock = 1;
    else if (w->lock == 1 && w->last[0] == -w->last[2] && w->last[1] == 777)
        w->lock = 2;
    shift(w, u->a);
    if (w->lock == 2)
        w->lock = 2;
}
int main(void)
{
    m->p = &the_p;
    m->w = &the_w;
    m->u = &the_u;
    for (;;) {
        the_u.a = in(-1000, 1000);
        the_u.b = __VERIFIER_nondet_uchar();
        step(m);
    }
}
";

/// A lag, a counter that stops and a machine: what is marked `dead` no run comes to; the rest chance does not
/// come to, but for the last mark.
const BOUNDED: &str = "
extern float __VERIFIER_nondet_float(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
static float lag;
static int count, mode, mark;
int main(void)
{
    for (;;) {
        float u = __VERIFIER_nondet_float();
        unsigned v = __VERIFIER_nondet_uint();
        __VERIFIER_assume((-1.0f <= u) & (u <= 1.0f));
        lag = 0.75f * lag + 0.25f * u;
        if (lag > 1.125f)
            mark = 1; /* dead */
        if (v % 5 == 0 && count < 90)
            count++;
        else if (v % 7 == 0)
            count = 0;
        if (count > 90)
            mark = 2; /* dead */
        if (mode == 2 && v == 0xdeadbeefu)
            mark = 3;
        if (mode == 2 && v == 0xcafebabeu && lag > 0.0f)
            mark = 4;
        switch (mode) {
        case 0: mode = v & 1 ? 1 : 2; break;
        case 1: mode = 2; break;
        case 2: mode = 0; break;
        default: mark = 5; /* dead */
        }
        mark = 6;
    }
}
";

fn probed(text: &str) -> Probed {
    let input = Input::Text { name: "p.i".to_owned(), text: text.as_bytes().to_vec() };
    let reading = Reading { data_model: DataModel::Lp64, ..Reading::default() };
    let (task, map) = C.read_covered(&[input], &reading).expect("C is covered").expect("it is C");
    let code = task.code().expect("it is a program");
    Probed::new(&code.program, &map, "main")
}

fn explore(explorer: &mut Explorer<'_>, runs: u64) {
    let end = Instant::now() + Duration::from_secs(60);
    let long = |_: Duration| Duration::from_secs(60);
    explorer.explore(end, &long, &mut |explorer| explorer.effort.runs < runs);
}

#[test]
fn what_a_run_from_a_saved_state_shows_is_shown_from_the_start() {
    let probed = probed(KINDS);
    let mut explorer = Explorer::new(&probed, 1).expect("it can be executed");
    explore(&mut explorer, 1_000);
    let events: Vec<Event> = (0..probed.points.len()).map(Event::Point).collect();
    let decisions = (0..probed.decisions.len())
        .flat_map(|decision| (0..4).map(move |values| Event::Decision(decision, values)));
    let end = Instant::now() + Duration::from_secs(60);
    let (mut late, mut count) = (0, 0);
    for event in events.into_iter().chain(decisions) {
        let Some(first) = explorer.look(|seen| seen.event(event)) else { continue };
        let played = explorer.events(first.run, end);
        assert_eq!(played.events.get(&event), Some(&first.cycle), "{event:?}");
        count += 1;
        late += usize::from(first.cycle > 20);
    }
    assert!(count > 20 && late > 2, "{count} {late}");
}

/// Chance does not come to the last points, a solver does.
fn opens(text: &str, least: usize) {
    let probed = probed(text);
    let settings = Settings::default();
    let mut explorer = Explorer::new(&probed, 1).expect("it can be executed");
    let mut directed = Directed::new(&probed, settings.solvers);
    let prover = Prover::new(&probed, settings, &Limits::default());
    let open = |explorer: &Explorer<'_>| -> Vec<Event> {
        let points = (0..probed.points.len()).filter(|point| !probed.points[*point].is_empty());
        let events = points.map(Event::Point);
        events.filter(|event| explorer.look(|seen| seen.event(*event)).is_none()).collect()
    };
    explore(&mut explorer, 600);
    assert!(open(&explorer).len() >= least, "{:?}", open(&explorer));
    for _ in 0..100 {
        let left = open(&explorer);
        if left.is_empty() {
            // No test could give a variable a value that the program does not initialize.
            let end = Instant::now() + Duration::from_secs(60);
            for number in 0..explorer.kept.len() {
                let cycle = explorer.kept[number].cycle as usize;
                let (notes, _) = explorer.replay(number, cycle, end);
                let mut made_up = notes.taken.iter().filter(|t| t.cause == Cause::Uninitialized);
                assert!(made_up.all(|taken| taken.value == Value::Bits(Bits::zero(8))));
            }
            return;
        }
        let (question, allowance) = (prover.question(&left), Allowance::default());
        if !directed.ask(&question, &mut explorer, &allowance, Duration::from_secs(20)) {
            let runs = explorer.effort.runs + 100;
            explore(&mut explorer, runs);
        }
    }
    panic!("{:?} is open", open(&explorer));
}

#[test]
fn a_solver_finds_the_inputs_of_the_next_cycle() {
    opens(LOCK, 3);
}

#[test]
fn a_solver_finds_them_behind_pointers() {
    opens(BEHIND, 2);
}

/// The marks of [`BOUNDED`] by their numbers, as points.
fn marks(probed: &Probed) -> Vec<(usize, Event)> {
    let line = |point: usize| {
        let (function, edge) = *probed.points[point].first()?;
        Some(probed.program.functions[function].body().edges[edge].place.line as usize)
    };
    let lines: Vec<&str> = BOUNDED.lines().collect();
    let mark = |point: usize| {
        let text = lines.get(line(point)?.checked_sub(1)?)?;
        let at = text.find("mark = ")? + "mark = ".len();
        Some((text[at..=at].parse().ok()?, Event::Point(point)))
    };
    (0..probed.points.len()).filter_map(mark).collect()
}

#[test]
fn bounds_that_cycles_keep_exclude_what_no_run_does() {
    let probed = probed(BOUNDED);
    let settings = Settings { solvers: &icp::Solvers, ..Settings::default() };
    let mut explorer = Explorer::new(&probed, 1).expect("it can be executed");
    let directed = Directed::new(&probed, settings.solvers);
    let mut prover = Prover::new(&probed, settings, &Limits::default());
    explore(&mut explorer, 400);
    let marks = marks(&probed);
    assert!(marks.iter().any(|(mark, _)| *mark == 5), "{marks:?}");
    let all: Vec<Event> = marks.iter().map(|(_, event)| *event).collect();
    let allowance = Allowance::default();
    let hull = directed.hull(&prover, &explorer, &allowance).expect("there are bounds");
    let excluded = directed.excluded_by(&hull, &prover, &all, &explorer, &allowance);
    let excluded = excluded.expect("there is time");
    for (mark, event) in &marks {
        let dead = [1, 2, 5].contains(mark);
        assert!(excluded.contains(event) || *mark != 2 && *mark != 5, "{mark} is not excluded");
        assert!(dead || !excluded.contains(event), "{mark} is excluded");
    }
    // As formulas that may hold they are enough for a proof of all together.
    let lemmas = hull.lemmas(&probed);
    assert!(!lemmas.is_empty());
    prover.guess(lemmas);
    let answered = prover.ask(&excluded, Duration::from_secs(60), &mut ()).expect("no defect");
    assert!(matches!(answered, Answered::Excluded));
    assert!(!prover.proofs.is_empty());
}
