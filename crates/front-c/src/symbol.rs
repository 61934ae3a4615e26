//! Interned identifiers.

use rustc_hash::FxHashMap;

/// An identifier; equal names are equal symbols.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol(u32);

impl Symbol {
    /// The symbol's place in the order of interning.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The table of identifiers of a program.
#[derive(Debug, Clone, Default)]
pub struct Symbols {
    names: Vec<Box<str>>,
    index: FxHashMap<Box<str>, Symbol>,
}

impl Symbols {
    /// The symbol of a name.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(&symbol) = self.index.get(name) {
            return symbol;
        }
        let symbol = Symbol(self.names.len() as u32);
        self.names.push(name.into());
        self.index.insert(name.into(), symbol);
        symbol
    }

    /// The symbol of a name that was interned before.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Symbol> {
        self.index.get(name).copied()
    }

    /// The name of a symbol.
    #[must_use]
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.index()]
    }
}
