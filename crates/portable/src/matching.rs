//! Candidates for the automaton of another version.
//!
//! Chains of calls, then variables, then locations are matched, each by name first:
//!
//! * a chain that the new version does not have goes to one that only the new version has and that ends in
//!   the same function, in order;
//! * a variable that it does not have goes to one of the same chain and sort that only the new version
//!   has, in order, if there are as many (it was renamed);
//! * the locations of a chain are paired in order if there are as many. Otherwise each location of the
//!   new version gets what holds anywhere in its function. What may hold everywhere goes to all locations.
//!
//! A formula that speaks of a variable without a match is left out.

use crate::invariant::{Lemmas, symbol};
use crate::names::{Name, Names, Path, function_of};
use la_arena::ArenaMap;
use program::Program;
use program::cfa::{Cfa, LocationId};
use program::verdict::{EVERY_FRAME, Unfinished};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use term::print::sort_to_string;
use term::traverse::{Substitution, free_vars};
use term::{Pool, Term};

/// The most candidates of a location.
const MOST: usize = 20_000;

/// What may hold of the automaton of a program, if lemmas of another version did: the closest match
/// first, then everything that could be meant. Locations without formulas have an empty entry; frames are
/// those of the other version.
pub fn candidates(program: &Program, pool: &Pool, cfa: &Cfa, lemmas: &Lemmas) -> Vec<Unfinished> {
    let names = Names::of(program, pool, cfa);
    let Some(formulas) = lemmas.read(pool) else { return Vec::new() };
    let matcher = Matcher { pool, lemmas, names: &names, formulas, chains: chains(lemmas, &names) };
    let close = matcher.close();
    let wide = matcher.wide(close.clone());
    let candidates = |all: Found| Unfinished {
        at: all.into_iter().map(|(location, (formulas, _))| (location, formulas)).collect(),
    };
    let size = |all: &Found| all.iter().map(|(_, (formulas, _))| formulas.len()).sum::<usize>();
    match size(&close) == size(&wide) {
        true => vec![candidates(close)],
        false => vec![candidates(close), candidates(wide)],
    }
}

/// Formulas with their frames, by location; the second component says which there are.
type Found = ArenaMap<LocationId, (Vec<(usize, Term)>, FxHashSet<Term>)>;

/// The chain of the new version that each chain of the old one goes to.
fn chains(lemmas: &Lemmas, names: &Names) -> BTreeMap<Path, Path> {
    let old_variables = lemmas.all.iter().map(|(name, _)| &name.path);
    let old: BTreeSet<&Path> = old_variables.chain(lemmas.cuts.iter().map(|c| &c.path)).collect();
    let new_variables = names.variables.iter().map(|(name, _)| &name.path);
    let new: BTreeSet<&Path> =
        new_variables.chain(names.locations.iter().map(|(path, _)| path)).collect();
    let mut free: Vec<&Path> = new.difference(&old).copied().collect();
    let mut chains = BTreeMap::new();
    for path in old {
        if new.contains(path) {
            chains.insert(path.clone(), path.clone());
        } else if let Some(found) =
            free.iter().position(|other| function_of(other) == function_of(path))
        {
            chains.insert(path.clone(), free.remove(found).clone());
        }
    }
    chains
}

struct Matcher<'a> {
    pool: &'a Pool,
    lemmas: &'a Lemmas,
    names: &'a Names,
    /// Of each cut, over variables called [`symbol`].
    formulas: Vec<Vec<Term>>,
    chains: BTreeMap<Path, Path>,
}

impl Matcher<'_> {
    /// The variable of the new version that each of the old one goes to, if chains go as they say.
    fn variables(&self, chains: &BTreeMap<Path, Path>) -> FxHashMap<&Name, Term> {
        let sort = |term: Term| sort_to_string(self.pool, self.pool.sort(term));
        let new: FxHashMap<(&Path, &str, usize), Term> = self
            .names
            .variables
            .iter()
            .map(|(name, term)| ((&name.path, &*name.name, name.number), *term))
            .collect();
        let mut matched: FxHashMap<&Name, Term> = FxHashMap::default();
        let mut taken: FxHashSet<Term> = FxHashSet::default();
        let mut left: BTreeMap<(&Path, &str), Vec<&Name>> = BTreeMap::new();
        for (name, old_sort) in &self.lemmas.all {
            let Some(path) = chains.get(&name.path) else { continue };
            match new.get(&(path, &name.name, name.number)) {
                Some(&term) if sort(term) == *old_sort => {
                    matched.insert(name, term);
                    taken.insert(term);
                }
                _ => left.entry((path, old_sort)).or_default().push(name),
            }
        }
        let mut free: FxHashMap<(&Path, String), Vec<Term>> = FxHashMap::default();
        for (name, term) in &self.names.variables {
            if !taken.contains(term) {
                free.entry((&name.path, sort(*term))).or_default().push(*term);
            }
        }
        for ((path, sort), names) in left {
            let Some(terms) = free.get(&(path, sort.to_owned())) else { continue };
            if names.len() == terms.len() {
                matched.extend(names.into_iter().zip(terms.iter().copied()));
            }
        }
        matched
    }

    /// What takes formulas to the new version, if chains go as they say, with the variables that it
    /// replaces.
    fn renaming(&self, chains: &BTreeMap<Path, Path>) -> Renaming {
        let variables = self.variables(chains);
        let mut map = FxHashMap::default();
        let spoken: Vec<Term> = self.formulas.iter().flatten().copied().collect();
        for variable in free_vars(self.pool, &spoken) {
            let number = self.pool.var_name(variable).and_then(|name| {
                name.strip_prefix('%').and_then(|digits| digits.parse::<usize>().ok())
            });
            let Some(number) = number.filter(|n| *n < self.lemmas.variables.len()) else {
                continue;
            };
            debug_assert_eq!(self.pool.var_name(variable), Some(&*symbol(number)));
            let to = match &self.lemmas.variables[number] {
                Some(name) => variables.get(name).copied(),
                // A parameter is as good as any other.
                None => Some(variable),
            };
            let fits = |to: &Term| self.pool.sort(*to) == self.pool.sort(variable);
            if let Some(to) = to.filter(fits) {
                map.insert(variable, to);
            }
        }
        Renaming { known: map.keys().copied().collect(), apply: Substitution::new(map) }
    }

    /// Locations of a chain in order, if there are as many; otherwise all of a chain to all of it. What is said
    /// of no location in particular goes to all.
    fn close(&self) -> Found {
        let mut all = self.empty();
        let mut renaming = self.renaming(&self.chains);
        if self.lemmas.everywhere {
            let cuts: Vec<usize> = self.cuts_of(|_| true);
            for (_, location) in &self.names.locations {
                self.add(&mut all, *location, &cuts, &mut renaming);
            }
            return all;
        }
        for (old, new) in &self.chains {
            let cuts: Vec<usize> = self.cuts_of(|path| path == old);
            let locations = self.locations_of(|path| path == new);
            let in_order = cuts.len() == locations.len();
            for (position, location) in locations.into_iter().enumerate() {
                let from = if in_order { &cuts[position..=position] } else { &cuts[..] };
                self.add(&mut all, location, from, &mut renaming);
            }
        }
        all
    }

    /// To each location, beside the closest match, what holds anywhere in its function, by whichever
    /// calls.
    fn wide(&self, close: Found) -> Found {
        let mut all = close;
        let mut renamings: BTreeMap<(Path, Path), Renaming> = BTreeMap::new();
        for (path, location) in &self.names.locations {
            for (number, cut) in self.lemmas.cuts.iter().enumerate() {
                if function_of(&cut.path) != function_of(path) {
                    continue;
                }
                let key = (cut.path.clone(), path.clone());
                let renaming = renamings.entry(key).or_insert_with(|| {
                    let mut chains = self.chains.clone();
                    chains.insert(cut.path.clone(), path.clone());
                    self.renaming(&chains)
                });
                self.add(&mut all, *location, &[number], renaming);
            }
        }
        all
    }

    /// Every location with nothing: a location with an entry cuts the cycles through it.
    fn empty(&self) -> Found {
        self.names.locations.iter().map(|(_, location)| (*location, Default::default())).collect()
    }

    fn cuts_of(&self, wanted: impl Fn(&Path) -> bool) -> Vec<usize> {
        let cuts = self.lemmas.cuts.iter().enumerate();
        cuts.filter(|(_, cut)| wanted(&cut.path)).map(|(number, _)| number).collect()
    }

    fn locations_of(&self, wanted: impl Fn(&Path) -> bool) -> Vec<LocationId> {
        let locations = self.names.locations.iter();
        locations.filter(|(path, _)| wanted(path)).map(|(_, location)| *location).collect()
    }

    /// Adds the formulas of cuts to those of a location.
    fn add(&self, to: &mut Found, location: LocationId, cuts: &[usize], by: &mut Renaming) {
        let (here, there_are) = &mut to[location];
        for &cut in cuts {
            let frames = &self.lemmas.cuts[cut].frames;
            for (number, formula) in self.formulas[cut].iter().enumerate() {
                if here.len() >= MOST {
                    return;
                }
                let frame = frames.get(number).copied().flatten().unwrap_or(EVERY_FRAME);
                if let Some(formula) = by.formula(self.pool, *formula)
                    && there_are.insert(formula)
                {
                    here.push((frame, formula));
                }
            }
        }
    }
}

/// From variables of the document to variables of an automaton.
struct Renaming {
    known: FxHashSet<Term>,
    apply: Substitution,
}

impl Renaming {
    /// The formula in other variables, if all of them have one.
    fn formula(&mut self, pool: &Pool, formula: Term) -> Option<Term> {
        let all = free_vars(pool, &[formula]).iter().all(|variable| self.known.contains(variable));
        let renamed = all.then(|| self.apply.apply(pool, formula))?;
        (pool.as_bool(renamed) != Some(true)).then_some(renamed)
    }
}
