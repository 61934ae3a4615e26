//! The slice of the properties: what it leaves out, and that it answers as the whole program does.

mod builder;

use builder::{Code, assert, call, declare, empty, input, object, register};
use program::explicit::search;
use program::interpret::{Limits, OnlyRun, only_run};
use program::minimize::Pass;
use program::model::{self, Model, Options};
use program::program::{Cause, FunctionId, LocationId, Program, VariableId};
use program::{Instruction, Property};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use term::{Sort, Term};

const SMALL: Sort = Sort::BitVec(2);
const BYTE: Sort = Sort::BitVec(8);

fn build(program: &Program, slice: bool) -> Model {
    let options = Options { cone: slice, ..Options::default() };
    let model = model::model(program, &options).expect("the program is well formed");
    for edge in model.cfa.edges.values() {
        edge.command.clone().map_terms(&mut |term| {
            for variable in term::traverse::free_vars(&program.pool, &[term]) {
                let name = program.pool.var_name(variable);
                assert!(model.cfa.variables.contains_key(&variable), "{name:?} in {edge:?}");
            }
            term
        });
    }
    model
}

/// `f` computes, stores and loops, `g` sets what the assertion reads.
#[test]
fn functions_that_nothing_depends_on_are_not_built() {
    let mut program = empty();
    let start = program.start;
    let (_, address) = object(&mut program, "buffer", 4);
    let (f, g) = (declare(&mut program, "f"), declare(&mut program, "g"));
    let (a, a_term) = register(&mut program, "a", BYTE, Some(f));
    let (x, x_term) = register(&mut program, "x", BYTE, None);
    let mut code = Code::default();
    code.then(Instruction::Havoc(a, input()));
    code.then(Instruction::Store { address, value: a_term });
    let again = code.at;
    code.then(Instruction::Load { into: a, address });
    code.edge(code.at, again, Instruction::Skip);
    program.functions[f].body = Some(code.end());
    let mut code = Code::default();
    code.then(Instruction::Assign(x, program.pool.bv(3, 8)));
    program.functions[g].body = Some(code.end());
    let mut code = Code::default();
    code.then(call(f, vec![], vec![])).then(call(g, vec![], vec![])).then(call(f, vec![], vec![]));
    code.then(assert(program.pool.eq(x_term, program.pool.bv(3, 8))));
    program.functions[start].body = Some(code.end());
    let (whole, slice) = (build(&program, false), build(&program, true));
    assert_eq!(whole.cfa.contexts.len(), 4);
    assert_eq!(slice.cfa.contexts.len(), 2);
    assert_eq!(slice.cfa.variables.keys().collect::<Vec<_>>(), [&x_term]);
    assert!(whole.cfa.edges.len() > 3 * slice.cfa.edges.len());
    assert!(!search(&program.pool, &slice.cfa, &[], 1000).limited);
    assert!(slice.cone && !whole.cone);
}

/// A branch stays if one of its sides ends the run.
#[test]
fn what_ends_a_run_stays() {
    let mut program = empty();
    let start = program.start;
    let stop = declare(&mut program, "stop");
    let mut code = Code::default();
    code.edge(code.at, code.at, Instruction::Skip);
    let at = code.location();
    code.at = at;
    program.functions[stop].body = Some(code.end());
    let (x, x_term) = register(&mut program, "x", SMALL, Some(start));
    let zero = program.pool.eq(x_term, program.pool.bv(0, 2));
    let mut code = Code::default();
    code.then(Instruction::Havoc(x, input()));
    let (branch, stops, goes_on) = (code.at, code.location(), code.location());
    code.edge(branch, stops, Instruction::Assume(zero));
    code.edge(branch, goes_on, Instruction::Assume(program.pool.not(zero)));
    code.at = stops;
    code.then(call(stop, vec![], vec![]));
    code.edge(code.at, goes_on, Instruction::Skip);
    code.at = goes_on;
    code.then(assert(program.pool.not(zero)));
    program.functions[start].body = Some(code.end());
    let slice = build(&program, true);
    assert!(search(&program.pool, &slice.cfa, &[], 1000).error.is_none());
}

/// With checks of every access, nothing is left out.
#[test]
fn everything_matters_to_the_validity_of_pointers() {
    let mut program = empty();
    let start = program.start;
    let (_, address) = object(&mut program, "buffer", 1);
    let mut code = Code::default();
    code.then(Instruction::Store { address, value: program.pool.bv(1, 8) });
    program.functions[start].body = Some(code.end());
    let options =
        Options { cone: true, properties: [Property::Pointer].into(), ..Options::default() };
    assert!(!model::model(&program, &options).expect("it is well formed").cone);
}

/// Random programs: registers of two bits, two bytes of memory, calls without recursion. Loops
/// can always be left, so that going on after one that does not matter is what the program can do.
struct Generator {
    random: StdRng,
    program: Program,
    globals: Vec<(VariableId, Term)>,
    memory: Term,
    functions: Vec<FunctionId>,
}

impl Generator {
    fn new(seed: u64) -> Generator {
        let mut program = empty();
        let globals = ["g", "h"].map(|name| register(&mut program, name, SMALL, None)).into();
        let (_, memory) = object(&mut program, "memory", 2);
        let mut functions = vec![program.start];
        functions.extend(["f1", "f2", "f3"].map(|name| declare(&mut program, name)));
        let random = StdRng::seed_from_u64(seed);
        Generator { random, program, globals, memory, functions }
    }

    fn generate(mut self) -> Program {
        for index in (0..self.functions.len()).rev() {
            let function = self.functions[index];
            let name = |n: usize| format!("{index}_{n}");
            let mut visible = self.globals.clone();
            for n in 0..3 {
                visible.push(register(&mut self.program, &name(n), SMALL, Some(function)));
            }
            let byte = register(&mut self.program, &name(3), BYTE, Some(function));
            if index > 0 {
                self.program.functions[function].parameters = vec![visible[2].0];
                self.program.functions[function].results = vec![visible[3].0];
            }
            let mut body = Body { index, visible, byte, checked: None, code: Code::default() };
            for &(register, _) in &body.visible[3..] {
                body.code.then(Instruction::Assign(register, self.program.pool.bv(0, 2)));
            }
            self.block(&mut body, 5, 2);
            if index == 0 {
                let holds = self.condition(&body);
                body.code.then(assert(holds));
            }
            self.program.functions[function].body = Some(body.code.end());
        }
        self.program
    }

    fn pick(&mut self, body: &Body) -> (VariableId, Term) {
        body.visible[self.random.random_range(0..body.visible.len())]
    }

    fn expression(&mut self, body: &Body) -> Term {
        let (a, b) = (self.pick(body).1, self.pick(body).1);
        let constant = self.program.pool.bv(self.random.random_range(0..4), 2);
        let pool = &self.program.pool;
        match self.random.random_range(0..4) {
            0 => constant,
            1 => a,
            2 => pool.bv_add(a, b),
            _ => pool.bv_add(a, constant),
        }
    }

    fn condition(&mut self, body: &Body) -> Term {
        let (a, b) = (self.expression(body), self.expression(body));
        let pool = &self.program.pool;
        match self.random.random_bool(0.5) {
            true => pool.not(pool.eq(a, b)),
            false => pool.bv_ult(a, b),
        }
    }

    fn block(&mut self, body: &mut Body, length: usize, depth: usize) {
        for _ in 0..self.random.random_range(1..=length) {
            self.statement(body, depth);
        }
    }

    fn statement(&mut self, body: &mut Body, depth: usize) {
        let address = {
            let offset = self.random.random_range(0..2);
            self.program.pool.bv_add(self.memory, self.program.pool.bv(offset, 32))
        };
        match self.random.random_range(0..12) {
            0..3 => {
                let ((register, _), term) = (self.pick(body), self.expression(body));
                body.code.then(Instruction::Assign(register, term));
            }
            3 => {
                let (register, _) = self.pick(body);
                let cause = match self.random.random_bool(0.5) {
                    true => input(),
                    false => Cause::Uninitialized,
                };
                body.code.then(Instruction::Havoc(register, cause));
            }
            4 => {
                let term = self.expression(body);
                let value = self.program.pool.bv_concat(self.program.pool.bv(0, 6), term);
                body.code.then(Instruction::Store { address, value });
            }
            5 => {
                let (register, _) = self.pick(body);
                body.code.then(Instruction::Load { into: body.byte.0, address });
                let low = self.program.pool.bv_extract(body.byte.1, 1, 0);
                body.code.then(Instruction::Assign(register, low));
            }
            6..8 if depth > 0 => self.branch(body, depth),
            8 if depth > 0 => {
                let (head, after) = (body.code.at, body.code.location());
                let inside = body.code.location();
                body.code.edge(head, inside, Instruction::Skip);
                body.code.edge(head, after, Instruction::Skip);
                body.code.at = inside;
                self.block(body, 2, depth - 1);
                body.code.edge(body.code.at, head, Instruction::Skip);
                body.code.at = after;
            }
            9 => {
                // Some conditions are checked again and again.
                let condition = match body.checked {
                    Some(condition) if self.random.random_bool(0.5) => condition,
                    _ => self.condition(body),
                };
                body.checked = Some(condition);
                let instruction = match self.random.random_range(0..6) {
                    0 => assert(condition),
                    1 | 2 => Instruction::Check(Property::Bounds, condition),
                    _ => Instruction::Assume(condition),
                };
                body.code.then(instruction);
            }
            _ if body.index + 1 < self.functions.len() => {
                let callee = self.random.random_range(body.index + 1..self.functions.len());
                let (argument, (result, _)) = (self.expression(body), self.pick(body));
                let callee = self.functions[callee];
                body.code.then(call(callee, vec![argument], vec![result]));
            }
            _ => {}
        }
    }

    fn branch(&mut self, body: &mut Body, depth: usize) {
        let condition = self.condition(body);
        let (from, join) = (body.code.at, body.code.location());
        for guard in [condition, self.program.pool.not(condition)] {
            let side: LocationId = body.code.location();
            body.code.edge(from, side, Instruction::Assume(guard));
            body.code.at = side;
            // Some sides are dead ends, some do nothing.
            match self.random.random_range(0..6) {
                0 => continue,
                1 => {}
                _ => self.block(body, 3, depth - 1),
            }
            body.code.edge(body.code.at, join, Instruction::Skip);
        }
        body.code.at = join;
    }
}

struct Body {
    index: usize,
    visible: Vec<(VariableId, Term)>,
    byte: (VariableId, Term),
    /// A condition that was checked.
    checked: Option<Term>,
    code: Code,
}

/// Every violation of the program is one of its slice. Assumptions of values that don't matter are
/// left out, so the slice may have more, but rarely has.
#[test]
fn the_slice_answers_as_the_whole() {
    let (mut safe, mut violated, mut more, mut smaller) = (0, 0, 0, 0);
    for seed in 0..400 {
        let program = Generator::new(seed).generate();
        let (whole, slice) = (build(&program, false), build(&program, true));
        let [expected, found] =
            [&whole, &slice].map(|model| search(&program.pool, &model.cfa, &[], 20_000));
        if expected.limited || found.limited {
            continue;
        }
        match (expected.error, found.error) {
            (Some(_), found) => {
                assert!(found.is_some(), "seed {seed}");
                violated += 1;
            }
            (None, Some(_)) => more += 1,
            (None, None) => safe += 1,
        }
        smaller += usize::from(slice.cfa.edges.len() * 2 < whole.cfa.edges.len());
    }
    let counts = format!("{safe} safe, {violated} violated, {more} more, {smaller} smaller");
    assert!(safe > 40 && violated > 40 && smaller > 40 && more < safe, "{counts}");
}

/// An instruction that does not act in the slice of a program, and the slice.
fn slice_without_any(program: &Program) -> Option<Program> {
    let properties = Options::default().properties;
    let mut sites = program.edges().filter(|(_, edge)| edge.instruction != Instruction::Skip);
    sites.find_map(|(site, _)| model::slice_without(program, &properties, site))
}

/// The slice as a program has the violations of the slice as an automaton.
#[test]
fn the_slice_is_a_program() {
    let (mut safe, mut violated, mut fewer) = (0, 0, 0);
    for seed in 2000..2400 {
        let program = Generator::new(seed).generate();
        let Some(slice) = slice_without_any(&program) else { continue };
        let acting = |program: &Program| {
            program.edges().filter(|(_, edge)| edge.instruction != Instruction::Skip).count()
        };
        fewer += usize::from(acting(&slice) < acting(&program));
        let found = [(&program, false), (&program, true), (&slice, false)]
            .map(|(program, cone)| search(&program.pool, &build(program, cone).cfa, &[], 20_000));
        if found.iter().any(|search| search.limited) {
            continue;
        }
        let [whole, expected, found] = found.map(|search| search.error.is_some());
        assert_eq!(expected, found, "seed {seed}");
        assert!(found || !whole, "seed {seed}");
        violated += usize::from(found);
        safe += usize::from(!found);
    }
    let counts = format!("{safe} safe, {violated} violated, {fewer} with fewer instructions");
    assert!(safe > 40 && violated > 40 && fewer > 200, "{counts}");
}

/// An input that only decides how often something happens that does not matter: the slice has one run.
/// If it is what is asserted, there is no slice without it.
#[test]
fn inputs_that_do_not_matter_are_not_asked_for() {
    for matters in [false, true] {
        let mut program = empty();
        let start = program.start;
        let (x, x_term) = register(&mut program, "x", BYTE, Some(start));
        let (y, y_term) = register(&mut program, "y", BYTE, Some(start));
        let pool = &program.pool;
        let mut code = Code::default();
        code.then(Instruction::Havoc(x, input()));
        code.then(Instruction::Assign(y, pool.bv(7, 8)));
        let (head, body, after) = (code.at, code.location(), code.location());
        let more = pool.bv_ult(pool.bv(0, 8), x_term);
        code.edge(head, body, Instruction::Assume(more));
        code.at = body;
        code.then(Instruction::Assign(x, pool.bv_sub(x_term, pool.bv(1, 8))));
        code.edge(code.at, head, Instruction::Skip);
        code.edge(head, after, Instruction::Assume(pool.not(more)));
        code.at = after;
        let asserted = if matters { x_term } else { y_term };
        code.then(assert(pool.eq(asserted, pool.bv(7, 8))));
        program.functions[start].body = Some(code.end());
        let properties = Options::default().properties;
        let run = |program| only_run(program, &properties, Limits::default());
        let Ok(OnlyRun::Asks(site)) = run(&program) else { panic!("it takes a value") };
        let slice = model::slice_without(&program, &properties, site);
        let expected = (!matters).then_some(Ok(OnlyRun::Safe));
        assert_eq!(slice.as_ref().map(run), expected);
        let pointers = [Property::Pointer].into();
        assert!(model::slice_without(&program, &pointers, site).is_none());
    }
}

/// A check that has been passed on all ways is not built again, unless what it reads has changed.
#[test]
fn checks_that_were_passed_are_not_repeated() {
    let mut program = empty();
    let start = program.start;
    let (x, x_term) = register(&mut program, "x", SMALL, Some(start));
    let holds = program.pool.not(program.pool.eq(x_term, program.pool.bv(0, 2)));
    let check = || Instruction::Check(Property::Bounds, holds);
    let edges = |repeated: bool, program: &mut Program| {
        let mut code = Code::default();
        code.then(Instruction::Havoc(x, input()));
        for _ in 0..3 {
            code.then(check());
            code.then(assert(program.pool.bv_ult(x_term, program.pool.bv(3, 2))));
            if repeated {
                code.then(Instruction::Havoc(x, input()));
            }
        }
        program.functions[start].body = Some(code.end());
        let slice = build(program, true);
        assert!(search(&program.pool, &slice.cfa, &[], 1000).error.is_some());
        slice.cfa.edges.len()
    };
    let (once, repeated) = (edges(false, &mut program), edges(true, &mut program));
    // The first edge, and three asserts (each with an edge to the error): with one havoc and one check,
    // or with four and three.
    assert_eq!((once, repeated), (7 + 2, 7 + 7));
}

/// The unknown first value of a variable goes if nobody reads it, and only then; no answer depends
/// on that.
#[test]
fn initialized_variables_answer_as_all() {
    let (mut safe, mut violated, mut fewer) = (0, 0, 0);
    for seed in 1000..1300 {
        let program = Generator::new(seed).generate();
        let slice = seed % 2 == 0;
        let model = |initialized| {
            let options = Options { cone: slice, initialized, ..Options::default() };
            model::model(&program, &options).expect("the program is well formed")
        };
        let (without, with) = (model(false), model(true));
        let [expected, found] =
            [&without, &with].map(|model| search(&program.pool, &model.cfa, &[], 20_000));
        if expected.limited || found.limited {
            continue;
        }
        assert_eq!(expected.error.is_some(), found.error.is_some(), "seed {seed}");
        violated += usize::from(found.error.is_some());
        safe += usize::from(found.error.is_none());
        let statistics = with.passes.iter().find(|p| p.pass == Pass::Initialized);
        let statistics = statistics.expect("the pass has run");
        assert!(without.passes.iter().all(|p| p.pass != Pass::Initialized));
        fewer += usize::from(statistics.after.terms < statistics.before.terms);
    }
    let counts = format!("{safe} safe, {violated} violated, {fewer} with fewer");
    assert!(safe > 40 && violated > 40 && fewer > 40, "{counts}");
}
