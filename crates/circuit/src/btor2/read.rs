//! The reader.

use super::error::{Problem, ReadError};
use super::line::{Line, Word};
use super::op::{Binary, Op, Unary};
use super::typing::sort_of;
use super::{MAX_WIDTH, Node, Operand, Root, Sort, State, System};
use crate::place::Place;
use std::collections::HashMap;
use value::Bits;

/// Reads a BTOR2 file.
///
/// Ensures: all nodes are well sorted, and operands are earlier nodes. An initial value may stand
/// after its state, which the format forbids but some writers do, as long as no initial value
/// depends on itself.
pub fn read(bytes: &[u8]) -> Result<System, ReadError> {
    let mut reader = Reader::default();
    for (k, line) in bytes.split(|b| *b == b'\n').enumerate() {
        reader.line(Line::new(line, k + 1))?;
    }
    reader.finish()
}

/// What an identifier names.
#[derive(Clone, Copy)]
enum Named {
    Sort(Sort),
    Node(usize),
    /// A line without a value.
    Other,
}

#[derive(Default)]
struct Reader {
    system: System,
    /// What an identifier names, and on which line.
    names: HashMap<u64, (Named, usize)>,
    /// The index in `system.states` of a node that is a state.
    state_of_node: HashMap<usize, usize>,
    /// The lines of `init`, by state.
    init_lines: HashMap<usize, usize>,
}

impl Reader {
    fn line(&mut self, mut line: Line<'_>) -> Result<(), ReadError> {
        let Some(first) = line.word() else { return Ok(()) };
        line = line.restarted();
        let (id, negated, _) = line.reference("the line's identifier (a positive number)")?;
        if negated {
            return Err(line.error(first, Problem::Negated("a line's identifier")));
        }
        if let Some((_, first_line)) = self.names.get(&id) {
            let problem = Problem::Redefined { id, first: *first_line };
            return Err(line.error(first, problem));
        }
        let keyword = line.required("a keyword")?;
        let named = self.declaration(&mut line, keyword)?;
        self.names.insert(id, (named, line.number));
        Ok(())
    }

    fn declaration(&mut self, line: &mut Line<'_>, keyword: Word<'_>) -> Result<Named, ReadError> {
        match keyword.bytes {
            b"sort" => return self.sort_declaration(line),
            b"init" => self.init(line)?,
            b"next" => self.next(line)?,
            b"bad" => {
                let root = self.root(line, true)?;
                self.system.bads.push(root);
            }
            b"constraint" => {
                let root = self.root(line, true)?;
                self.system.constraints.push(root);
            }
            b"output" => {
                let root = self.root(line, false)?;
                self.system.outputs.push(root);
            }
            b"fair" => return Err(line.error(keyword, Problem::Liveness("fair"))),
            b"justice" => return Err(line.error(keyword, Problem::Liveness("justice"))),
            _ => return self.node(line, keyword).map(Named::Node),
        }
        Ok(Named::Other)
    }

    /// `sort bitvec W` or `sort array S S`
    fn sort_declaration(&mut self, line: &mut Line<'_>) -> Result<Named, ReadError> {
        let kind = line.required("\"bitvec\" or \"array\"")?;
        let sort = match kind.bytes {
            b"bitvec" => {
                let (width, word) = line.number("a width")?;
                if width == 0 || width > u64::from(MAX_WIDTH) {
                    return Err(line.error(word, Problem::Width(width)));
                }
                Sort::BitVec(width as u32)
            }
            b"array" => {
                let (index, word) = self.sort(line)?;
                let index = index.width().ok_or_else(|| line.error(word, Problem::NestedArray))?;
                let (element, word) = self.sort(line)?;
                let element =
                    element.width().ok_or_else(|| line.error(word, Problem::NestedArray))?;
                Sort::Array { index, element }
            }
            _ => return Err(line.unexpected(kind, "\"bitvec\" or \"array\"")),
        };
        line.symbol()?;
        Ok(Named::Sort(sort))
    }

    /// A reference to a sort.
    fn sort<'a>(&self, line: &mut Line<'a>) -> Result<(Sort, Word<'a>), ReadError> {
        let (id, negated, word) = line.reference("the identifier of a sort")?;
        if negated {
            return Err(line.error(word, Problem::Negated("a sort")));
        }
        match self.names.get(&id) {
            Some((Named::Sort(sort), _)) => Ok((*sort, word)),
            Some((_, number)) => Err(line.error(word, Problem::NotASort { id, line: *number })),
            None => Err(line.error(word, Problem::Undefined(id))),
        }
    }

    /// A reference to a value.
    fn operand<'a>(&self, line: &mut Line<'a>) -> Result<(Operand, Word<'a>), ReadError> {
        let (id, negated, word) = line.reference("the identifier of a value")?;
        match self.names.get(&id) {
            Some((Named::Node(node), _)) => {
                if negated && self.system.nodes[*node].sort.width().is_none() {
                    return Err(line.error(word, Problem::Negated("an array")));
                }
                Ok((Operand { node: *node, negated }, word))
            }
            Some((_, number)) => Err(line.error(word, Problem::NotAValue { id, line: *number })),
            None => Err(line.error(word, Problem::Undefined(id))),
        }
    }

    /// Any line that has a value.
    fn node(&mut self, line: &mut Line<'_>, keyword: Word<'_>) -> Result<usize, ReadError> {
        let name = std::str::from_utf8(keyword.bytes).unwrap_or("");
        if !is_node_keyword(name) {
            let shown = keyword.text().chars().take(40).collect();
            return Err(line.error(keyword, Problem::Keyword(shown)));
        }
        let (declared, sort_word) = self.sort(line)?;
        let mut args = Vec::new();
        let mut words = Vec::new();
        for _ in 0..arity(name) {
            let (operand, word) = self.operand(line)?;
            args.push(operand);
            words.push(word);
        }
        let op = self.op(line, name, declared, sort_word)?;
        let sorts: Vec<Sort> = args.iter().map(|a| self.system.sort(*a)).collect();
        let computed = sort_of(&op, &sorts, declared).map_err(|problem| {
            let at = match problem {
                Problem::OperandSort { number, .. } => words[number - 1],
                _ => keyword,
            };
            line.error(at, problem)
        })?;
        if computed != declared {
            let problem = Problem::DeclaredSort { declared, computed: computed.to_string() };
            return Err(line.error(sort_word, problem));
        }
        let symbol = line.symbol()?;
        let index = self.system.nodes.len();
        match op {
            Op::Input => self.system.inputs.push(index),
            Op::State => {
                self.state_of_node.insert(index, self.system.states.len());
                self.system.states.push(State { node: index, init: None, next: None });
            }
            _ => {}
        }
        self.system.nodes.push(Node { op, args, sort: declared, symbol, line: line.number });
        Ok(index)
    }

    /// The operator of a keyword; reads what follows the operands.
    fn op(
        &self,
        line: &mut Line<'_>,
        name: &str,
        declared: Sort,
        sort_word: Word<'_>,
    ) -> Result<Op, ReadError> {
        Ok(match name {
            "input" => Op::Input,
            "state" => Op::State,
            "zero" => Op::Zero,
            "one" => Op::One,
            "ones" => Op::Ones,
            "const" => Op::Const(constant(line, declared, sort_word, 2)?),
            "constd" => Op::Const(constant(line, declared, sort_word, 10)?),
            "consth" => Op::Const(constant(line, declared, sort_word, 16)?),
            "sext" | "uext" => {
                let (by, word) = line.number("by how many bits to extend")?;
                let too_wide = || line.error(word, Problem::Width(by));
                let by = u32::try_from(by).ok().filter(|by| *by <= MAX_WIDTH);
                let by = by.ok_or_else(too_wide)?;
                if name == "sext" { Op::SignExtend(by) } else { Op::ZeroExtend(by) }
            }
            "slice" => {
                let (high, _) = line.number("the highest bit of the slice")?;
                let (low, _) = line.number("the lowest bit of the slice")?;
                // Indices beyond 32 bits are beyond any width, and stay so when cut off.
                let cut = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
                Op::Slice { high: cut(high), low: cut(low) }
            }
            "ite" => Op::Ite,
            "read" => Op::Read,
            "write" => Op::Write,
            _ => match (Unary::from_name(name), Binary::from_name(name)) {
                (Some(op), _) => Op::Unary(op),
                (None, Some(op)) => Op::Binary(op),
                (None, None) => unreachable!("the keyword was checked before its operands"),
            },
        })
    }

    /// `bad N`, `constraint N`, `output N`
    fn root(&mut self, line: &mut Line<'_>, truth: bool) -> Result<Root, ReadError> {
        let (value, word) = self.operand(line)?;
        let found = self.system.sort(value);
        if truth && found != Sort::BOOL {
            let expected = Sort::BOOL.to_string();
            return Err(line.error(word, Problem::OperandSort { number: 1, expected, found }));
        }
        Ok(Root { value, symbol: line.symbol()?, line: line.number })
    }

    /// The common part of `init S N N` and `next S N N`: the state's index and the value.
    fn assignment(
        &mut self,
        line: &mut Line<'_>,
        splat: bool,
    ) -> Result<(usize, Operand), ReadError> {
        let (declared, sort_word) = self.sort(line)?;
        let (target, word) = self.operand(line)?;
        if target.negated {
            return Err(line.error(word, Problem::Negated("a state that is assigned")));
        }
        let Some(state) = self.state_of_node.get(&target.node).copied() else {
            let (id, of) = (parse_id(word), self.system.nodes[target.node].line);
            return Err(line.error(word, Problem::NotAState { id, line: of }));
        };
        let sort = self.system.sort(target);
        if sort != declared {
            let problem = Problem::DeclaredSort { declared, computed: sort.to_string() };
            return Err(line.error(sort_word, problem));
        }
        let (value, word) = self.operand(line)?;
        let found = self.system.sort(value);
        let all_elements = match sort {
            Sort::Array { element, .. } => splat && found == Sort::BitVec(element),
            Sort::BitVec(_) => false,
        };
        if found != sort && !all_elements {
            let expected = sort.to_string();
            return Err(line.error(word, Problem::OperandSort { number: 2, expected, found }));
        }
        line.symbol()?;
        Ok((state, value))
    }

    fn init(&mut self, line: &mut Line<'_>) -> Result<(), ReadError> {
        let (state, value) = self.assignment(line, true)?;
        if self.system.states[state].init.replace(value).is_some() {
            return Err(line.error_at_start(Problem::Twice("initial value")));
        }
        self.init_lines.insert(state, line.number);
        Ok(())
    }

    fn next(&mut self, line: &mut Line<'_>) -> Result<(), ReadError> {
        let (state, value) = self.assignment(line, false)?;
        if self.system.states[state].next.replace(value).is_some() {
            return Err(line.error_at_start(Problem::Twice("next value")));
        }
        Ok(())
    }

    /// Works out in which order initial values can be computed.
    fn finish(mut self) -> Result<System, ReadError> {
        let mut order = InitOrder {
            system: &self.system,
            state_of_node: &self.state_of_node,
            marks: vec![Mark::New; self.system.nodes.len()],
            order: Vec::new(),
        };
        for (k, state) in self.system.states.iter().enumerate() {
            order.visit(state.node).map_err(|problem| {
                let line = self.init_lines.get(&k).copied().unwrap_or(1);
                ReadError { place: Place::Text { line, column: 1 }, problem }
            })?;
        }
        self.system.init_order = order.order;
        Ok(self.system)
    }
}

/// Where a depth-first search stands with a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    Open,
    Done,
}

/// A depth-first search in which a state leads to its initial value.
struct InitOrder<'a> {
    system: &'a System,
    state_of_node: &'a HashMap<usize, usize>,
    marks: Vec<Mark>,
    order: Vec<usize>,
}

impl InitOrder<'_> {
    /// The stack holds the path and, above each of its nodes, what is still to be visited; a
    /// node that is met while open closes a cycle.
    fn visit(&mut self, root: usize) -> Result<(), Problem> {
        let mut stack = vec![root];
        while let Some(node) = stack.last().copied() {
            match self.marks[node] {
                Mark::Done => {
                    stack.pop();
                }
                Mark::Open => {
                    self.marks[node] = Mark::Done;
                    self.order.push(node);
                    stack.pop();
                }
                Mark::New => {
                    self.marks[node] = Mark::Open;
                    self.enter(node, &mut stack)?;
                }
            }
        }
        Ok(())
    }

    fn enter(&self, node: usize, stack: &mut Vec<usize>) -> Result<(), Problem> {
        let shown = &self.system.nodes[node];
        if shown.op == Op::Input {
            return Err(Problem::InitReadsInput(shown.line));
        }
        let init = self.state_of_node.get(&node).and_then(|s| self.system.states[*s].init);
        for needed in shown.args.iter().chain(&init) {
            match self.marks[needed.node] {
                Mark::New => stack.push(needed.node),
                Mark::Open => return Err(Problem::InitCycle),
                Mark::Done => {}
            }
        }
        Ok(())
    }
}

/// The number that a word was just read as.
fn parse_id(word: Word<'_>) -> u64 {
    word.text().parse().unwrap_or(0)
}

fn is_node_keyword(name: &str) -> bool {
    let others = [
        "input", "state", "zero", "one", "ones", "const", "constd", "consth", "sext", "uext",
        "slice", "ite", "read", "write",
    ];
    others.contains(&name) || Unary::from_name(name).is_some() || Binary::from_name(name).is_some()
}

/// How many operands a keyword of [`is_node_keyword`] takes.
fn arity(name: &str) -> usize {
    match name {
        "input" | "state" | "zero" | "one" | "ones" | "const" | "constd" | "consth" => 0,
        "sext" | "uext" | "slice" => 1,
        "read" => 2,
        "ite" | "write" => 3,
        _ => {
            if Unary::from_name(name).is_some() {
                1
            } else {
                2
            }
        }
    }
}

/// The digits of a constant.
fn constant(
    line: &mut Line<'_>,
    declared: Sort,
    sort_word: Word<'_>,
    radix: u32,
) -> Result<Bits, ReadError> {
    let expected = match radix {
        2 => "binary digits",
        10 => "a decimal number",
        _ => "hexadecimal digits",
    };
    let word = line.required(expected)?;
    let Sort::BitVec(width) = declared else {
        let problem = Problem::DeclaredSort { declared, computed: "bit vector".to_owned() };
        return Err(line.error(sort_word, problem));
    };
    let text = std::str::from_utf8(word.bytes).map_err(|_| line.unexpected(word, expected))?;
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) if radix == 10 => (true, digits),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(line.unexpected(word, expected));
    }
    let significant = digits.trim_start_matches('0');
    let too_large = || line.error(word, Problem::ConstantTooLarge(width));
    // Every digit of any base takes at least one bit; this keeps the conversion cheap.
    if significant.len() > width as usize {
        return Err(too_large());
    }
    let significant = if significant.is_empty() { "0" } else { significant };
    let magnitude = num_bigint::BigUint::parse_bytes(significant.as_bytes(), radix)
        .ok_or_else(|| line.unexpected(word, expected))?;
    if magnitude.bits() > u64::from(width) {
        return Err(too_large());
    }
    let bits = Bits::from_biguint(width, magnitude);
    match negative {
        false => Ok(bits),
        true if !bits.is_negative() || bits.is_min_signed() => Ok(bits.neg()),
        true => Err(too_large()),
    }
}
