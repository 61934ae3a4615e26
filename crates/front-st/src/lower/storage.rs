//! Where variables are: registers, parts of registers' trees, or bytes in memory.

use super::Lowerer;
use super::place::Place;
use crate::types::{Array, Field, POINTER_WIDTH, Shape, Structure, Type};
use program::program::{Object, Reading, VariableId};
use source::Diagnostic;
use source::diagnostic::Result;
use std::rc::Rc;
use std::sync::Arc;
use term::Term;
use value::Bits;

/// Arrays with more scalars than this are in memory: an unknown index chooses from all registers.
const MOST_REGISTERS: u64 = 64;

/// The greatest object, in bytes.
const LARGEST: u64 = 1 << 28;

/// The first address of a static object.
pub(super) const FIRST_ADDRESS: u64 = 0x1000;

/// Where a variable is.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// A scalar.
    Register(VariableId),
    /// Bytes from this address on.
    Memory(Term),
    /// Fields or elements, and the variable's path.
    Parts(Rc<(Arc<str>, Vec<Node>)>),
    /// Nowhere: of a type that is not known, or bound at each call.
    Nothing,
}

impl<'a> Lowerer<'a> {
    /// The variables of a type's instances, or the fields of a structure.
    pub(super) fn fields(&mut self, ty: &Type<'a>) -> Result<Option<Fields<'a>>> {
        Ok(match ty {
            Type::Structure(structure) => Some(Fields::Structure(structure.clone())),
            Type::Block(pou) => Some(Fields::Block(self.block_fields(*pou)?)),
            _ => None,
        })
    }

    /// Whether a field is stored with its instance: not another name for a variable elsewhere.
    pub(super) fn is_stored(field: &Field<'_>) -> bool {
        use crate::ast::VariableKind as Kind;
        !matches!(field.kind, Kind::InOut | Kind::External | Kind::Temp) && !field.is_located()
    }

    /// A variable's place. The path names it; shown is how runs call it.
    pub(super) fn allocate(&mut self, ty: &Type<'a>, path: &str, shown: &str) -> Result<Node> {
        let owner: Arc<str> = path.into();
        self.allocate_of(ty, path, shown, &owner)
    }

    fn allocate_of(
        &mut self,
        ty: &Type<'a>,
        path: &str,
        shown: &str,
        owner: &Arc<str>,
    ) -> Result<Node> {
        if self.wanted.memory.contains(path) {
            return self.allocate_bytes(ty, path, shown);
        }
        if let Some(shape) = ty.shape() {
            let reading = reading(ty, shape);
            let shown = (!shown.is_empty()).then(|| shown.into());
            let variable = self.new_variable(path, shown, shape.sort(), reading);
            self.owners.insert(variable, owner.clone());
            return Ok(Node::Register(variable));
        }
        match ty {
            Type::Array(array) => self.allocate_array(&array.clone(), ty, path, shown, owner),
            Type::Structure(s) if s.union => self.allocate_bytes(ty, path, shown),
            Type::Structure(_) | Type::Block(_) => {
                let fields = self.fields(ty)?.expect("structures and blocks have fields");
                let mut nodes = Vec::new();
                for field in fields.iter() {
                    if !Self::is_stored(field) {
                        nodes.push(Node::Nothing);
                        continue;
                    }
                    let name = format!("{path}.{}", field.name);
                    let dot = if shown.is_empty() { "" } else { "." };
                    let shown = format!("{shown}{dot}{}", field.name);
                    let node = self.allocate_of(&field.ty, &name, &shown, owner)?;
                    if *field.key == *crate::library::SINCE {
                        self.timers.push(node.clone());
                    }
                    self.note_direct(field, &name, &node);
                    nodes.push(node);
                }
                let node = Node::Parts(Rc::new((path.into(), nodes)));
                if let Type::Block(pou) = ty {
                    self.instances.insert(path.into(), (*pou, node.clone()));
                }
                Ok(node)
            }
            Type::String { .. } => self.allocate_bytes(ty, path, shown),
            _ => Ok(Node::Nothing),
        }
    }

    fn allocate_array(
        &mut self,
        array: &Rc<Array<'a>>,
        ty: &Type<'a>,
        path: &str,
        shown: &str,
        owner: &Arc<str>,
    ) -> Result<Node> {
        if self.scalars(ty)? > MOST_REGISTERS && !self.holds_blocks(&array.element)? {
            return self.allocate_bytes(ty, path, shown);
        }
        if array.count() > 100_000 {
            let message = format!("an array of {} function blocks", array.count());
            return Err(Diagnostic::error(self.span, message));
        }
        let mut nodes = Vec::new();
        for number in 0..array.count() {
            let index = index_text(array, number);
            let (path, shown) = (format!("{path}[{index}]"), format!("{shown}[{index}]"));
            nodes.push(self.allocate_of(&array.element, &path, &shown, owner)?);
        }
        Ok(Node::Parts(Rc::new((path.into(), nodes))))
    }

    pub(super) fn holds_blocks(&mut self, ty: &Type<'a>) -> Result<bool> {
        Ok(match ty {
            Type::Block(_) => true,
            Type::Array(array) => self.holds_blocks(&array.element.clone())?,
            Type::Structure(s) => {
                for field in &s.clone().fields {
                    if self.holds_blocks(&field.ty)? {
                        return Ok(true);
                    }
                }
                false
            }
            _ => false,
        })
    }

    fn allocate_bytes(&mut self, ty: &Type<'a>, path: &str, shown: &str) -> Result<Node> {
        let (size, align) = self.layout(ty)?;
        let name: Arc<str> = if shown.is_empty() { path.into() } else { shown.into() };
        let mut scalars = Vec::new();
        self.scalar_sizes(ty, &mut scalars)?;
        let node = Node::Memory(self.new_object(name, size.max(1), align, scalars)?);
        self.note_instances(&Place::new(ty.clone(), node.clone()), path)?;
        Ok(node)
    }

    /// Notes a variable of an instance that is at some place of the controller's memory: `AT %I*`.
    pub(super) fn note_direct(&mut self, field: &Field<'a>, path: &str, node: &Node) {
        let Some(location) = field.location else { return };
        let text = format!("%{}*{path}", location.area.to_ascii_uppercase());
        self.direct.insert(text.clone(), Place::new(field.ty.clone(), node.clone()));
        if text.starts_with("%I") {
            self.direct_inputs.push(text.into());
        }
    }

    /// A static object, zero at first.
    pub(super) fn new_object(
        &mut self,
        name: Arc<str>,
        size: u64,
        align: u64,
        scalars: Vec<u32>,
    ) -> Result<Term> {
        let at = self.next_address.next_multiple_of(align.max(8));
        if size > LARGEST || at + size > LARGEST {
            let message = format!("'{name}' takes {size} bytes, more than fits");
            return Err(Diagnostic::error(self.span, message));
        }
        self.next_address = at + size + 8;
        let address = self
            .pool
            .var(&format!("&{name}#{}", self.objects.len()), term::Sort::BitVec(POINTER_WIDTH));
        self.addresses.insert(address, Bits::from_u64(POINTER_WIDTH, at));
        let place = self.here();
        self.objects.alloc(Object {
            name,
            address,
            size,
            align,
            initial: Vec::new(),
            unknown: false,
            constant: false,
            scalars,
            place,
        });
        Ok(address)
    }

    fn scalar_sizes(&mut self, ty: &Type<'a>, sizes: &mut Vec<u32>) -> Result<()> {
        let mut add = |size: u64| {
            let size = u32::try_from(size).unwrap_or(1);
            if !sizes.contains(&size) {
                sizes.push(size);
            }
        };
        if let Some(shape) = ty.shape() {
            add(shape.bytes());
            return Ok(());
        }
        match ty {
            Type::String { wide, .. } => add(if *wide { 2 } else { 1 }),
            Type::Array(array) => self.scalar_sizes(&array.element.clone(), sizes)?,
            _ => {
                if let Some(fields) = self.fields(ty)? {
                    for field in fields.iter().filter(|field| Self::is_stored(field)) {
                        self.scalar_sizes(&field.ty, sizes)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The number of scalars in a type; strings count as memory anyway.
    fn scalars(&mut self, ty: &Type<'a>) -> Result<u64> {
        Ok(match ty {
            Type::Array(array) => {
                array.count().saturating_mul(self.scalars(&array.element.clone())?)
            }
            Type::Structure(_) | Type::Block(_) => {
                let fields = self.fields(ty)?.expect("structures and blocks have fields");
                let mut sum = 0u64;
                for field in fields.iter().filter(|field| Self::is_stored(field)) {
                    sum = sum.saturating_add(self.scalars(&field.ty)?);
                }
                sum
            }
            _ => 1,
        })
    }

    /// Size and alignment in memory.
    pub(super) fn layout(&mut self, ty: &Type<'a>) -> Result<(u64, u64)> {
        if let Some(shape) = ty.shape() {
            return Ok((shape.bytes(), shape.bytes()));
        }
        Ok(match ty {
            Type::String { wide, length } => {
                let unit = if *wide { 2 } else { 1 };
                (unit * (u64::from(*length) + 1), unit)
            }
            Type::Array(array) => {
                let (size, align) = self.layout(&array.element.clone())?;
                (size.saturating_mul(array.count()), align)
            }
            Type::Structure(_) | Type::Block(_) => {
                let fields = self.fields(ty)?.expect("structures and blocks have fields");
                self.offsets(&fields)?.1
            }
            _ => (0, 1),
        })
    }

    /// The offset of each field, and size and alignment of all together.
    pub(super) fn offsets(&mut self, fields: &Fields<'a>) -> Result<(Vec<u64>, (u64, u64))> {
        let (mut at, mut most, mut align) = (0u64, 0u64, 1u64);
        let mut offsets = Vec::new();
        for field in fields.iter() {
            let (size, own) = if Self::is_stored(field) { self.layout(&field.ty)? } else { (0, 1) };
            let begin = if fields.is_union() { 0 } else { at.next_multiple_of(own) };
            offsets.push(begin);
            at = begin.saturating_add(size);
            (most, align) = (most.max(at), align.max(own));
        }
        Ok((offsets, (most.next_multiple_of(align), align)))
    }
}

/// Fields of a structure or block.
pub(super) enum Fields<'a> {
    /// Of a structure.
    Structure(Rc<Structure<'a>>),
    /// Of a block.
    Block(Rc<Vec<Field<'a>>>),
}

impl<'a> Fields<'a> {
    pub(super) fn iter(&self) -> std::slice::Iter<'_, Field<'a>> {
        match self {
            Fields::Structure(structure) => structure.fields.iter(),
            Fields::Block(fields) => fields.iter(),
        }
    }

    fn is_union(&self) -> bool {
        matches!(self, Fields::Structure(structure) if structure.union)
    }
}

/// How the values of a type are written.
pub(super) fn reading(ty: &Type<'_>, shape: Shape) -> Reading {
    match shape {
        Shape::Bool => Reading::Bool,
        Shape::Float(_) => Reading::Float,
        Shape::Number { .. } if matches!(ty, Type::Pointer(..)) => Reading::Address,
        Shape::Number { signed: true, .. } => Reading::Signed,
        Shape::Number { signed: false, .. } => Reading::Unsigned,
    }
}

/// The index of the element with a number, as it is written.
pub(super) fn index_text(array: &Array<'_>, number: u64) -> String {
    let mut rest = i128::from(number);
    let mut indices = Vec::new();
    for (low, high) in array.dimensions.iter().rev() {
        let extent = (high - low + 1).max(1);
        indices.push((low + rest % extent).to_string());
        rest /= extent;
    }
    indices.reverse();
    indices.join(",")
}
