//! Configurations, resources and tasks [IEC 61131-3 §6.8].

use super::parser::Parser;
use crate::ast::{Configuration, ConnectedArgument, Instance, Resource, Retention, Task};
use crate::lex::token::{Keyword, Punct, TokenKind};
use source::Diagnostic;
use source::diagnostic::Result;

impl Parser<'_> {
    pub(crate) fn configuration(&mut self) -> Result<Configuration> {
        let start = self.span();
        self.advance();
        let name = self.name("the name of the configuration")?;
        let mut sections = Vec::new();
        let mut resources: Vec<Resource> = Vec::new();
        loop {
            self.pragmas();
            if let Some(section) = self.section() {
                sections.push(section);
                continue;
            }
            match self.keyword() {
                Some(Keyword::Resource) => {
                    let resource = self.resource()?;
                    resources.push(resource);
                }
                Some(Keyword::Task | Keyword::Program) => {
                    let span = self.span();
                    if resources.last().is_none_or(|last| last.name.is_some()) {
                        resources.push(Resource {
                            name: None,
                            on: None,
                            sections: Vec::new(),
                            tasks: Vec::new(),
                            programs: Vec::new(),
                            span,
                        });
                    }
                    if let Some(last) = resources.last_mut() {
                        self.task_or_program(last)?;
                        last.span = self.since(last.span);
                    }
                }
                _ => break,
            }
        }
        self.close(Keyword::EndConfiguration, start);
        self.eat(Punct::Semi);
        Ok(Configuration { name, sections, resources })
    }

    fn resource(&mut self) -> Result<Resource> {
        let start = self.span();
        self.advance();
        let name = Some(self.name("the name of the resource")?);
        let on = if self.eat_keyword(Keyword::On) { Some(self.name("a processor")?) } else { None };
        let (sections, tasks, programs) = (Vec::new(), Vec::new(), Vec::new());
        let mut resource = Resource { name, on, sections, tasks, programs, span: start };
        loop {
            self.pragmas();
            if let Some(section) = self.section() {
                resource.sections.push(section);
            } else if matches!(self.keyword(), Some(Keyword::Task | Keyword::Program)) {
                self.task_or_program(&mut resource)?;
            } else {
                break;
            }
        }
        self.close(Keyword::EndResource, start);
        self.eat(Punct::Semi);
        resource.span = self.since(start);
        Ok(resource)
    }

    fn task_or_program(&mut self, resource: &mut Resource) -> Result<()> {
        if self.at_keyword(Keyword::Task) {
            let task = self.task()?;
            resource.tasks.push(task);
        } else {
            let instance = self.instance()?;
            resource.programs.push(instance);
        }
        Ok(())
    }

    /// `TASK name (SINGLE := x, INTERVAL := T#10ms, PRIORITY := 1);`
    fn task(&mut self) -> Result<Task> {
        let start = self.span();
        self.advance();
        let name = self.name("the name of the task")?;
        let mut task = Task { name, single: None, interval: None, priority: None, span: start };
        let opening = self.span();
        if self.eat(Punct::LParen) {
            loop {
                let word = self.any_name()?;
                self.expect(Punct::Assign)?;
                let value = Some(self.expression()?);
                match &*word.key {
                    "single" => task.single = value,
                    "interval" => task.interval = value,
                    "priority" => task.priority = value,
                    _ => {
                        let message = format!("a task has no '{word}'");
                        return Err(Diagnostic::error(word.span, message)
                            .help("it has SINGLE, INTERVAL and PRIORITY"));
                    }
                }
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
            self.expect_closing(Punct::RParen, opening)?;
        }
        self.expect(Punct::Semi)?;
        task.span = self.since(start);
        Ok(task)
    }

    /// `PROGRAM name WITH task : type (in := a, out => b, block WITH task);`
    fn instance(&mut self) -> Result<Instance> {
        let start = self.span();
        self.advance();
        let retention = match self.keyword().filter(|_| self.name_ahead(1)) {
            Some(Keyword::Retain) => Retention::Retain,
            Some(Keyword::NonRetain) => Retention::NonRetain,
            _ => Retention::Unsaid,
        };
        if retention != Retention::Unsaid {
            self.advance();
        }
        let name = self.name("the name of the program's instance")?;
        let task = if self.eat_keyword(Keyword::With) { Some(self.name("a task")?) } else { None };
        self.expect(Punct::Colon)?;
        let program = self.path("a program")?;
        let mut arguments = Vec::new();
        let opening = self.span();
        if self.eat(Punct::LParen) {
            while !self.at_punct(Punct::RParen) {
                arguments.push(self.connected()?);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
            self.expect_closing(Punct::RParen, opening)?;
        }
        self.expect(Punct::Semi)?;
        Ok(Instance { name, retention, task, program, arguments, span: self.since(start) })
    }

    fn connected(&mut self) -> Result<ConnectedArgument> {
        let path = self.path("a variable or block of the program")?;
        match self.peek() {
            TokenKind::Punct(Punct::Assign) => {
                self.advance();
                Ok(ConnectedArgument::Input(path, self.expression()?))
            }
            TokenKind::Punct(Punct::Arrow) => {
                self.advance();
                Ok(ConnectedArgument::Output(path, self.expression()?))
            }
            _ => {
                self.expect_keyword(Keyword::With)?;
                Ok(ConnectedArgument::Task(path, self.name("a task")?))
            }
        }
    }
}
