//! The whole run: initial values, then cycles without end.
//!
//! In each cycle inputs take any values of their types, time passes, the units run in the order of
//! their tasks' priorities, and requirements are checked. An entry that is a function is called once
//! per cycle: its variables begin anew. Several tasks with intervals run when they are due; one
//! task alone runs in every cycle.

use super::frame::Frame;
use super::observe::{Asked, Entry, Question, Role};
use super::place::{Place, Side};
use super::storage::Node;
use super::{Lowered, Lowerer};
use crate::ast::{
    ConnectedArgument, Expr, Instance, PouKind, TypeKind, VariableKind, VariableSection,
};
use crate::types::{Clock, PouId, Type};
use program::Program;
use program::program::{Assumption, Cause, Instruction, LocationId, Reading};
use rustc_hash::FxHashMap;
use source::Diagnostic;
use source::diagnostic::Result;
use std::sync::Arc;
use term::{Sort, Term};

/// A unit that runs in cycles.
pub(super) struct Run<'a> {
    pub(super) pou: PouId,
    pub(super) place: Place<'a>,
    /// Parameters by reference, temporary variables, the result.
    bindings: FxHashMap<Arc<str>, Place<'a>>,
    /// How a configuration connects it.
    pub(super) instance: Option<&'a Instance>,
    /// When it is due, where there are several tasks.
    due: Option<Due<'a>>,
}

/// When a task runs.
enum Due<'a> {
    /// So many milliseconds after it ran last.
    Interval(i128),
    /// When this becomes true.
    Edge(&'a Expr),
}

impl<'a> Lowerer<'a> {
    /// Lowers everything.
    pub(super) fn whole_program(&mut self) -> Result<()> {
        self.find_coverage();
        self.declare_enumerations()?;
        self.declare_globals()?;
        let mut runs = self.runs()?;
        let memory = self.requirement_memory();
        let clock = self.wanted.clock;
        if clock {
            self.make_clock()?;
        }
        let (head, ticks, ticked) = (self.new_location(), self.new_location(), self.new_location());
        self.graph.locations[head].loop_head = true;
        self.continue_at(head);
        self.counted_cycles();
        self.set_inputs(&runs)?;
        self.jump(ticks);
        self.continue_at(ticked);
        self.no_rounds_yet();
        self.with_entry(&runs, |this| this.requirements_before(&memory))?;
        for run in &mut runs {
            self.run_once(run)?;
        }
        let at = runs.first().map_or(self.span, |run| self.table.pous[run.pou].name.span);
        self.with_entry(&runs, |this| this.requirements_after(&memory, at))?;
        if self.options.observed {
            self.observe_all(&runs)?;
        }
        let end = self.new_location();
        self.jump(end);
        self.continue_at(ticks);
        self.set_direct_inputs()?;
        self.pass_time()?;
        self.jump(ticked);
        self.continue_at(end);
        self.close_loops(head);
        self.close_lassos(head);
        self.jump(head);
        self.continue_at_start(head);
        Ok(())
    }

    /// The code before the first cycle leads to the cycles.
    fn continue_at_start(&mut self, head: LocationId) {
        self.graph.at = self.start_at;
        self.jump(head);
    }

    fn declare_enumerations(&mut self) -> Result<()> {
        for declaration in self.table.type_order.clone() {
            if let TypeKind::Enum { .. } = declaration.ty.kind {
                self.declared_type(declaration)?;
            }
        }
        Ok(())
    }

    fn declare_globals(&mut self) -> Result<()> {
        for (_, section) in self.table.globals.clone() {
            if section.kind == VariableKind::Global {
                self.global_section(section)?;
            }
        }
        for block in self.table.data_blocks.clone() {
            let ty = self.data_block_type(block)?;
            let node = self.allocate(&ty, &block.name.text, &block.name.text)?;
            let place = Place::new(ty, node);
            self.globals.insert(block.name.key.clone(), place.clone());
            self.at_start(|this| {
                this.initialize(&place, None, true)?;
                this.frame.this = Some(place.clone());
                let result = this.block(&block.initial);
                this.frame.this = None;
                result
            })?;
        }
        Ok(())
    }

    fn global_section(&mut self, section: &'a VariableSection) -> Result<()> {
        for variables in &section.variables {
            let Some(spec) = &variables.ty else { continue };
            for name in &variables.names {
                self.span = name.span;
                let place = match &variables.location {
                    Some(location) => self.located(variables, location)?,
                    None => {
                        let ty = self.resolve(spec)?;
                        let node = self.allocate(&ty, &name.text, &name.text)?;
                        let initial = self.initial_of(spec, variables.initial.as_ref());
                        let place = Place::new(ty, node);
                        self.at_start(|this| this.initialize(&place, initial, true))?;
                        Place { constant: section.constant, ..place }
                    }
                };
                self.globals.insert(name.key.clone(), place);
            }
        }
        Ok(())
    }

    /// The instance of a program that is called by its name.
    pub(super) fn global_instance(&mut self, pou: PouId) -> Result<Place<'a>> {
        let name = &self.table.pous[pou].name;
        let ty = Type::Block(pou);
        let known = self.in_memory.len();
        let node = self.allocate(&ty, &name.text, &name.text)?;
        self.known_too_late(known)?;
        let place = Place::new(ty, node);
        self.globals.insert(name.key.clone(), place.clone());
        self.at_start(|this| this.initialize(&place, None, true))?;
        Ok(place)
    }

    /// The units that run, in the order in which they do.
    fn runs(&mut self) -> Result<Vec<Run<'a>>> {
        if let Some(entry) = &self.options.entry {
            let key = entry.to_lowercase();
            let Some(pou) = self.table.pou(&key).filter(|pou| *pou < self.table.own) else {
                let names: Vec<&str> =
                    self.table.pous[..self.table.own].iter().map(|p| &*p.name.text).collect();
                let message = match names.is_empty() {
                    true => format!("there is no unit '{entry}'; the files declare none"),
                    false => format!("there is no unit '{entry}'; there are {}", names.join(", ")),
                };
                return Err(Diagnostic::error(self.span, message));
            };
            return Ok(vec![self.run_of(pou, None, "")?]);
        }
        let instances = self.configured()?;
        if !instances.is_empty() {
            return Ok(instances);
        }
        let all = 0..self.table.own;
        let starts = |pou: &PouId| {
            matches!(self.table.pous[*pou].kind, PouKind::Program | PouKind::OrganizationBlock)
        };
        let mut chosen: Vec<PouId> = all.clone().filter(starts).collect();
        if chosen.is_empty() {
            let used = super::uses::used(self.table);
            chosen = all.filter(|pou| !used.contains(pou) && self.can_run(*pou)).collect();
        }
        let several = chosen.len() > 1;
        let mut runs = Vec::new();
        for pou in chosen {
            let name = self.table.pous[pou].name.text.clone();
            runs.push(self.run_of(pou, None, if several { &name } else { "" })?);
        }
        Ok(runs)
    }

    /// Whether a unit has a body and needs no types from its caller.
    fn can_run(&self, pou: PouId) -> bool {
        let declared = self.table.pous[pou];
        declared.generics.is_empty()
            && declared.kind != PouKind::Class
            && !declared.modifiers.is_abstract
            && !matches!(declared.body, crate::ast::Body::Missing)
    }

    /// What configurations say, by priority.
    fn configured(&mut self) -> Result<Vec<Run<'a>>> {
        let table = self.table;
        let mut found = Vec::new();
        for resource in table.configurations.iter().flat_map(|c| &c.resources) {
            for instance in &resource.programs {
                let task = instance
                    .task
                    .as_ref()
                    .and_then(|name| resource.tasks.iter().find(|task| task.name.key == name.key));
                let priority = match task.and_then(|task| task.priority.as_ref()) {
                    Some(priority) => self.constant(priority)?,
                    None => i128::MAX,
                };
                found.push((priority, instance, task));
            }
        }
        found.sort_by_key(|(priority, ..)| *priority);
        let several = found.len() > 1;
        let mut runs = Vec::new();
        for (_, instance, task) in found {
            let Some(pou) = table.pou_of(&instance.program) else {
                let name = &instance.program.last().text;
                self.undefined_name(name);
                let message = format!("there is no program '{name}'; it is taken to do nothing");
                self.warn_once(instance.span, message);
                continue;
            };
            let name = if several { &*instance.name.text } else { "" };
            let mut run = self.run_of(pou, Some(instance), name)?;
            self.globals.insert(instance.name.key.clone(), run.place.clone());
            if let Some(task) = task
                && several
            {
                run.due = match (&task.single, &task.interval) {
                    (Some(single), _) => Some(Due::Edge(single)),
                    (None, Some(interval)) => {
                        let value = self.expression(interval)?;
                        let value = self.coerce(value, &Type::TIME)?;
                        let known = super::expression::Value::Scalar(value, Type::TIME);
                        self.known_integer(&known).map(Due::Interval)
                    }
                    _ => None,
                };
            }
            runs.push(run);
        }
        Ok(runs)
    }

    /// A unit with its variables.
    fn run_of(
        &mut self,
        pou: PouId,
        instance: Option<&'a Instance>,
        shown: &str,
    ) -> Result<Run<'a>> {
        let declared = self.table.pous[pou];
        self.span = declared.name.span;
        let ty = Type::Block(pou);
        let path = match instance {
            Some(instance) => instance.name.text.clone(),
            None => declared.name.text.clone(),
        };
        let node = self.allocate(&ty, &path, shown)?;
        let place = Place::new(ty, node);
        self.at_start(|this| this.initialize(&place, None, true))?;
        if self.table.has_instances(pou) && instance.is_none() {
            self.globals.entry(declared.name.key.clone()).or_insert(place.clone());
        }
        let mut run = Run { pou, place, bindings: FxHashMap::default(), instance, due: None };
        let dot = if shown.is_empty() { "" } else { "." };
        for field in self.block_fields(pou)?.iter() {
            if field.kind == VariableKind::InOut {
                let name = format!("{path}.{}", field.name);
                let shown = format!("{shown}{dot}{}", field.name);
                let node = self.allocate(&field.ty, &name, &shown)?;
                let place = Place::new(field.ty.clone(), node);
                self.at_start(|this| this.initialize(&place, None, true))?;
                run.bindings.insert(field.key.clone(), place);
            }
        }
        if let (Some(result), PouKind::Function) = (&declared.result, declared.kind) {
            let outer = std::mem::replace(&mut self.frame.sections, vec![&declared.sections]);
            let ty = self.resolve(result);
            self.frame.sections = outer;
            let ty = ty?;
            let name = format!("{path}.{path}");
            let shown = format!("{shown}{dot}{}", declared.name);
            let node = self.allocate(&ty, &name, &shown)?;
            let place = Place::new(ty, node);
            self.at_start(|this| this.initialize(&place, None, true))?;
            run.bindings.insert(declared.name.key.clone(), place);
        }
        Ok(run)
    }

    /// Does something in the frame of the first unit that runs.
    fn with_entry(
        &mut self,
        runs: &[Run<'a>],
        work: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let Some(run) = runs.first() else { return Ok(()) };
        let frame = self.frame_of(run);
        self.enter(frame)?;
        let result = work(self);
        self.leave();
        result
    }

    pub(super) fn frame_of(&self, run: &Run<'a>) -> Frame<'a> {
        let mut frame = Frame::new(&self.table.pous[run.pou].name.text);
        frame.this = Some(run.place.clone());
        frame.owner = Some(run.pou);
        frame.sections = self.all_sections(run.pou);
        frame.bindings = run.bindings.clone();
        frame
    }

    /// Counts cycles where their number is bounded, and ends the run after the last.
    fn counted_cycles(&mut self) {
        let Some(most) = self.options.cycles else { return };
        let register = self.new_variable("cycle", None, Sort::BitVec(64), Reading::Unsigned);
        let zero = self.pool.bv(0, 64);
        self.at_start(|this| this.assign(register, zero));
        let now = self.term_of(register);
        let goes_on = self.pool.bv_ult(now, self.pool.bv(most, 64));
        let (inside, exit) = (self.new_location(), self.graph.exit);
        self.split(goes_on, inside, exit);
        self.continue_at(inside);
        let next = self.pool.bv_add(now, self.pool.bv(1, 64));
        self.assign(register, next);
    }

    /// The clock, which begins anywhere.
    fn make_clock(&mut self) -> Result<()> {
        let register =
            self.new_variable("clock", Some("TIME()".into()), Sort::BitVec(32), Reading::Signed);
        self.clock = Some(register);
        if self.options.observed {
            self.observed.asked.push(Asked { register, what: Question::Clock });
        }
        self.at_start(|this| this.havoc(register, Cause::Input("clock".into())));
        Ok(())
    }

    /// Time passes: what timers wait for, and the clock.
    fn pass_time(&mut self) -> Result<()> {
        if self.timers.is_empty() && self.clock.is_none() {
            return Ok(());
        }
        let elapsed = self.new_variable(
            "elapsed",
            Some("cycle time".into()),
            Sort::BitVec(32),
            Reading::Signed,
        );
        self.havoc(elapsed, Cause::Input("cycle time".into()));
        let term = self.term_of(elapsed);
        if self.options.observed {
            self.observed.asked.push(Asked { register: elapsed, what: Question::Elapsed });
        } else {
            let unit = Clock::Time.unit();
            let (low, high) = self.options.cycle;
            let within = self.pool.and([
                self.compared(term, true, i128::from(low) / unit, Side::AtLeast),
                self.compared(term, true, i128::from(high) / unit, Side::AtMost),
            ]);
            self.assume(within);
            let text = format!("a cycle takes {} to {} (--cycle)", duration(low), duration(high));
            self.assumptions.push(Assumption { text, place: program::Place::default() });
        }
        if let Some(clock) = self.clock {
            let next = self.pool.bv_add(self.term_of(clock), term);
            self.assign(clock, next);
        }
        for node in std::mem::take(&mut self.timers) {
            let place = Place::new(Type::TIME, node);
            let waited = self.read(&place)?;
            let most = self.pool.bits(value::Bits::max_signed(32));
            let room = self.pool.bv_sub(most, term);
            let fits = self.pool.bv_sle(waited, room);
            let sum = self.pool.bv_add(waited, term);
            let next = self.pool.ite(fits, sum, most);
            self.write(&place, next)?;
        }
        Ok(())
    }

    /// A unit runs once, if it is due.
    fn run_once(&mut self, run: &mut Run<'a>) -> Result<()> {
        let next = self.new_location();
        if let Some(due) = run.due.take() {
            let is_due = self.is_due(&due)?;
            let then = self.new_location();
            self.split(is_due, then, next);
            self.continue_at(then);
        }
        if self.table.has_instances(run.pou) {
            let bound = run.bindings.clone().into_iter().collect();
            let inner = self.run_block(&run.place.clone(), run.pou, bound)?;
            run.bindings = inner;
        } else {
            self.run_function(run)?;
        }
        for argument in run.instance.map(|i| &i.arguments[..]).unwrap_or_default() {
            if let ConnectedArgument::Output(path, expr) = argument
                && let Some(from) = self.member_variable(&run.place, &path.last().key)?
            {
                let to = self.assigned_place(expr)?;
                self.copy_output(from, &to, false)?;
            }
        }
        self.jump(next);
        self.continue_at(next);
        Ok(())
    }

    /// A function begins anew in each cycle, with its inputs as they were given.
    fn run_function(&mut self, run: &mut Run<'a>) -> Result<()> {
        let declared = self.table.pous[run.pou];
        let place = run.place.clone();
        for field in self.block_fields(run.pou)?.iter() {
            let begins = matches!(field.kind, VariableKind::Local | VariableKind::Output);
            if begins && let Some(inner) = self.member_variable(&place, &field.key)? {
                let frame = self.frame_of(run);
                self.enter(frame)?;
                let result = self.initialize(&inner, field.initial, false);
                self.leave();
                result?;
            }
        }
        if let Some(result) = run.bindings.get(&declared.name.key).cloned() {
            self.initialize(&result, None, false)?;
        }
        let bound = run.bindings.clone().into_iter().collect();
        run.bindings = self.run_block(&place, run.pou, bound)?;
        Ok(())
    }

    fn is_due(&mut self, due: &Due<'a>) -> Result<Term> {
        match due {
            Due::Interval(interval) => {
                // It runs in the first cycle, and then after each interval.
                let name = "waited";
                let register = self.new_variable(name, None, Sort::BitVec(32), Reading::Signed);
                let begin = self.pool.bits(value::Bits::max_signed(32));
                self.at_start(|this| this.assign(register, begin));
                self.timers.push(Node::Register(register));
                let waited = self.term_of(register);
                let is_due = self.keep(self.compared(waited, true, *interval, Side::AtLeast));
                let zero = self.pool.bv(0, 32);
                let next = self.pool.ite(is_due, zero, waited);
                self.assign(register, next);
                Ok(is_due)
            }
            Due::Edge(expr) => {
                let value = self.expression(expr)?;
                let now = self.condition(value)?;
                let now = self.keep(now);
                let before = self.temporary(Sort::Bool);
                let no = self.pool.fls();
                self.at_start(|this| this.assign(before, no));
                let rises = self.pool.and([now, self.pool.not(self.term_of(before))]);
                let rises = self.keep(rises);
                self.assign(before, now);
                Ok(rises)
            }
        }
    }

    /// What is seen of the units at the end of a cycle.
    fn observe_all(&mut self, runs: &[Run<'a>]) -> Result<()> {
        let several = runs.len() > 1;
        for run in runs {
            let declared = self.table.pous[run.pou];
            let prefix = if several { format!("{}.", declared.name) } else { String::new() };
            let frame = self.frame_of(run);
            self.enter(frame)?;
            let result = self.observe_run(run, &prefix);
            self.leave();
            result?;
        }
        let globals: Vec<(Arc<str>, Place<'a>)> = self
            .globals
            .iter()
            .filter(|(_, place)| !matches!(place.ty, Type::Block(_)) && !place.constant)
            .map(|(key, place)| (key.clone(), place.clone()))
            .collect();
        let mut globals = globals;
        globals.sort_by(|a, b| a.0.cmp(&b.0));
        for (key, place) in globals {
            let value = self.observe(&place)?;
            self.observed.entries.push(Entry { name: key, role: Role::Internal, value });
        }
        let register = self.new_variable("observed", None, Sort::BitVec(64), Reading::Unsigned);
        self.observed.cycle = Some(register);
        let zero = self.pool.bv(0, 64);
        self.emit(Instruction::Assign(register, zero));
        Ok(())
    }

    fn observe_run(&mut self, run: &Run<'a>, prefix: &str) -> Result<()> {
        let declared = self.table.pous[run.pou];
        for field in self.block_fields(run.pou)?.iter() {
            let Some(place) = self.variable(&field.key)? else { continue };
            let role = match field.kind {
                VariableKind::Input => Role::Input,
                VariableKind::Output | VariableKind::InOut => Role::Output,
                _ => Role::Internal,
            };
            let value = self.observe(&place)?;
            let name = format!("{prefix}{}", field.name).into();
            self.observed.entries.push(Entry { name, role, value });
        }
        if let (Some(result), PouKind::Function) =
            (run.bindings.get(&declared.name.key).cloned(), declared.kind)
        {
            let value = self.observe(&result)?;
            let name = format!("{prefix}@return").into();
            self.observed.entries.push(Entry { name, role: Role::Output, value });
        }
        Ok(())
    }

    /// The program that has become of it.
    pub(super) fn finish(mut self) -> Lowered {
        let coverage = self.take_coverage();
        let graph = std::mem::take(&mut self.graph);
        self.functions[self.start].body = Some(graph.finish());
        let start = self.start;
        for (_, variable) in self.variables.iter_mut() {
            variable.function = Some(start);
        }
        let program = Program {
            pool: self.pool,
            variables: self.variables,
            objects: self.objects,
            functions: self.functions,
            start,
            pointer_width: crate::types::POINTER_WIDTH,
            addresses: self.addresses,
            assumptions: self.assumptions,
            undefined: self.undefined,
            asked: program::checks::Asked::default(),
        };
        let (warnings, observed) = (self.warnings, self.observed);
        Lowered { program, warnings, observed, coverage, units: Vec::new() }
    }
}

/// A duration in words.
fn duration(nanoseconds: u64) -> String {
    match nanoseconds {
        n if n % 1_000_000_000 == 0 => format!("{} s", n / 1_000_000_000),
        n if n % 1_000_000 == 0 => format!("{} ms", n / 1_000_000),
        n if n % 1_000 == 0 => format!("{} µs", n / 1_000),
        n => format!("{n} ns"),
    }
}
