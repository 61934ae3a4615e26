//! The writer: nodes are numbered anew, and every initial value stands before its state, as the
//! format wants.

use super::{Op, Operand, Root, Sort, System};
use std::collections::BTreeMap;
use std::io::Write as _;

/// The system as a BTOR2 file.
///
/// Inputs keep their order; so do states, unless a state's initial value depends on a state
/// that was declared after it.
pub fn write(system: &System) -> Vec<u8> {
    let mut writer = Writer {
        system,
        out: Vec::new(),
        last: 0,
        sorts: BTreeMap::new(),
        ids: vec![0; system.nodes.len()],
    };
    for node in system.init_order.iter().copied().chain(0..system.nodes.len()) {
        if writer.ids[node] == 0 {
            writer.node(node);
        }
    }
    for state in &system.states {
        for (keyword, value) in [("init", state.init), ("next", state.next)] {
            if let Some(value) = value {
                let sort = writer.sort(system.nodes[state.node].sort);
                let (state, value) = (writer.ids[state.node], writer.operand(value));
                writer.line(&format!("{keyword} {sort} {state} {value}"), None);
            }
        }
    }
    let roots: [(&str, &[Root]); 3] =
        [("constraint", &system.constraints), ("bad", &system.bads), ("output", &system.outputs)];
    for (keyword, roots) in roots {
        for root in roots {
            let value = writer.operand(root.value);
            writer.line(&format!("{keyword} {value}"), root.symbol.as_deref());
        }
    }
    writer.out
}

struct Writer<'a> {
    system: &'a System,
    out: Vec<u8>,
    /// The last identifier given.
    last: u64,
    sorts: BTreeMap<Sort, u64>,
    /// By node; 0 before it is written.
    ids: Vec<u64>,
}

impl Writer<'_> {
    fn line(&mut self, text: &str, symbol: Option<&str>) -> u64 {
        self.last += 1;
        let symbol = symbol.map(|s| format!(" {}", one_word(s))).unwrap_or_default();
        writeln!(self.out, "{} {text}{symbol}", self.last).expect("writing to memory succeeds");
        self.last
    }

    fn sort(&mut self, sort: Sort) -> u64 {
        if let Some(id) = self.sorts.get(&sort) {
            return *id;
        }
        let text = match sort {
            Sort::BitVec(width) => format!("sort bitvec {width}"),
            Sort::Array { index, element } => {
                let index = self.sort(Sort::BitVec(index));
                let element = self.sort(Sort::BitVec(element));
                format!("sort array {index} {element}")
            }
        };
        let id = self.line(&text, None);
        self.sorts.insert(sort, id);
        id
    }

    fn operand(&self, operand: Operand) -> String {
        format!("{}{}", if operand.negated { "-" } else { "" }, self.ids[operand.node])
    }

    fn node(&mut self, index: usize) {
        let node = &self.system.nodes[index];
        let sort = self.sort(node.sort);
        let name = match &node.op {
            Op::Input => "input",
            Op::State => "state",
            Op::Const(_) => "const",
            Op::Zero => "zero",
            Op::One => "one",
            Op::Ones => "ones",
            Op::Unary(op) => op.name(),
            Op::SignExtend(_) => "sext",
            Op::ZeroExtend(_) => "uext",
            Op::Slice { .. } => "slice",
            Op::Binary(op) => op.name(),
            Op::Ite => "ite",
            Op::Read => "read",
            Op::Write => "write",
        };
        let mut text = format!("{name} {sort}");
        for operand in &node.args {
            text.push(' ');
            text.push_str(&self.operand(*operand));
        }
        match &node.op {
            Op::Const(bits) => text.push_str(&format!(" {}", bits.to_binary())),
            Op::SignExtend(by) | Op::ZeroExtend(by) => text.push_str(&format!(" {by}")),
            Op::Slice { high, low } => text.push_str(&format!(" {high} {low}")),
            _ => {}
        }
        self.ids[index] = self.line(&text, node.symbol.as_deref());
    }
}

/// A symbol is one word, and no comment.
fn one_word(symbol: &str) -> String {
    let word: String = symbol.chars().map(|c| if c.is_whitespace() { '_' } else { c }).collect();
    match word.strip_prefix(';') {
        Some(rest) => format!("_{rest}"),
        None => word,
    }
}
