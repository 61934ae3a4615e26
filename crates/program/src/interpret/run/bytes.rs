//! Bytes of memory, read, copied, filled and forgotten.

use super::{End, Machine};
use crate::interpret::oracle::Part;
use crate::interpret::{EAGER, word};
use crate::program::{Cause, EdgeId, FunctionId};
use smallvec::SmallVec;
use term::Sort;

impl Machine<'_, '_> {
    /// The bytes at an address; unknown ones are asked for and remembered.
    pub(super) fn read(&mut self, address: u64, length: u64) -> Result<SmallVec<[u8; 16]>, End> {
        let object = self.memory.readable(address, length)?;
        let mut bytes = SmallVec::with_capacity(length as usize);
        for i in 0..length {
            match object.byte(address + i) {
                Some(byte) => bytes.push(byte),
                None => break,
            }
        }
        if (bytes.len() as u64) < length {
            self.complete(address, length, &mut bytes)?;
        }
        Ok(bytes)
    }

    /// The rest of the bytes, of which the first is unknown.
    #[cold]
    fn complete(
        &mut self,
        address: u64,
        length: u64,
        bytes: &mut SmallVec<[u8; 16]>,
    ) -> Result<(), End> {
        let (function, edge) = (self.function, self.edge.expect("a step is at an edge"));
        let cause = self.memory.readable(address, length)?.cause().clone();
        for at in address + bytes.len() as u64..address + length {
            let known = self.memory.readable(address, length)?.byte(at);
            let byte = match known {
                Some(byte) => byte,
                None => {
                    let sort = Sort::BitVec(8);
                    let part = Part::Memory { address: at, offset: at - address };
                    let value = self.ask(function, edge, &cause, sort, part);
                    let byte = word::of_value(&value) as u8;
                    self.memory.completed(address, length)?.complete(at, byte);
                    byte
                }
            };
            bytes.push(byte);
        }
        Ok(())
    }

    /// So many bytes from an address to another; the ranges may overlap.
    pub(super) fn copy(&mut self, to: u64, from: u64, length: u64) -> Result<(), End> {
        if length == 0 {
            return Ok(());
        }
        self.memory.readable(from, length)?;
        self.memory.writable(to, length)?;
        // In pieces, from the end that is overwritten last.
        let pieces = length.div_ceil(EAGER);
        for i in 0..pieces {
            let number = if to <= from { i } else { pieces - 1 - i };
            let offset = number * EAGER;
            let piece = (length - offset).min(EAGER);
            let bytes = self.read(from + offset, piece)?;
            let object = self.memory.readable(from + offset, piece)?;
            let written: SmallVec<[bool; 16]> =
                (0..piece).map(|i| object.has_written(from + offset + i)).collect();
            let mut writer = self.memory.writable(to + offset, piece)?;
            for ((i, byte), written) in (0u64..).zip(bytes).zip(written) {
                writer.set_as(to + offset + i, byte, written);
            }
            self.afford()?;
        }
        Ok(())
    }

    pub(super) fn fill(&mut self, to: u64, byte: u8, length: u64) -> Result<(), End> {
        if length == 0 {
            return Ok(());
        }
        if self.memory.writable(to, length)?.set_all(to, length, Some(byte), true) {
            return Ok(());
        }
        for offset in (0..length).step_by(EAGER as usize) {
            let piece = (length - offset).min(EAGER);
            let mut writer = self.memory.writable(to + offset, piece)?;
            for i in 0..piece {
                writer.set(to + offset + i, byte);
            }
            self.afford()?;
        }
        Ok(())
    }

    pub(super) fn havoc_bytes(
        &mut self,
        function: FunctionId,
        edge: EdgeId,
        address: u64,
        length: u64,
        cause: &Cause,
    ) -> Result<(), End> {
        if length == 0 {
            return Ok(());
        }
        let written = *cause != Cause::Uninitialized;
        let mut writer = self.memory.writable(address, length)?;
        if length > EAGER {
            writer.forget(address, length, written);
            return Ok(());
        }
        for i in 0..length {
            let value = self.ask(function, edge, cause, Sort::BitVec(8), Part::Byte(i));
            let byte = word::of_value(&value) as u8;
            self.memory.writable(address, length)?.set_as(address + i, byte, written);
        }
        Ok(())
    }

    /// Stops a long operation that takes too much memory.
    fn afford(&self) -> Result<(), End> {
        self.exhausted().map_or(Ok(()), |limit| Err(End::Stopped(limit)))
    }
}
