//! Files and what is asked of them to a program.

use crate::ast::Expr;
use crate::dialect::Dialect;
use crate::library;
use crate::lower::{self, Bound, Lowered, Options, Pattern, Requirement};
use crate::parse;
use program::Property;
use source::{Diagnostic, SourceMap};
use std::collections::BTreeSet;

/// How files are read, and what is asked of them.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The dialect; none to notice it.
    pub dialect: Option<Dialect>,
    /// The least and the greatest duration of a cycle, in nanoseconds.
    pub cycle: (u64, u64),
    /// After how many cycles runs end; none for never.
    pub cycles: Option<u64>,
    /// Variables that take any value in each cycle, besides inputs.
    pub inputs: Vec<String>,
    /// What has to hold, besides claims in the code.
    pub stated: Vec<Stated>,
    /// The file that they are from, if it was found beside the program and nobody named it.
    pub beside: Option<String>,
    /// Whether runs are to be given and seen.
    pub observed: bool,
    /// Whether there are probes for structural coverage.
    pub coverage: bool,
    /// How many rounds all loops of a cycle may have together; none for any number.
    pub watchdog: Option<u32>,
}

impl Default for Settings {
    fn default() -> Settings {
        let Options { cycle, cycles, inputs, observed, coverage, watchdog, .. } =
            Options::default();
        Settings {
            dialect: None,
            cycle,
            cycles,
            inputs,
            stated: Vec::new(),
            beside: None,
            observed,
            coverage,
            watchdog,
        }
    }
}

/// A requirement as it is typed.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Stated {
    /// The name of a pattern, in small letters, without `pattern-`.
    pub pattern: String,
    /// Its expressions, in order.
    pub expressions: Vec<String>,
    /// What it is called; empty if it has no name.
    pub name: String,
    /// What it says, for people; may be empty.
    pub text: String,
    /// Where it stands, if in a file.
    pub place: Option<program::Place>,
}

impl Stated {
    /// A pattern with its expressions.
    pub fn new(pattern: impl Into<String>, expressions: Vec<String>) -> Stated {
        Stated { pattern: pattern.into(), expressions, ..Stated::default() }
    }

    /// An expression that holds at the end of each cycle.
    pub fn assertion(expression: &str) -> Stated {
        Stated::new("invariant", vec![expression.into()])
    }

    /// An expression that holds at the end of some cycle.
    pub fn reachable(expression: &str) -> Stated {
        Stated::new("reachability", vec![expression.into()])
    }

    /// Whether a run that fails shows that it holds.
    pub fn is_reachability(&self) -> bool {
        self.pattern == "reachability"
    }

    /// What a violation leaves open, if it is none: inputs can avoid for ever what they perhaps can also
    /// bring about at any time. That it can't be avoided is more than is demanded.
    pub fn doubt(&self) -> Option<&'static str> {
        let demanded = self.pattern == "repeatability" && self.expressions.len() == 1;
        demanded.then_some(
            "inputs can avoid it for ever; whether others can always bring it about is not decided",
        )
    }

    /// Its name, or what it demands.
    pub fn title(&self) -> String {
        match self.name.is_empty() {
            true => format!("{}({})", self.pattern, self.expressions.join("; ")),
            false => self.name.clone(),
        }
    }
}

/// The patterns that are known, with the least and the greatest number of their expressions.
pub const PATTERNS: [(&str, usize, usize); 12] = [
    ("invariant", 1, 1),
    ("implication", 2, 2),
    ("forbidden", 1, 1),
    ("statechange-duringcycle", 2, 2),
    ("statechange-betweencycles", 3, 3),
    ("response", 2, 3),
    ("leadsto", 2, 3),
    ("leadsto-earlier", 2, 2),
    ("leadsto-trigger", 3, 3),
    ("timed-trigger", 3, 3),
    ("repeatability", 1, 2),
    ("reachability", 1, 1),
];

/// Why there is no pattern of a name with so many expressions, if there is none.
pub fn unfit(pattern: &str, count: usize) -> Option<String> {
    let number = |least: usize, most: usize| match least == most {
        true => least.to_string(),
        false => format!("{least} or {most}"),
    };
    match PATTERNS.iter().find(|(name, ..)| *name == pattern) {
        Some((_, least, most)) if (*least..=*most).contains(&count) => None,
        Some((_, least, most)) => Some(format!(
            "{pattern} has {} expressions, from \"1\" on; there are {count}",
            number(*least, *most)
        )),
        None => {
            let names: Vec<&str> = PATTERNS.iter().map(|(name, ..)| *name).collect();
            Some(format!("there is no pattern '{pattern}'; there are {}", names.join(", ")))
        }
    }
}

/// A text to read.
pub struct Text {
    /// The name that messages give it.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What was read.
pub struct Compiled {
    /// The texts, those of requirements and of the library among them.
    pub sources: SourceMap,
    /// The program, or what is wrong.
    pub lowered: Result<Lowered, Vec<Diagnostic>>,
}

/// Reads, types and lowers files. The entry is the unit that runs; none for what the files say.
pub fn compile(
    texts: Vec<Text>,
    entry: Option<&str>,
    properties: &BTreeSet<Property>,
    settings: &Settings,
) -> Compiled {
    source::stack::with_deep_stack(|| {
        let mut sources = SourceMap::new();
        let lowered = compile_into(&mut sources, texts, entry, properties, settings);
        Compiled { sources, lowered }
    })
}

fn compile_into(
    sources: &mut SourceMap,
    texts: Vec<Text>,
    entry: Option<&str>,
    properties: &BTreeSet<Property>,
    settings: &Settings,
) -> Result<Lowered, Vec<Diagnostic>> {
    let mut files = Vec::new();
    for text in texts {
        files.push(added(sources, &text.name, text.bytes)?);
    }
    let unit = parse::parse(sources, &files, settings.dialect)?;
    let library = library::read(sources)?;
    let mut requirements = Vec::new();
    // The verdict on what is to be reached is the opposite of that on what has to hold.
    let asserted = |property: &Property| matches!(property, Property::Reach | Property::Assert);
    let others = settings.stated.len() > 1 || !properties.iter().all(asserted);
    if others && settings.stated.iter().any(Stated::is_reachability) {
        let message = "what is to be reached is asked about alone, without other requirements or \
                       properties";
        return Err(vec![*Diagnostic::error(source::Span::default(), message)]);
    }
    let endless = |stated: &Stated| {
        let count = stated.expressions.len();
        matches!((stated.pattern.as_str(), count), ("response", 2) | ("repeatability", 1))
    };
    if settings.cycles.is_some() && settings.stated.iter().any(endless) {
        let message = "what has to happen some time, without a bound, is asked about runs without \
                       end (--cycles unbounded)";
        return Err(vec![*Diagnostic::error(source::Span::default(), message)]);
    }
    for stated in &settings.stated {
        requirements.push(requirement(sources, unit.dialect, stated)?);
    }
    let options = Options {
        entry: entry.map(str::to_owned),
        cycle: settings.cycle,
        cycles: settings.cycles,
        inputs: settings.inputs.clone(),
        requirements,
        properties: properties.clone(),
        observed: settings.observed,
        coverage: settings.coverage,
        watchdog: settings.watchdog,
    };
    lower::lower(&unit, &library, sources, &options)
}

fn added(
    sources: &mut SourceMap,
    name: &str,
    bytes: Vec<u8>,
) -> Result<source::FileId, Vec<Diagnostic>> {
    sources
        .add(name, bytes)
        .map_err(|error| vec![*Diagnostic::error(source::Span::default(), error.to_string())])
}

/// A requirement with its expressions read.
fn requirement(
    sources: &mut SourceMap,
    dialect: Dialect,
    stated: &Stated,
) -> Result<Requirement, Vec<Diagnostic>> {
    let wrong = |message| vec![*Diagnostic::error(source::Span::default(), message)];
    if let Some(message) = unfit(&stated.pattern, stated.expressions.len()) {
        return Err(wrong(message));
    }
    let mut read = |number: usize| {
        let text = &stated.expressions[number - 1];
        let file = added(sources, "requirement", text.as_bytes().to_vec())?;
        let expression = parse::expression(sources, file, dialect)?;
        careful(&expression)?;
        Ok(expression)
    };
    // What a number without a unit counts.
    let cycles = |number| Bound::Cycles(number);
    let milliseconds = |number| Bound::Time(u64::from(number));
    let pattern = match (stated.pattern.as_str(), stated.expressions.len()) {
        ("invariant", _) => Pattern::Invariant(read(1)?),
        ("implication", _) => Pattern::Implication(read(1)?, read(2)?),
        ("forbidden", _) => Pattern::Forbidden(read(1)?),
        ("statechange-duringcycle", _) => Pattern::DuringCycle(read(1)?, read(2)?),
        ("statechange-betweencycles", _) => Pattern::BetweenCycles(read(1)?, read(2)?, read(3)?),
        ("response", 2) => Pattern::Eventually(Some(read(1)?), read(2)?),
        ("response", _) => {
            let (trigger, response) = (read(1)?, read(2)?);
            Pattern::Response(Some(trigger), response, bound(stated, 3, &mut read, cycles)?)
        }
        ("leadsto", count) => {
            let (now, before) = (read(1)?, read(2)?);
            let within = match count {
                3 => Some(bound(stated, 3, &mut read, cycles)?),
                _ => None,
            };
            Pattern::Before(now, before, within)
        }
        ("leadsto-earlier", _) => Pattern::BeforeOrWithin(read(1)?, read(2)?),
        ("leadsto-trigger", _) => Pattern::Changed(read(1)?, read(2)?, read(3)?),
        ("timed-trigger", _) => {
            let trigger = read(1)?;
            let time = bound(stated, 2, &mut read, milliseconds)?;
            Pattern::Held(trigger, time, read(3)?)
        }
        ("repeatability", 1) => Pattern::Eventually(None, read(1)?),
        ("repeatability", _) => {
            let expression = read(1)?;
            Pattern::Response(None, expression, bound(stated, 2, &mut read, cycles)?)
        }
        _ => Pattern::Reachable(read(1)?),
    };
    let place = stated.place.clone();
    Ok(Requirement { text: stated.expressions.join("; "), pattern, place })
}

/// A bound: a time (`T#300ms`), a number of cycles (`5 cycles`), or a number that counts what the pattern
/// says.
fn bound(
    stated: &Stated,
    number: usize,
    read: &mut impl FnMut(usize) -> Result<Expr, Vec<Diagnostic>>,
    plain: impl Fn(u32) -> Bound,
) -> Result<Bound, Vec<Diagnostic>> {
    use crate::ast::{ExprKind, Literal, LiteralKind};
    let text = stated.expressions[number - 1].trim().to_lowercase();
    let named = text.strip_suffix("cycles").or_else(|| text.strip_suffix("cycle"));
    if let Some(Ok(cycles @ 1..)) = named.map(|count| count.trim().parse()) {
        return Ok(Bound::Cycles(cycles));
    }
    let expr = read(number)?;
    let found = match &expr.kind {
        ExprKind::Literal(Literal {
            kind: LiteralKind::Int { negative: false, value, .. },
            ..
        }) => u32::try_from(*value).ok().filter(|&number| number > 0).map(plain),
        ExprKind::Literal(Literal { kind: LiteralKind::Time { nanoseconds, .. }, .. }) => {
            let whole = nanoseconds % 1_000_000 == 0;
            let milliseconds = u64::try_from(nanoseconds / 1_000_000).ok();
            let fits = |time: &u64| whole && (1..1 << 30).contains(time);
            milliseconds.filter(fits).map(Bound::Time)
        }
        _ => None,
    };
    found.ok_or_else(|| {
        let message = "expected a bound: a number of cycles, at least 1, or a time of whole \
                       milliseconds, such as T#300ms";
        vec![*Diagnostic::error(expr.span, message)]
    })
}

/// `NOT x >= 9` means `(NOT x) >= 9`, which nobody means.
fn careful(expr: &Expr) -> Result<(), Vec<Diagnostic>> {
    use crate::ast::{BinaryOp, ExprKind, UnaryOp};
    if let ExprKind::Binary(op, left, right) = &expr.kind {
        let compares = matches!(
            op,
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Ne | BinaryOp::Eq
        );
        let negated = matches!(&left.kind, ExprKind::Unary(UnaryOp::Not, operand)
            if matches!(operand.kind, ExprKind::Name(_) | ExprKind::Member(..)));
        let number = matches!(&right.kind, ExprKind::Literal(literal)
            if matches!(literal.kind, crate::ast::LiteralKind::Int { .. }));
        if compares && negated && number && left.span.end <= right.span.start {
            let message = "NOT binds tighter than the comparison after it";
            return Err(vec![
                *Diagnostic::error(expr.span, message)
                    .help("write NOT (a >= b), or (NOT a) in parentheses of its own"),
            ]);
        }
        careful(left)?;
        return careful(right);
    }
    if let ExprKind::Unary(_, operand) = &expr.kind {
        return careful(operand);
    }
    Ok(())
}
