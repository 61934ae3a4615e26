//! Large-block encoding: fewer locations, larger commands ([Lan18 §5.1.2]; Beyer, Cimatti,
//! Griggio, Keremoglu, Sebastiani: *Software Model Checking via Large-Block Encoding*, 2009).
//!
//! Three rules: no edge leaves the error location (*error sink*); a location between edges goes, and
//! each pair of an edge in and an edge out becomes one (*sequence*); parallel edges become one
//! (*choice*). They are applied until nothing changes, but no edge grows beyond a threshold. Heads
//! of loops stay, so every cycle keeps a location.
//!
//! A location with several edges in and several out stays as well: pairs of all would be more edges
//! than before; and what is copied for pairs stays within a multiple of the whole. Where the choice rule meets commands that begin alike, it keeps the common
//! beginning once, so that a branch and its join do not double what comes before them. Choices
//! nest at most [`NESTING`] deep.

use crate::cfa::{Cfa, Command, Edge, LocationId};
use crate::place::Place;
use crate::property::Property;
use crate::terms::Terms;
use la_arena::Arena;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use term::Pool;

/// The deepest nesting of choices that blocks make.
pub const NESTING: usize = 48;

/// The size of an automaton from which on less is copied.
const LARGE: usize = 400_000;

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The largest size of an edge's command, in commands and nodes of terms.
    pub size: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { size: 4_000 }
    }
}

/// The automaton with larger blocks; it has the same locations, of which many have no edges.
/// Locations in `kept` stay, beside the heads of loops.
pub fn encode(pool: &Pool, cfa: &Cfa, options: &Options, kept: &[bool]) -> Cfa {
    let mut encoded = cfa.clone();
    encode_with(&mut Terms::new(pool), &mut encoded, options, kept);
    encoded
}

/// The same in place, with what is known of terms already.
pub(crate) fn encode_with(terms: &mut Terms, cfa: &mut Cfa, options: &Options, kept: &[bool]) {
    let mut blocks = Blocks::new(terms, cfa, *options, kept);
    blocks.run();
    let mut edges: Arena<Edge> = Arena::new();
    for edge in blocks.edges.into_iter().flatten() {
        let Block { from, to, commands, place, violates, .. } = edge;
        let command = sequence(commands);
        edges.alloc(Edge { from, to, command, place, violates });
    }
    cfa.edges = edges;
}

/// The commands one after the other, without needless nesting.
pub fn sequence(mut commands: Vec<Command>) -> Command {
    match commands.len() {
        1 => commands.remove(0),
        _ => Command::Sequence(commands),
    }
}

/// The commands of a command, one after the other.
pub fn flatten(command: Command) -> Vec<Command> {
    let commands = match command {
        Command::Sequence(commands) => commands,
        other => return vec![other],
    };
    if !commands.iter().any(|command| matches!(command, Command::Sequence(_))) {
        return commands;
    }
    let mut flat = Vec::with_capacity(commands.len());
    let mut pending: Vec<Command> = commands.into_iter().rev().collect();
    while let Some(command) = pending.pop() {
        match command {
            Command::Sequence(commands) => pending.extend(commands.into_iter().rev()),
            other => flat.push(other),
        }
    }
    flat
}

/// The heads of loops: where an edge leads back to a location that is on the way to it.
pub fn loop_heads(cfa: &Cfa) -> Vec<bool> {
    let index = |location: LocationId| location.into_raw().into_u32() as usize;
    let edges: Vec<(usize, usize)> =
        cfa.edges.values().map(|edge| (index(edge.from), index(edge.to))).collect();
    let successors = crate::scc::Successors::new(cfa.locations.len(), &edges);
    let mut head = vec![false; cfa.locations.len()];
    let mut open = vec![false; cfa.locations.len()];
    let mut seen = vec![false; cfa.locations.len()];
    // Cycles that no run reaches have heads as well.
    for root in cfa.initial.map(index).into_iter().chain(0..cfa.locations.len()) {
        if seen[root] {
            continue;
        }
        let mut path = vec![(root, 0)];
        (open[root], seen[root]) = (true, true);
        while let Some((location, next)) = path.last_mut() {
            let Some(&target) = successors.of(*location).get(*next) else {
                open[*location] = false;
                path.pop();
                continue;
            };
            *next += 1;
            let target = target as usize;
            if open[target] {
                head[target] = true;
            } else if !seen[target] {
                (open[target], seen[target]) = (true, true);
                path.push((target, 0));
            }
        }
    }
    head
}

/// An edge under construction.
#[derive(Clone)]
struct Block {
    from: LocationId,
    to: LocationId,
    commands: Vec<Command>,
    place: Place,
    violates: Option<Property>,
    size: usize,
    /// How deep choices nest in it.
    nesting: usize,
}

struct Blocks<'m, 'a> {
    terms: &'m mut Terms<'a>,
    options: Options,
    edges: Vec<Option<Block>>,
    entering: Vec<SmallVec<[u32; 4]>>,
    leaving: Vec<SmallVec<[u32; 4]>>,
    kept: Vec<bool>,
    /// How much copying may still add.
    budget: usize,
}

fn index(location: LocationId) -> usize {
    location.into_raw().into_u32() as usize
}

impl<'m, 'a> Blocks<'m, 'a> {
    /// Takes the edges of the automaton.
    fn new(terms: &'m mut Terms<'a>, cfa: &mut Cfa, options: Options, kept: &[bool]) -> Self {
        let count = cfa.locations.len();
        let mut heads = loop_heads(cfa);
        for (head, kept) in heads.iter_mut().zip(kept) {
            *head |= kept;
        }
        let mut kept = heads;
        for location in cfa.initial.into_iter().chain(cfa.error) {
            kept[index(location)] = true;
        }
        let mut blocks = Blocks {
            terms,
            options,
            edges: Vec::with_capacity(cfa.edges.len()),
            entering: vec![SmallVec::new(); count],
            leaving: vec![SmallVec::new(); count],
            kept,
            budget: 0,
        };
        let mut total = 0;
        for (_, edge) in std::mem::take(&mut cfa.edges).into_iter() {
            // Error sink.
            if Some(edge.from) == cfa.error {
                continue;
            }
            let (size, nesting) = blocks.terms.command(&edge.command);
            let Edge { from, to, command, place, violates } = edge;
            let commands = flatten(command);
            let block = Block { from, to, commands, place, violates, size, nesting };
            total += size;
            blocks.insert(block);
        }
        let copies = if total > LARGE { total / 2 } else { 2 * total };
        blocks.budget = copies + 16 * options.size;
        blocks
    }

    fn insert(&mut self, block: Block) {
        let id = self.edges.len() as u32;
        self.leaving[index(block.from)].push(id);
        self.entering[index(block.to)].push(id);
        self.edges.push(Some(block));
    }

    fn remove(&mut self, id: u32) -> Option<Block> {
        let block = self.edges[id as usize].take()?;
        self.leaving[index(block.from)].retain(|other| *other != id);
        self.entering[index(block.to)].retain(|other| *other != id);
        Some(block)
    }

    fn run(&mut self) {
        let locations = self.entering.len();
        for location in 0..locations {
            self.merge_parallel(location);
        }
        // Chains first: they cost nothing.
        let mut pending: Vec<usize> = (0..locations).rev().collect();
        let mut waiting: Vec<usize> = Vec::new();
        let mut queued = vec![true; locations];
        loop {
            while let Some(location) = pending.pop() {
                queued[location] = false;
                let (ins, outs) = (self.entering[location].len(), self.leaving[location].len());
                if self.kept[location] || ins == 0 || outs == 0 || (ins > 1 && outs > 1) {
                    continue;
                }
                if ins > 1 || outs > 1 {
                    waiting.push(location);
                    continue;
                }
                self.eliminate(location, &mut pending, &mut queued);
            }
            // One branch or join, then the chains that come of it.
            let Some(location) = waiting.pop() else { break };
            self.eliminate(location, &mut pending, &mut queued);
        }
    }

    /// The sequence rule at a location, if no edge becomes too large.
    fn eliminate(&mut self, location: usize, pending: &mut Vec<usize>, queued: &mut [bool]) {
        let (ins, outs) = (self.entering[location].clone(), self.leaving[location].clone());
        if self.kept[location] || ins.is_empty() || outs.is_empty() {
            return;
        }
        if ins.len() > 1 && outs.len() > 1 {
            return;
        }
        let size =
            |blocks: &Self, id: &u32| blocks.edges[*id as usize].as_ref().map_or(0, |b| b.size);
        let largest_in = ins.iter().map(|id| size(self, id)).max().unwrap_or(0);
        let largest_out = outs.iter().map(|id| size(self, id)).max().unwrap_or(0);
        if largest_in + largest_out > self.options.size {
            return;
        }
        let copies = match (ins.len(), outs.len()) {
            (1, n) => (n - 1) * largest_in,
            (n, _) => (n - 1) * largest_out,
        };
        let Some(budget) = self.budget.checked_sub(copies) else { return };
        self.budget = budget;
        let mut neighbours: SmallVec<[usize; 8]> = SmallVec::new();
        let ins: Vec<Block> = ins.iter().filter_map(|id| self.remove(*id)).collect();
        let outs: Vec<Block> = outs.iter().filter_map(|id| self.remove(*id)).collect();
        let pairs = ins.len() * outs.len();
        let mut ins = ins.into_iter();
        if pairs == 1 {
            // The common case, without copies.
            if let (Some(first), Some(second)) = (ins.next(), outs.into_iter().next()) {
                neighbours.extend([index(first.from), index(second.to)]);
                self.insert(joined(first, &second));
            }
        } else {
            for first in ins {
                neighbours.push(index(first.from));
                for second in &outs {
                    neighbours.push(index(second.to));
                    self.insert(joined(first.clone(), second));
                }
            }
        }
        for &neighbour in &neighbours {
            self.merge_parallel(neighbour);
        }
        for neighbour in neighbours {
            if !std::mem::replace(&mut queued[neighbour], true) {
                pending.push(neighbour);
            }
        }
    }

    /// The choice rule for the edges that leave a location.
    fn merge_parallel(&mut self, location: usize) {
        let leaving = self.leaving[location].clone();
        let mut first: FxHashMap<(LocationId, Option<Property>), u32> = FxHashMap::default();
        for id in leaving {
            let Some(block) = &self.edges[id as usize] else { continue };
            let key = (block.to, block.violates);
            match first.get(&key) {
                None => {
                    first.insert(key, id);
                }
                Some(&other) => {
                    if !self.choose(other, id) {
                        first.insert(key, id);
                    }
                }
            }
        }
    }

    /// Makes two parallel edges one, the first; false if it would be too large.
    fn choose(&mut self, first: u32, second: u32) -> bool {
        let (Some(a), Some(b)) = (&self.edges[first as usize], &self.edges[second as usize]) else {
            return false;
        };
        if a.size + b.size > self.options.size || a.nesting.max(b.nesting) >= NESTING {
            return false;
        }
        let Some(b) = self.remove(second) else { return false };
        let Some(a) = self.edges[first as usize].as_mut() else { return false };
        a.size += b.size;
        let commands = std::mem::take(&mut a.commands);
        a.commands = merge(self.terms, commands, b.commands, &mut a.size);
        a.nesting = nesting(&a.commands);
        true
    }
}

/// One edge after the other.
fn joined(mut first: Block, second: &Block) -> Block {
    first.commands.extend(second.commands.iter().cloned());
    first.to = second.to;
    first.size += second.size;
    first.nesting = first.nesting.max(second.nesting);
    first.violates = second.violates;
    // The place of a violation is more telling than that of its block's beginning.
    if second.violates.is_some() || !first.place.is_known() {
        first.place = second.place.clone();
    }
    first
}

/// One of two sequences, with what they have in common at the beginning once. If what follows is a
/// choice in the first, the second joins the alternative that it begins like. `size`, of both
/// together, becomes that of the result.
fn merge(
    terms: &mut Terms,
    mut a: Vec<Command>,
    mut b: Vec<Command>,
    size: &mut usize,
) -> Vec<Command> {
    let common = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    *size -= terms.commands(&b[..common]).0;
    let rest = b.split_off(common);
    let mut tail = a.split_off(common);
    if tail.is_empty() && rest.is_empty() {
        return a;
    }
    if let [Command::Choice(_)] = tail[..] {
        let Some(Command::Choice(mut alternatives)) = tail.pop() else { return a };
        let begins_like = |command: &Command| match command {
            Command::Sequence(commands) => commands.first() == rest.first() && !rest.is_empty(),
            other => Some(other) == rest.first(),
        };
        match alternatives.iter().position(begins_like) {
            Some(k) => {
                let alternative = flatten(alternatives.remove(k));
                let merged = merge(terms, alternative, rest, size);
                alternatives.insert(k, sequence(merged));
            }
            None => alternatives.push(sequence(rest)),
        }
        a.push(Command::Choice(alternatives));
        return a;
    }
    a.push(Command::Choice(vec![sequence(tail), sequence(rest)]));
    *size += 1;
    a
}

/// How deep choices nest in some commands.
fn nesting(commands: &[Command]) -> usize {
    let deepest = commands.iter().map(|command| match command {
        Command::Choice(alternatives) => 1 + nesting(alternatives),
        Command::Sequence(commands) => nesting(commands),
        _ => 0,
    });
    deepest.max().unwrap_or(0)
}
