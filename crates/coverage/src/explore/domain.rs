//! What values an input may have: guessed from the text of the program, learned from what its assumptions
//! refuse.

use super::random::Random;
use program::program::{Cause, EdgeId, FunctionId, Instruction, Program};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use term::traverse::subterms;
use term::{Sort, Value};
use value::Format;

/// A number as a word, as the interpreter has it, and its order.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Number {
    /// The word.
    pub word: u64,
    /// For intervals: its value, as far as a double can say it.
    pub value: f64,
}

/// Ways to choose a value.
const WAYS: usize = 6;

/// What is known of the values of an input.
#[derive(Clone, Debug)]
pub struct Domain {
    sort: Sort,
    /// Whether negative numbers are written with a sign, as far as that is seen.
    signed: bool,
    /// Constants near the input: bounds, most likely.
    near: Vec<Number>,
    /// How often values of each way were accepted and refused.
    luck: [(u32, u32); WAYS],
}

/// A value that was chosen, and how.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The word.
    pub word: u64,
    /// The way.
    pub way: usize,
}

impl Domain {
    /// What the text says of the input that an instruction takes in a chain of calls.
    pub fn new(
        program: &Program,
        calls: &[(FunctionId, EdgeId)],
        at: (FunctionId, EdgeId),
        sort: Sort,
    ) -> Domain {
        let mut near = BTreeSet::new();
        // What the innermost call that is given constants of the sort says.
        for &(function, edge) in calls.iter().rev().take(3) {
            if let Instruction::Call { arguments, .. } =
                &program.functions[function].body().edges[edge].instruction
            {
                let values = arguments.iter().filter_map(|term| program.pool.value(*term));
                near.extend(values.filter_map(|value| word_of(value, sort)));
            }
            if near.len() > 1 {
                break;
            }
        }
        if near.len() < 2 {
            assumed(program, at, sort, &mut near);
        }
        let signed = near.iter().any(|word| sign(*word, sort));
        let numbers = near.into_iter().map(|word| number(word, sort, signed));
        let mut domain = Domain { sort, signed, near: numbers.collect(), luck: [(1, 0); WAYS] };
        // What lies beyond bounds is mostly refused.
        if domain.hull().is_some_and(|(least, most)| least.value < most.value) {
            domain.luck[WAYS - 1] = (1, 90);
        }
        domain
    }

    /// The bounds of what was seen in the text.
    fn hull(&self) -> Option<(Number, Number)> {
        let numbers = self.near.iter().filter(|number| number.value.is_finite());
        let least = numbers.clone().min_by(|a, b| a.value.total_cmp(&b.value))?;
        let most = numbers.max_by(|a, b| a.value.total_cmp(&b.value))?;
        Some((*least, *most))
    }

    /// A value.
    pub fn choose(
        &self,
        random: &mut Random,
        dictionary: &FxHashMap<Sort, Vec<u64>>,
        before: Option<u64>,
    ) -> Choice {
        let all: u32 = self.luck.iter().map(weight).sum();
        let mut left = random.below(u64::from(all)) as u32;
        let mut way = 0;
        while way + 1 < WAYS && left >= weight(&self.luck[way]) {
            left -= weight(&self.luck[way]);
            way += 1;
        }
        if let Some(word) = self.of_way(way, random, dictionary, before) {
            return Choice { word, way };
        }
        // A way that leads nowhere gives way to the first one, if there are bounds.
        let bounded = way + 1 < WAYS && weight(&self.luck[0]) > 1;
        match self.of_way(0, random, dictionary, before).filter(|_| bounded) {
            Some(word) => Choice { word, way: 0 },
            None => Choice { word: self.any(random), way: WAYS - 1 },
        }
    }

    fn of_way(
        &self,
        way: usize,
        random: &mut Random,
        dictionary: &FxHashMap<Sort, Vec<u64>>,
        before: Option<u64>,
    ) -> Option<u64> {
        let (least, most) = self.hull().filter(|(a, b)| a.value < b.value).unzip();
        match way {
            // Anywhere between the bounds.
            0 => Some(self.between(least?.value, most?.value, random)),
            // A bound, or another constant beside it.
            1 => Some(self.near.get(random.below(self.near.len().max(1) as u64) as usize)?.word),
            // A constant of the program that lies between the bounds, or a little beside it.
            2 => {
                let words = dictionary.get(&self.sort)?;
                let word = words[random.below(words.len() as u64) as usize];
                let found = self.moved(word, random.below(5) as i64 - 2);
                let value = number(found, self.sort, self.signed).value;
                let inside = |a: Number, b: Number| value >= a.value && value <= b.value;
                least.zip(most).is_none_or(|(a, b)| inside(a, b)).then_some(found)
            }
            // A little beside the value before.
            3 => {
                let by = random.below(9) as i64 - 4;
                let value = number(before?, self.sort, self.signed).value;
                match (least.zip(most), random.below(2)) {
                    (Some((a, b)), 0) => {
                        let width = (b.value - a.value) * 0.02 * by as f64;
                        Some(self.between_or(value + width, a.value, b.value))
                    }
                    (Some((a, b)), _) => {
                        let found = self.moved(before?, by);
                        let value = number(found, self.sort, self.signed).value;
                        (value >= a.value && value <= b.value).then_some(found).or(before)
                    }
                    (None, _) => Some(self.moved(before?, by)),
                }
            }
            // Near the ends.
            4 => {
                let (a, b) = (least?.value, most?.value);
                let part = random.unit() * random.unit() * (b - a);
                let value = if random.below(2) == 0 { a + part } else { b - part };
                Some(self.between_or(value, a, b))
            }
            _ => None,
        }
    }

    fn between(&self, least: f64, most: f64, random: &mut Random) -> u64 {
        self.between_or(least + random.unit() * (most - least), least, most)
    }

    fn between_or(&self, value: f64, least: f64, most: f64) -> u64 {
        from_double(value.clamp(least, most), self.sort)
    }

    fn moved(&self, word: u64, by: i64) -> u64 {
        match self.sort {
            Sort::Bool => (word ^ by as u64) & 1,
            Sort::BitVec(width) => word.wrapping_add(by as u64) & mask(width),
            // The next ones of the same sign.
            Sort::Float(format) => word.wrapping_add(by as u64) & mask(format.width()),
            _ => word,
        }
    }

    /// Any value.
    fn any(&self, random: &mut Random) -> u64 {
        match self.sort {
            Sort::Bool => random.next() & 1,
            Sort::BitVec(width) => match random.below(8) {
                0 => random.below(4) & mask(width),
                1 => random.below(1 << width.min(12)) & mask(width),
                2 => random.below(16).wrapping_neg() & mask(width),
                3 => (mask(width) >> 1).wrapping_add(random.below(2)) & mask(width),
                _ => random.next() & mask(width),
            },
            sort @ Sort::Float(format) => match random.below(8) {
                0 => random.next() & mask(format.width()),
                1 => from_double(0.0, sort),
                2 => from_double(random.below(2000) as f64 - 1000.0, sort),
                3 => from_double((random.unit() - 0.5) * 1e6, sort),
                _ => from_double(
                    (random.unit() - 0.5) * 10f64.powi(random.below(7) as i32 - 2),
                    sort,
                ),
            },
            _ => 0,
        }
    }

    /// A value was accepted or refused.
    pub fn learn(&mut self, way: usize, accepted: bool) {
        let (good, bad) = &mut self.luck[way];
        match accepted {
            true => *good = (*good + 1).min(1000),
            false => *bad = (*bad + 1).min(10_000),
        }
    }
}

/// How often a way is taken.
fn weight((good, bad): &(u32, u32)) -> u32 {
    // What is refused nearly always has shown by then what a refusal can show.
    let hopeless = *bad > 130 && *bad > 20 * good;
    if hopeless { 0 } else { (100 * (good + 1) / (good + bad + 1)).max(1) }
}

fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width.clamp(1, 64))
}

/// The word of a value that has the sort, or of an integer constant that is as large.
fn word_of(value: &Value, sort: Sort) -> Option<u64> {
    match (value, sort) {
        (Value::Bool(b), Sort::Bool) => Some(u64::from(*b)),
        (Value::Bits(bits), Sort::BitVec(width)) => {
            let low = bits.to_u64()?;
            // A constant of another width, with its sign.
            let negative = bits.width() <= 64 && low >> (bits.width() - 1) & 1 == 1;
            let extended = if negative { low | !mask(bits.width()) } else { low };
            Some(extended & mask(width))
        }
        (Value::Float(float), Sort::Float(format)) if float.format() == format => {
            float.to_bits().to_u64()
        }
        (Value::Float(float), Sort::Float(_)) => {
            let double = float.to_f64().or_else(|| float.to_f32().map(f64::from))?;
            Some(from_double(double, sort))
        }
        _ => None,
    }
}

/// Whether the word has the sign of its sort.
fn sign(word: u64, sort: Sort) -> bool {
    match sort {
        Sort::BitVec(width) => word >> (width - 1) & 1 == 1,
        _ => false,
    }
}

fn number(word: u64, sort: Sort, signed: bool) -> Number {
    let value = match sort {
        Sort::Float(format) if format == Format::F32 => f64::from(f32::from_bits(word as u32)),
        Sort::Float(_) => f64::from_bits(word),
        Sort::BitVec(width) if signed && sign(word, sort) => (word | !mask(width)) as i64 as f64,
        _ => word as f64,
    };
    Number { word, value }
}

/// The word of a number, as near as the sort has one.
pub fn from_double(value: f64, sort: Sort) -> u64 {
    match sort {
        Sort::Bool => u64::from(value >= 0.5),
        Sort::BitVec(width) => {
            let whole = value.round();
            let word = if whole < 0.0 { whole as i64 as u64 } else { whole as u64 };
            word & mask(width)
        }
        Sort::Float(format) if format == Format::F32 => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

/// Constants of assumptions in the function that takes the value.
fn assumed(
    program: &Program,
    (function, _): (FunctionId, EdgeId),
    sort: Sort,
    near: &mut BTreeSet<u64>,
) {
    let Some(body) = &program.functions[function].body else { return };
    for edge in body.edges.values() {
        if let Instruction::Assume(term) | Instruction::Assign(_, term) = &edge.instruction {
            for term in subterms(&program.pool, &[*term]) {
                near.extend(program.pool.value(term).and_then(|value| word_of(value, sort)));
            }
        }
    }
    if near.len() > 16 {
        near.clear();
    }
}

/// The constants that the program computes with, by sort.
pub fn dictionary(program: &Program) -> FxHashMap<Sort, Vec<u64>> {
    let mut found: FxHashMap<Sort, BTreeSet<u64>> = FxHashMap::default();
    let terms: Vec<_> = program.edges().flat_map(|(_, edge)| edge.instruction.terms()).collect();
    for term in subterms(&program.pool, &terms) {
        let Some(value) = program.pool.value(term) else { continue };
        let sort = program.pool.sort(term);
        let sorts: &[Sort] = match sort {
            // Conversions make constants of one width those of others.
            Sort::BitVec(_) => {
                &[Sort::BitVec(8), Sort::BitVec(16), Sort::BitVec(32), Sort::BitVec(64)]
            }
            Sort::Float(_) => &[Sort::Float(Format::F32), Sort::Float(Format::F64)],
            _ => continue,
        };
        for sort in sorts {
            if let Some(word) = word_of(value, *sort) {
                found.entry(*sort).or_default().insert(word);
            }
        }
    }
    found.into_iter().map(|(sort, words)| (sort, words.into_iter().collect())).collect()
}

/// Whether zero is the value to give: nothing of the source's world says it.
pub fn is_made_up(cause: &Cause) -> bool {
    matches!(cause, Cause::Uninitialized)
}
