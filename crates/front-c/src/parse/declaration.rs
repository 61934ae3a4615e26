//! Declarations, specifiers, structs, unions and enums [C11 §6.7, §6.9].

use super::Parser;
use super::declarator::Form;
use crate::ast::{
    Attribute, AttributeKind, DeclId, Declaration, DeclarationKind, Declarator, Derivation,
    EnumConstant, EnumSpec, FunctionDefinition, InitDeclarator, Item, MemberDeclaration,
    MemberDeclarator, NamedFloat, Parameters, Quals, RecordSpec, Specifiers, Storage, TypeSpec,
    Words,
};
use crate::diagnostic::{Diagnostic, Result};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::token::{Keyword, Punct, TokenKind};

/// Whether a keyword starts specifiers and qualifiers.
fn is_type_keyword(keyword: Keyword) -> bool {
    use Keyword as K;
    matches!(
        keyword,
        K::Void
            | K::Char
            | K::Short
            | K::Int
            | K::Long
            | K::Float
            | K::Double
            | K::Signed
            | K::Unsigned
            | K::Bool
            | K::Complex
            | K::Imaginary
            | K::Decimal
            | K::Int128
            | K::Float32
            | K::Float32x
            | K::Float64
            | K::Float64x
            | K::Float80
            | K::Float128
            | K::Struct
            | K::Union
            | K::Enum
            | K::Typeof
            | K::AutoType
            | K::VaList
            | K::Const
            | K::Volatile
            | K::Restrict
            | K::Atomic
    )
}

fn is_storage_keyword(keyword: Keyword) -> bool {
    use Keyword as K;
    matches!(
        keyword,
        K::Typedef
            | K::Extern
            | K::Static
            | K::Auto
            | K::Register
            | K::Inline
            | K::Noreturn
            | K::ThreadLocal
            | K::Alignas
            | K::Attribute
            | K::StaticAssert
    )
}

impl Parser<'_> {
    /// The token after any `__extension__`.
    fn peek_past_extension(&self) -> TokenKind {
        let mut ahead = 0;
        while self.peek_at(ahead) == TokenKind::Keyword(Keyword::Extension) {
            ahead += 1;
        }
        self.peek_at(ahead)
    }

    /// Whether a type name stands at the front.
    pub(super) fn at_type_name(&self) -> bool {
        self.is_type_start(self.peek_past_extension())
    }

    pub(super) fn is_type_start(&self, kind: TokenKind) -> bool {
        match kind {
            TokenKind::Keyword(Keyword::Attribute) => true,
            TokenKind::Keyword(keyword) => is_type_keyword(keyword),
            TokenKind::Ident(symbol) => self.is_typedef(symbol),
            _ => false,
        }
    }

    /// Whether a declaration stands at the front.
    pub(super) fn at_declaration(&self) -> bool {
        match self.peek_past_extension() {
            TokenKind::Keyword(keyword) => is_type_keyword(keyword) || is_storage_keyword(keyword),
            TokenKind::Ident(symbol) => self.is_typedef(symbol),
            _ => false,
        }
    }

    /// A declaration or function definition at the outermost level.
    pub(super) fn external_declaration(&mut self) -> Result<()> {
        let start = self.span();
        if self.eat(Punct::Semi) {
            return Ok(());
        }
        if self.at_keyword(Keyword::Pragma) {
            self.advance();
            return self.skip_parentheses();
        }
        if self.at_keyword(Keyword::Asm) {
            self.advance();
            self.eat_keyword(Keyword::Volatile);
            self.skip_parentheses()?;
            self.expect(Punct::Semi)?;
            self.item(Item::Asm(self.span_from(start)));
            return Ok(());
        }
        if self.peek_past_extension() == TokenKind::Keyword(Keyword::StaticAssert) {
            let declaration = self.declaration()?;
            self.item(Item::Declaration(declaration));
            return Ok(());
        }
        let annotations = self.annotations_here();
        let specs = self.specifiers()?;
        if self.eat(Punct::Semi) {
            let declaration = self.finish_declaration(start, specs, Vec::new());
            self.item(Item::Declaration(declaration));
            return Ok(());
        }
        let mut declarator = self.declarator(Form::Named)?;
        self.annotate(&mut declarator, annotations)?;
        self.function_contract(&mut declarator)?;
        if self.at_function_body(&declarator) {
            return self.function_definition(start, specs, declarator);
        }
        if matches!(specs.ty, TypeSpec::Missing)
            && specs.storage.is_none()
            && let TokenKind::Ident(_) = self.peek()
            && let Some((symbol, span)) = declarator.name
        {
            let name = self.symbols.name(symbol).to_owned();
            return self.error(span, format!("unknown type name '{name}'"));
        }
        let declaration = self.declarators(start, specs, declarator)?;
        self.item(Item::Declaration(declaration));
        Ok(())
    }

    /// After the declarator of a function: its body, or declarations of K&R parameters.
    fn at_function_body(&self, declarator: &Declarator) -> bool {
        match declarator.derivations.first() {
            Some(Derivation::Function(Parameters::OldStyle(_))) => {
                self.at_punct(Punct::LBrace)
                    || (self.at_declaration() && !self.at_keyword(Keyword::Attribute))
            }
            Some(Derivation::Function(_)) => self.at_punct(Punct::LBrace),
            _ => false,
        }
    }

    fn function_definition(
        &mut self,
        start: Span,
        specs: Specifiers,
        declarator: Declarator,
    ) -> Result<()> {
        if let Some((name, _)) = declarator.name {
            self.declare_name(name, false);
        }
        self.push_scope();
        self.declare_parameters(&declarator);
        let mut old_style = Vec::new();
        while !self.at_punct(Punct::LBrace) {
            if !self.at_declaration() {
                return Err(self.expected("the function's body"));
            }
            old_style.push(self.declaration()?);
        }
        let body = self.block()?;
        self.pop_scope();
        let span = self.span_from(start);
        let definition = FunctionDefinition { span, specs, declarator, old_style, body };
        self.item(Item::Function(Box::new(definition)));
        Ok(())
    }

    pub(super) fn declare_parameters(&mut self, declarator: &Declarator) {
        let names: Vec<Symbol> = match declarator.derivations.first() {
            Some(Derivation::Function(Parameters::OldStyle(names))) => {
                names.iter().map(|n| n.0).collect()
            }
            Some(Derivation::Function(Parameters::Prototype { params, .. })) => {
                params.iter().filter_map(|p| p.declarator.name).map(|n| n.0).collect()
            }
            _ => Vec::new(),
        };
        for name in names {
            self.declare_name(name, false);
        }
    }

    /// A declaration inside a function or at the outermost level, with its semicolon.
    pub(super) fn declaration(&mut self) -> Result<DeclId> {
        let start = self.span();
        while self.eat_keyword(Keyword::Extension) {}
        if self.eat_keyword(Keyword::StaticAssert) {
            return self.static_assert(start);
        }
        let specs = self.specifiers()?;
        if self.eat(Punct::Semi) {
            return Ok(self.finish_declaration(start, specs, Vec::new()));
        }
        let declarator = self.declarator(Form::Named)?;
        let is_function = matches!(declarator.derivations.first(), Some(Derivation::Function(_)));
        if is_function && self.at_punct(Punct::LBrace) {
            return self.error(declarator.span, "nested functions are not supported");
        }
        self.declarators(start, specs, declarator)
    }

    fn static_assert(&mut self, start: Span) -> Result<DeclId> {
        let opening = self.span();
        self.expect(Punct::LParen)?;
        let condition = self.conditional_expr()?;
        let message = if self.eat(Punct::Comma) { Some(self.string()?) } else { None };
        self.expect_closing(Punct::RParen, opening)?;
        self.expect(Punct::Semi)?;
        let kind = DeclarationKind::StaticAssert(condition, message);
        Ok(self.unit.decls.alloc(Declaration { span: self.span_from(start), kind }))
    }

    fn finish_declaration(
        &mut self,
        start: Span,
        specs: Specifiers,
        declarators: Vec<InitDeclarator>,
    ) -> DeclId {
        let kind = DeclarationKind::Plain(specs, declarators);
        self.unit.decls.alloc(Declaration { span: self.span_from(start), kind })
    }

    /// The rest of a declaration after its first declarator.
    fn declarators(&mut self, start: Span, specs: Specifiers, first: Declarator) -> Result<DeclId> {
        let mut declarators = Vec::new();
        let mut declarator = first;
        loop {
            self.declarator_trailer(&mut declarator)?;
            if let Some((name, _)) = declarator.name {
                self.declare_name(name, specs.storage == Some(Storage::Typedef));
            }
            let init = if self.eat(Punct::Assign) { Some(self.initializer()?) } else { None };
            declarators.push(InitDeclarator { declarator, init });
            if !self.eat(Punct::Comma) {
                break;
            }
            let mut attributes = Vec::new();
            self.attributes(&mut attributes)?;
            declarator = self.declarator(Form::Named)?;
            declarator.attributes.append(&mut attributes);
        }
        if !self.eat(Punct::Semi) {
            return Err(self.expected("',' or ';' after the declarator"));
        }
        Ok(self.finish_declaration(start, specs, declarators))
    }

    /// Attributes and an `asm` label after a declarator.
    fn declarator_trailer(&mut self, declarator: &mut Declarator) -> Result<()> {
        self.attributes(&mut declarator.attributes)?;
        if let Some(label) = self.asm_label()? {
            declarator.asm_label = Some(label);
        }
        self.attributes(&mut declarator.attributes)?;
        self.function_contract(declarator)
    }

    /// Declaration specifiers, or specifiers and qualifiers.
    pub(super) fn specifiers(&mut self) -> Result<Specifiers> {
        let start = self.span();
        let mut collected = SpecifierCollector::new(start);
        loop {
            let span = self.span();
            match self.peek() {
                TokenKind::Ident(symbol) if self.is_typedef(symbol) && !collected.has_type() => {
                    self.advance();
                    collected.ty = Some(TypeSpec::Named(symbol));
                }
                TokenKind::Keyword(keyword) => {
                    if !self.specifier_keyword(keyword, span, &mut collected)? {
                        break;
                    }
                }
                _ => break,
            }
        }
        collected.finish(self.span_from(start))
    }

    /// Takes one keyword into the specifiers; false if it is not one of theirs.
    fn specifier_keyword(
        &mut self,
        keyword: Keyword,
        span: Span,
        into: &mut SpecifierCollector,
    ) -> Result<bool> {
        use Keyword as K;
        match keyword {
            K::Attribute => {
                self.attributes(&mut into.specs.attributes)?;
                return Ok(true);
            }
            K::Struct | K::Union => {
                into.set_type(span, |s| s.record(keyword == K::Union), self)?;
                return Ok(true);
            }
            K::Enum => {
                into.set_type(span, Self::enumeration, self)?;
                return Ok(true);
            }
            K::Typeof => {
                into.set_type(span, Self::typeof_specifier, self)?;
                return Ok(true);
            }
            K::Atomic if self.peek_at(1) == TokenKind::Punct(Punct::LParen) => {
                self.advance();
                self.advance();
                into.set_type(span, |s| Ok(TypeSpec::Atomic(s.type_name()?)), self)?;
                self.expect(Punct::RParen)?;
                return Ok(true);
            }
            K::Alignas => {
                self.advance();
                let attribute = self.alignas(span)?;
                into.specs.attributes.push(attribute);
                return Ok(true);
            }
            _ => {}
        }
        if !into.plain_keyword(keyword, span)? {
            return Ok(false);
        }
        self.advance();
        Ok(true)
    }

    fn typeof_specifier(&mut self) -> Result<TypeSpec> {
        self.advance();
        let opening = self.span();
        self.enter()?;
        self.expect(Punct::LParen)?;
        let spec = if self.at_type_name() {
            TypeSpec::TypeofType(self.type_name()?)
        } else {
            TypeSpec::TypeofExpr(self.expr()?)
        };
        self.expect_closing(Punct::RParen, opening)?;
        self.leave();
        Ok(spec)
    }

    fn record(&mut self, is_union: bool) -> Result<TypeSpec> {
        let start = self.span();
        self.advance();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = if let TokenKind::Ident(_) = self.peek() { Some(self.ident()?) } else { None };
        self.attributes(&mut attributes)?;
        let mut pack = 0;
        let members = if self.at_punct(Punct::LBrace) {
            let members = self.members()?;
            pack = self.current_pack();
            self.attributes(&mut attributes)?;
            Some(members)
        } else {
            None
        };
        if tag.is_none() && members.is_none() {
            return Err(self.expected("a tag or '{'"));
        }
        let span = self.span_from(start);
        let record = RecordSpec { span, is_union, tag, members, attributes, pack };
        Ok(TypeSpec::Record(self.unit.records.alloc(record)))
    }

    /// The limit on member alignment where the parser stands.
    fn current_pack(&self) -> u32 {
        let index = self.packs.partition_point(|&(token, _)| token < self.at as u32);
        index.checked_sub(1).map_or(0, |i| self.packs[i].1)
    }

    fn members(&mut self) -> Result<Vec<MemberDeclaration>> {
        let opening = self.span();
        self.enter()?;
        self.expect(Punct::LBrace)?;
        let mut members = Vec::new();
        while !self.at_punct(Punct::RBrace) {
            if self.eat(Punct::Semi) {
                continue;
            }
            let start = self.span();
            while self.eat_keyword(Keyword::Extension) {}
            if self.eat_keyword(Keyword::StaticAssert) {
                let declaration = self.static_assert(start)?;
                members.push(MemberDeclaration::StaticAssert(declaration));
                continue;
            }
            members.push(self.member_declaration(opening)?);
        }
        self.expect_closing(Punct::RBrace, opening)?;
        self.leave();
        Ok(members)
    }

    fn member_declaration(&mut self, opening: Span) -> Result<MemberDeclaration> {
        let specs = self.specifiers()?;
        if matches!(specs.ty, TypeSpec::Missing) && specs.quals == Quals::NONE {
            let error = match self.peek() {
                TokenKind::Eof => self.expected("'}'").note(opening, "to match this"),
                TokenKind::Ident(symbol) => {
                    let name = self.symbols.name(symbol);
                    Diagnostic::error(self.span(), format!("unknown type name '{name}'"))
                }
                _ => self.expected("a member declaration"),
            };
            return Err(error);
        }
        let mut declarators = Vec::new();
        if !self.at_punct(Punct::Semi) {
            loop {
                declarators.push(self.member_declarator()?);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        // gcc accepts a missing semicolon before the closing brace.
        if !self.at_punct(Punct::RBrace) {
            self.expect(Punct::Semi)?;
        }
        Ok(MemberDeclaration::Fields(specs, declarators))
    }

    fn member_declarator(&mut self) -> Result<MemberDeclarator> {
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let mut declarator = if self.at_punct(Punct::Colon) {
            self.declarator(Form::Abstract)?
        } else {
            self.declarator(Form::Named)?
        };
        declarator.attributes.append(&mut attributes);
        let width = if self.eat(Punct::Colon) { Some(self.conditional_expr()?) } else { None };
        self.attributes(&mut declarator.attributes)?;
        Ok(MemberDeclarator { declarator, width })
    }

    fn enumeration(&mut self) -> Result<TypeSpec> {
        let start = self.span();
        self.advance();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = if let TokenKind::Ident(_) = self.peek() { Some(self.ident()?) } else { None };
        let constants = if self.at_punct(Punct::LBrace) {
            let constants = self.enum_constants()?;
            self.attributes(&mut attributes)?;
            Some(constants)
        } else {
            None
        };
        if tag.is_none() && constants.is_none() {
            return Err(self.expected("a tag or '{'"));
        }
        let span = self.span_from(start);
        let spec = EnumSpec { span, tag, constants, attributes };
        Ok(TypeSpec::Enum(self.unit.enums.alloc(spec)))
    }

    fn enum_constants(&mut self) -> Result<Vec<EnumConstant>> {
        let opening = self.span();
        self.enter()?;
        self.expect(Punct::LBrace)?;
        let mut constants = Vec::new();
        while !self.at_punct(Punct::RBrace) {
            let (name, span) = self.ident()?;
            let mut ignored = Vec::new();
            self.attributes(&mut ignored)?;
            let value = if self.eat(Punct::Assign) { Some(self.conditional_expr()?) } else { None };
            self.declare_name(name, false);
            constants.push(EnumConstant { name, span, value });
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect_closing(Punct::RBrace, opening)?;
        self.leave();
        Ok(constants)
    }
}

/// Specifiers in the making.
struct SpecifierCollector {
    specs: Specifiers,
    words: Words,
    has_words: bool,
    ty: Option<TypeSpec>,
}

impl SpecifierCollector {
    fn new(span: Span) -> SpecifierCollector {
        let specs = Specifiers {
            span,
            storage: None,
            thread_local: false,
            inline: false,
            noreturn: false,
            quals: Quals::NONE,
            ty: TypeSpec::Missing,
            attributes: Vec::new(),
        };
        SpecifierCollector { specs, words: Words::default(), has_words: false, ty: None }
    }

    fn has_type(&self) -> bool {
        self.has_words || self.ty.is_some()
    }

    fn set_type<'a>(
        &mut self,
        span: Span,
        parse: impl FnOnce(&mut Parser<'a>) -> Result<TypeSpec>,
        parser: &mut Parser<'a>,
    ) -> Result<()> {
        if self.has_type() {
            return Err(two_types(span));
        }
        self.ty = Some(parse(parser)?);
        Ok(())
    }

    fn storage(&mut self, span: Span, storage: Storage) -> Result<()> {
        if self.specs.storage.is_some_and(|s| s != storage) {
            return Err(Diagnostic::error(span, "more than one storage class"));
        }
        self.specs.storage = Some(storage);
        Ok(())
    }

    /// Takes a keyword that stands alone; false if it is none.
    fn plain_keyword(&mut self, keyword: Keyword, span: Span) -> Result<bool> {
        use Keyword as K;
        match keyword {
            K::Typedef => self.storage(span, Storage::Typedef)?,
            K::Extern => self.storage(span, Storage::Extern)?,
            K::Static => self.storage(span, Storage::Static)?,
            K::Auto => self.storage(span, Storage::Auto)?,
            K::Register => self.storage(span, Storage::Register)?,
            K::ThreadLocal => self.specs.thread_local = true,
            K::Inline => self.specs.inline = true,
            K::Noreturn => {
                self.specs.noreturn = true;
                self.specs.attributes.push(Attribute { span, kind: AttributeKind::NoReturn });
            }
            K::Const => self.specs.quals |= Quals::CONST,
            K::Volatile => self.specs.quals |= Quals::VOLATILE,
            K::Restrict => self.specs.quals |= Quals::RESTRICT,
            K::Atomic => self.specs.quals |= Quals::ATOMIC,
            K::Extension => {}
            K::AutoType | K::VaList => {
                if self.has_type() {
                    return Err(two_types(span));
                }
                let spec = if keyword == K::VaList { TypeSpec::VaList } else { TypeSpec::Auto };
                self.ty = Some(spec);
            }
            K::Complex | K::Imaginary => {
                return Err(Diagnostic::error(span, "complex types are not supported"));
            }
            K::Decimal => {
                let message = "decimal floating types are not supported";
                return Err(Diagnostic::error(span, message));
            }
            _ => return self.word(keyword, span),
        }
        Ok(true)
    }

    /// Takes a keyword of an arithmetic type; false if it is none.
    fn word(&mut self, keyword: Keyword, span: Span) -> Result<bool> {
        use Keyword as K;
        let words = &mut self.words;
        let flag = |flag: &mut bool| std::mem::replace(flag, true);
        let again = match keyword {
            K::Void => flag(&mut words.void),
            K::Char => flag(&mut words.char),
            K::Short => flag(&mut words.short),
            K::Int => flag(&mut words.int),
            K::Float => flag(&mut words.float),
            K::Double => flag(&mut words.double),
            K::Signed => flag(&mut words.signed),
            K::Unsigned => flag(&mut words.unsigned),
            K::Bool => flag(&mut words.bool),
            K::Int128 => flag(&mut words.int128),
            K::Long => {
                words.long += 1;
                words.long > 2
            }
            K::Float32 => words.named_float.replace(NamedFloat::Float32).is_some(),
            K::Float64 => words.named_float.replace(NamedFloat::Float64).is_some(),
            K::Float32x => words.named_float.replace(NamedFloat::Float32x).is_some(),
            K::Float64x => words.named_float.replace(NamedFloat::Float64x).is_some(),
            K::Float128 => words.named_float.replace(NamedFloat::Float128).is_some(),
            K::Float80 => words.named_float.replace(NamedFloat::Float80).is_some(),
            _ => return Ok(false),
        };
        if again {
            let message = format!("'{}' is repeated too often", keyword.spelling());
            return Err(Diagnostic::error(span, message));
        }
        if self.ty.is_some() {
            return Err(two_types(span));
        }
        self.has_words = true;
        Ok(true)
    }

    fn finish(mut self, span: Span) -> Result<Specifiers> {
        self.specs.span = span;
        self.specs.ty = match self.ty {
            Some(ty) => ty,
            None if self.has_words => {
                check_words(&self.words, span)?;
                TypeSpec::Words(self.words)
            }
            None => TypeSpec::Missing,
        };
        Ok(self.specs)
    }
}

fn two_types(span: Span) -> Box<Diagnostic> {
    Diagnostic::error(span, "two or more types in one declaration")
}

/// Rejects combinations such as `short double`.
fn check_words(w: &Words, span: Span) -> Result<()> {
    let bases = [w.void, w.char, w.float, w.double, w.bool, w.int128, w.named_float.is_some()];
    let count = bases.iter().filter(|&&b| b).count();
    let sized = w.short || w.long > 0;
    let signs = w.signed || w.unsigned;
    let long_double = w.double && w.long == 1 && !w.short && !w.int && !signs;
    let valid = count <= 1
        && !(w.signed && w.unsigned)
        && !(w.short && w.long > 0)
        && (long_double
            || !((w.void || w.float || w.double || w.bool || w.named_float.is_some())
                && (sized || signs || w.int)))
        && !((w.char || w.int128) && (sized || w.int));
    if valid {
        return Ok(());
    }
    Err(Diagnostic::error(span, "these words do not make a type together"))
}
