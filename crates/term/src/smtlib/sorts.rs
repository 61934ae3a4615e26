//! Sorts of scripts: built-in, declared and defined ones.
//!
//! A declared sort with parameters is turned into one uninterpreted sort for each list of
//! arguments it is used with, named as it is written: `(Pair Int Bool)`. A defined sort is
//! expanded; its parameters are stand-ins that [`Sorts::instantiate`] replaces. The expansion
//! shares its parts, but what a sort looks like written out is bounded by [`MAX_SIZE`], because
//! it will be written out, in messages and declarations.

use super::error::{Result, excerpt, fault};
use super::lexer::Token;
use super::parser::Parser;
use super::scope::Scope;
use super::theory::{Index, SIZE_HELP};
use crate::pool::{Pool, Symbol};
use crate::print::sort_to_string;
use crate::sort::Sort;
use crate::typing::MAX_WIDTH;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use value::Format;

/// The most names a sort is written with.
const MAX_SIZE: u64 = 1 << 10;

/// What the name of a sort stands for.
#[derive(Clone)]
pub(super) enum SortName {
    /// A sort without parameters.
    Plain(Sort),
    /// `Array`.
    Array,
    /// A declared sort with so many parameters, at least one.
    Family(u32),
    /// A defined sort with parameters.
    Defined(Rc<Template>),
}

/// A sort with stand-ins for parameters.
pub(super) struct Template {
    params: Vec<Sort>,
    body: Sort,
}

/// The sorts of a script.
pub(super) struct Sorts {
    pub(super) names: Scope<SortName>,
    /// The members of families by their name, as family and arguments.
    members: FxHashMap<Symbol, (Symbol, Vec<Sort>)>,
    /// How many names an array sort or member is written with.
    sizes: FxHashMap<Sort, u64>,
}

impl Sorts {
    pub(super) fn new(pool: &Pool) -> Self {
        let plain = [
            ("Bool", Sort::Bool),
            ("Int", Sort::Int),
            ("Real", Sort::Real),
            ("RoundingMode", Sort::RoundingMode),
            ("Float16", Sort::Float(Format::F16)),
            ("Float32", Sort::Float(Format::F32)),
            ("Float64", Sort::Float(Format::F64)),
            ("Float128", Sort::Float(Format::F128)),
        ];
        let plain = plain.map(|(name, sort)| (pool.symbol(name), SortName::Plain(sort)));
        let array = (pool.symbol("Array"), SortName::Array);
        Sorts {
            names: Scope::new(plain.into_iter().chain([array])),
            members: FxHashMap::default(),
            sizes: FxHashMap::default(),
        }
    }

    fn size(&self, sort: Sort) -> u64 {
        self.sizes.get(&sort).copied().unwrap_or(1)
    }

    /// Notes the size of a compound sort made of parts; `None` if it is too large.
    fn measured(&mut self, sort: Sort, parts: &[Sort]) -> Option<Sort> {
        let size = parts.iter().map(|part| self.size(*part)).sum::<u64>() + 1;
        if size > MAX_SIZE {
            return None;
        }
        self.sizes.insert(sort, size);
        Some(sort)
    }

    fn array(&mut self, pool: &Pool, index: Sort, element: Sort) -> Option<Sort> {
        self.measured(pool.array_sort(index, element), &[index, element])
    }

    fn member(&mut self, pool: &Pool, family: Symbol, args: Vec<Sort>) -> Option<Sort> {
        if args.iter().map(|a| self.size(*a)).sum::<u64>() >= MAX_SIZE {
            return None;
        }
        let symbol = self.member_name(pool, family, &args);
        let sort = self.measured(Sort::Uninterpreted(symbol), &args);
        self.members.insert(symbol, (family, args));
        sort
    }

    /// `(Pair Int Bool)`; bars can't be inside bars, so they are left out, and where that makes
    /// two members look alike, the later one gets primes.
    fn member_name(&self, pool: &Pool, family: Symbol, args: &[Sort]) -> Symbol {
        let mut name = format!("({}", pool.name(family));
        for arg in args {
            name.push(' ');
            name.push_str(&sort_to_string(pool, *arg).replace('|', ""));
        }
        name.push(')');
        loop {
            let symbol = pool.symbol(&name);
            let taken = match self.members.get(&symbol) {
                Some((other, theirs)) => *other != family || theirs[..] != *args,
                None => self.names.get(symbol).is_some(),
            };
            if !taken {
                return symbol;
            }
            name.push('\'');
        }
    }

    /// Whether a name is that of a family's member.
    pub(super) fn is_member(&self, name: Symbol) -> bool {
        self.members.contains_key(&name)
    }

    /// The body of a template with its stand-ins replaced; `None` if that is too large.
    fn instantiate(&mut self, pool: &Pool, template: &Template, args: &[Sort]) -> Option<Sort> {
        let mut done: FxHashMap<Sort, Sort> =
            template.params.iter().copied().zip(args.iter().copied()).collect();
        let mut pending = vec![template.body];
        while let Some(sort) = pending.last().copied() {
            let (family, parts) = match (sort, pool.array_parts(sort)) {
                _ if done.contains_key(&sort) => {
                    pending.pop();
                    continue;
                }
                (_, Some((index, element))) => (None, vec![index, element]),
                (Sort::Uninterpreted(name), _) if self.members.contains_key(&name) => {
                    let (family, parts) = &self.members[&name];
                    (Some(*family), parts.clone())
                }
                _ => {
                    done.insert(sort, sort);
                    continue;
                }
            };
            let before = pending.len();
            pending.extend(parts.iter().filter(|part| !done.contains_key(part)));
            if pending.len() > before {
                continue;
            }
            let parts: Vec<Sort> = parts.iter().map(|part| done[part]).collect();
            let result = match family {
                None => self.array(pool, parts[0], parts[1])?,
                Some(family) => self.member(pool, family, parts)?,
            };
            done.insert(sort, result);
        }
        Some(done[&template.body])
    }
}

/// A sort constructor with arguments still to come.
struct Pending {
    name: Symbol,
    at: usize,
    /// Where its arguments start on the stack of sorts.
    base: usize,
}

impl<'t> Parser<'_, 't> {
    /// A sort.
    pub(super) fn sort(&mut self) -> Result<Sort> {
        let mut pending: Vec<Pending> = Vec::new();
        let mut sorts: Vec<Sort> = Vec::new();
        loop {
            let (token, at) = self.token()?;
            let sort = match token {
                Token::Open => match self.sort_head(at)? {
                    Ok(sort) => sort,
                    Err(name) => {
                        pending.push(Pending { name, at, base: sorts.len() });
                        continue;
                    }
                },
                Token::Close => match pending.pop() {
                    Some(top) => {
                        let args = sorts.split_off(top.base);
                        self.compound_sort(&top, args)?
                    }
                    None => return self.unexpected_sort(&token, at),
                },
                Token::Plain(_) | Token::Quoted(_) => {
                    let name = self.symbol_of(&token, at)?;
                    self.named_sort(name, at)?
                }
                _ => return self.unexpected_sort(&token, at),
            };
            if pending.is_empty() {
                return Ok(sort);
            }
            sorts.push(sort);
        }
    }

    fn unexpected_sort<T>(&self, token: &Token, at: usize) -> Result<T> {
        fault(
            at,
            format!("expected a sort, found {}", token.describe()),
            "write a sort such as Bool, Int, (_ BitVec 32) or (Array Int Int)",
        )
    }

    /// After `(`: a whole indexed sort, or the name of a constructor whose arguments follow.
    fn sort_head(&mut self, open: usize) -> Result<std::result::Result<Sort, Symbol>> {
        let (token, at) = self.token()?;
        match token {
            Token::Plain("_") => {
                let (name, indices) = self.indexed_identifier()?;
                self.indexed_sort(name, &indices, open).map(Ok)
            }
            Token::Plain(_) | Token::Quoted(_) => self.symbol_of(&token, at).map(Err),
            _ => self.unexpected_sort(&token, at),
        }
    }

    fn indexed_sort(&self, name: &str, indices: &[Index], at: usize) -> Result<Sort> {
        let number = |i: usize| match indices[i].text.parse::<u32>() {
            Ok(n) if indices[i].numeral => Ok(n),
            _ => fault(
                indices[i].at,
                format!("`{}` is no width", excerpt(indices[i].text)),
                format!("write a numeral from 1 to {MAX_WIDTH}"),
            ),
        };
        match (name, indices.len()) {
            ("BitVec", 1) => match number(0)? {
                width @ 1..=MAX_WIDTH => Ok(Sort::BitVec(width)),
                width => fault(
                    indices[0].at,
                    format!("a bit-vector of width {width}"),
                    format!("widths from 1 to {MAX_WIDTH} are supported"),
                ),
            },
            ("FloatingPoint", 2) => {
                let format = super::theory::make_format(number(0)?, number(1)?, indices[0].at)?;
                Ok(Sort::Float(format))
            }
            _ => fault(
                at,
                format!(
                    "there is no sort `(_ {} …)` with {} index(es)",
                    excerpt(name),
                    indices.len()
                ),
                "the indexed sorts are (_ BitVec n) and (_ FloatingPoint e s)",
            ),
        }
    }

    fn named_sort(&mut self, name: Symbol, at: usize) -> Result<Sort> {
        match self.sorts.names.get(name) {
            Some(SortName::Plain(sort)) => Ok(*sort),
            Some(_) => fault(
                at,
                format!("the sort `{}` needs arguments", excerpt(self.pool.name(name))),
                "write it as (name argument …)",
            ),
            None => self.unknown_sort(name, at),
        }
    }

    fn unknown_sort<T>(&self, name: Symbol, at: usize) -> Result<T> {
        let name = self.pool.name(name);
        let help = match name {
            "String" | "RegLan" | "Seq" | "Unicode" => "strings and sequences are not supported",
            "Set" | "Bag" | "Relation" | "Tuple" | "Option" => "this theory is not supported",
            _ => "declare it with declare-sort or define-sort before it is used",
        };
        fault(at, format!("unknown sort `{}`", excerpt(name)), help)
    }

    fn compound_sort(&mut self, head: &Pending, args: Vec<Sort>) -> Result<Sort> {
        let (pool, at) = (self.pool, head.at);
        let (expected, sort) = match (self.sorts.names.get(head.name).cloned(), &args[..]) {
            (None, _) => return self.unknown_sort(head.name, at),
            (Some(SortName::Plain(_)), _) => {
                return fault(
                    at,
                    format!("the sort `{}` has no parameters", excerpt(pool.name(head.name))),
                    "write its name without parentheses",
                );
            }
            (Some(SortName::Array), [index, element]) => {
                (2, self.sorts.array(pool, *index, *element))
            }
            (Some(SortName::Array), _) => (2, None),
            (Some(SortName::Family(n)), _) if n as usize == args.len() => {
                (args.len(), self.sorts.member(pool, head.name, args.clone()))
            }
            (Some(SortName::Family(n)), _) => (n as usize, None),
            (Some(SortName::Defined(template)), _) if template.params.len() == args.len() => {
                (args.len(), self.sorts.instantiate(pool, &template, &args))
            }
            (Some(SortName::Defined(template)), _) => (template.params.len(), None),
        };
        if expected != args.len() {
            let name = excerpt(pool.name(head.name));
            let message =
                format!("the sort `{name}` takes {expected} argument(s), not {}", args.len());
            return fault(at, message, "check the parentheses and the number of arguments");
        }
        match sort {
            Some(sort) => Ok(sort),
            None => fault(at, "this sort is too large when written out", SIZE_HELP),
        }
    }

    /// Parameters and body of a `define-sort`, after its name.
    pub(super) fn sort_definition(&mut self) -> Result<SortName> {
        self.expect_open("the parameters")?;
        let mark = self.sorts.names.mark();
        let mut params = Vec::new();
        loop {
            let (token, at) = self.token()?;
            if token == Token::Close {
                break;
            }
            let name = self.symbol_of(&token, at)?;
            // A stand-in that no script can name.
            let stand_in = Sort::Uninterpreted(self.pool.symbol(&format!("\\{}", params.len())));
            self.sorts.names.bind(name, SortName::Plain(stand_in));
            params.push(stand_in);
        }
        let body = self.sort();
        self.sorts.names.leave(mark);
        let body = body?;
        Ok(match params.is_empty() {
            true => SortName::Plain(body),
            false => SortName::Defined(Rc::new(Template { params, body })),
        })
    }
}
