//! Sequential function charts as text [IEC 61131-3 §6.7].

use super::parser::Parser;
use crate::ast::{Association, Chart, Name, Step, Transition};
use crate::lex::token::{Keyword, Punct};
use source::diagnostic::Result;

impl Parser<'_> {
    /// A step or transition.
    pub(crate) fn chart_element(&mut self, chart: &mut Chart) -> Result<()> {
        match self.keyword() {
            Some(Keyword::Transition) => {
                let transition = self.transition()?;
                chart.transitions.push(transition);
            }
            _ => {
                let step = self.step()?;
                chart.steps.push(step);
            }
        }
        Ok(())
    }

    fn step(&mut self) -> Result<Step> {
        let start = self.span();
        let initial = self.at_keyword(Keyword::InitialStep);
        self.advance();
        let name = self.name("the name of the step")?;
        self.eat(Punct::Colon);
        let mut actions = Vec::new();
        while self.name_ahead(0) {
            actions.push(self.association()?);
        }
        self.close(Keyword::EndStep, start);
        self.eat(Punct::Semi);
        Ok(Step { name, initial, actions, span: self.since(start) })
    }

    /// `action(qualifier, T#5s, indicator);`
    fn association(&mut self) -> Result<Association> {
        let name = self.name("the name of an action")?;
        let start = name.span;
        let opening = self.span();
        let mut association = Association {
            qualifier: Name::new("N", start),
            name,
            time: None,
            indicators: Vec::new(),
            code: None,
            span: start,
        };
        if self.eat(Punct::LParen) {
            if self.name_ahead(0) {
                association.qualifier = self.name("a qualifier")?;
            }
            let timed = matches!(&*association.qualifier.key, "l" | "d" | "sd" | "ds" | "sl");
            while self.eat(Punct::Comma) {
                if timed && association.time.is_none() {
                    association.time = Some(self.expression()?);
                } else {
                    association.indicators.push(self.name("a variable")?);
                }
            }
            self.expect_closing(Punct::RParen, opening)?;
        }
        self.expect(Punct::Semi)?;
        association.span = self.since(start);
        Ok(association)
    }

    /// `TRANSITION name (PRIORITY := 1) FROM a TO (b, c) := condition; END_TRANSITION`
    fn transition(&mut self) -> Result<Transition> {
        let start = self.span();
        self.advance();
        let from_next = self.at_keyword(Keyword::From)
            && (self.name_ahead(1) || self.punct_ahead(1, Punct::LParen))
            && !self.punct_ahead(2, Punct::Colon);
        let name = if self.name_ahead(0) && !from_next {
            Some(self.name("the name of the transition")?)
        } else {
            None
        };
        let mut priority = None;
        if self.at_punct(Punct::LParen) && self.keyword_ahead(1) == Some(Keyword::Priority) {
            let opening = self.span();
            self.advance();
            self.advance();
            self.expect(Punct::Assign)?;
            priority = Some(self.expression()?);
            self.expect_closing(Punct::RParen, opening)?;
        }
        self.expect_keyword(Keyword::From)?;
        let from = self.steps()?;
        self.expect_keyword(Keyword::To)?;
        let to = self.steps()?;
        if !self.eat(Punct::Colon) {
            self.expect(Punct::Assign)?;
        }
        let condition = self.expression()?;
        self.eat(Punct::Semi);
        self.close(Keyword::EndTransition, start);
        self.eat(Punct::Semi);
        Ok(Transition { name, priority, from, to, condition, span: self.since(start) })
    }

    fn steps(&mut self) -> Result<Vec<Name>> {
        let opening = self.span();
        if !self.eat(Punct::LParen) {
            return Ok(vec![self.name("the name of a step")?]);
        }
        let steps = self.names("the name of a step")?;
        self.expect_closing(Punct::RParen, opening)?;
        Ok(steps)
    }
}

impl Parser<'_> {
    /// The condition of a transition as a text of its own: `x > 0;`, `:= x > 0;`, or `name := x > 0;`.
    pub(crate) fn condition_text(&mut self) -> Result<crate::ast::Expr> {
        if self.name_ahead(0) && self.punct_ahead(1, Punct::Assign) {
            self.advance();
        }
        self.eat(Punct::Assign);
        let condition = self.expression()?;
        self.eat(Punct::Semi);
        Ok(condition)
    }
}
