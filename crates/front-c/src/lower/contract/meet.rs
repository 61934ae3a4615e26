//! What the contract of the entry function mentions, met before the start of the run is made.
//!
//! The start gives registers of static objects their initial values, and then evaluates the
//! contract; what only the contract mentions must be known before.

use super::super::Lowerer;
use crate::contract::Part;
use crate::diagnostic::Diagnostic;
use crate::typed::{Callee, ExprId, ExprKind, FunctionId, InitValue, ObjectId, PlaceId, Storage};

impl Lowerer<'_> {
    /// Meets the objects and functions of the contract of the entry function.
    pub(in crate::lower) fn meet_contract(&mut self, entry: FunctionId) {
        let c = self.c;
        let Some(contract) = c.functions[entry].contract.as_deref() else { return };
        if contract.problem.is_some() {
            return;
        }
        let formulas = contract.requires.iter().chain(&contract.ensures);
        let mut todo: Vec<ExprId> = formulas.map(|formula| formula.truth).collect();
        todo.extend(contract.olds.iter().map(|old| old.value));
        todo.extend(&contract.frees);
        for target in contract.assigns.iter().flatten() {
            todo.extend(target.condition);
            match target.part {
                Part::Place(place) => self.meet_place(place, &mut todo),
                Part::Bytes(pointer, bytes) => todo.extend([pointer, bytes]),
                Part::From(pointer) | Part::Whole(pointer) => todo.push(pointer),
            }
        }
        while let Some(expr) = todo.pop() {
            let kind = &c.exprs[expr].kind;
            match kind {
                ExprKind::Load(place) | ExprKind::AddressOf(place) | ExprKind::Decay(place) => {
                    self.meet_root(*place);
                }
                ExprKind::Call(Callee::Function(function), _) => {
                    let function = self.resolve(*function);
                    let replaced = matches!(self.contract_at_call(function), Ok(Some(_)));
                    if c.functions[function].body.is_some() && !replaced {
                        self.function_id(function);
                    }
                }
                ExprKind::FunctionAddress(function) => {
                    self.function_address(*function);
                }
                ExprKind::Quantified(quantified) => {
                    let bounds = quantified.interval.map(|i| (i.low, i.high));
                    let values = bounds.map(|(low, high)| (low.map(|b| b.value), high.value));
                    if let Some((low, high)) = values {
                        todo.extend(low.into_iter().chain([high]));
                    }
                }
                _ => {}
            }
            c.operands(kind, &mut todo);
        }
    }

    fn meet_place(&mut self, place: PlaceId, todo: &mut Vec<ExprId>) {
        self.meet_root(place);
        self.c.operands(&ExprKind::AddressOf(place), todo);
    }

    fn meet_root(&mut self, place: PlaceId) {
        if let Some(object) = self.c.root(place)
            && self.c.objects[object].storage == Storage::Static
        {
            self.home(object);
        }
    }

    /// Meets what initial values of registers point to, as the start does later: what may be written
    /// must be known before.
    pub(in crate::lower) fn meet_initial_values(&mut self, errors: &mut Vec<Diagnostic>) {
        let mut met = 0;
        while self.watch.is_some() && met < self.static_registers.len() {
            let objects: Vec<ObjectId> = self.static_registers[met..].to_vec();
            met = self.static_registers.len();
            for object in objects {
                let init = self.c.objects[object].init;
                for entry in init.iter().flat_map(|init| &self.c.inits[*init].entries) {
                    if let InitValue::Expr(value) = entry.value
                        && let Err(error) = self.static_value(value)
                    {
                        errors.push(*error);
                    }
                }
            }
            self.lower_pending(errors);
        }
    }
}
