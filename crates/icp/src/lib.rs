//! A solver for bit-vectors and IEEE floats that reasons on interval bounds ([Sch §II-D]).
