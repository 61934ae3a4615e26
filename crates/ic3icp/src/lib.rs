//! IC3 whose literals are interval bounds ([Sch §III]).
