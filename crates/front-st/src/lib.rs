//! IEC 61131-3 Structured Text and PLCopen XML, read, typed and lowered to programs.
