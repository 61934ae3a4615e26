//! What becomes of a list of commands, copied only from where it changes on.

use crate::cfa::Command;

/// What became of commands.
pub(super) enum Walked {
    /// They can't be got through.
    Blocked,
    /// They are as they were.
    Same,
    /// These instead of them.
    New(Vec<Command>),
}

/// Commands on the way to what they become.
pub(super) struct Rewritten<'c> {
    old: &'c [Command],
    /// How many from the beginning are as they were, while there is nothing new.
    kept: usize,
    new: Option<Vec<Command>>,
}

/// The commands that a command is a sequence of. Where [`crate::blocks::sequence`] would have made
/// one that is no sequence, that is to be changed, and it counts as one in another.
pub(super) fn parts(command: &Command) -> &[Command] {
    match command {
        Command::Sequence(commands) if commands.len() != 1 => commands,
        other => std::slice::from_ref(other),
    }
}

impl<'c> Rewritten<'c> {
    pub fn new(old: &'c [Command]) -> Self {
        Rewritten { old, kept: 0, new: None }
    }

    /// The next command stays.
    pub fn keep(&mut self, command: &Command) {
        match &mut self.new {
            Some(new) => new.push(command.clone()),
            None => self.kept += 1,
        }
    }

    /// The next command goes.
    pub fn drop(&mut self) {
        self.changed();
    }

    /// Another takes the place of the next command.
    pub fn push(&mut self, command: Command) {
        self.changed().push(command);
    }

    /// Others take the place of the next command.
    pub fn extend(&mut self, commands: impl IntoIterator<Item = Command>) {
        self.changed().extend(commands);
    }

    fn changed(&mut self) -> &mut Vec<Command> {
        let (old, kept) = (self.old, self.kept);
        self.new.get_or_insert_with(|| {
            let mut new = Vec::with_capacity(old.len());
            new.extend_from_slice(&old[..kept]);
            new
        })
    }

    /// What became of all of them.
    pub fn finish(self) -> Walked {
        self.new.map_or(Walked::Same, Walked::New)
    }
}
