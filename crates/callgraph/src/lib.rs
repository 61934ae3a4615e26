//! IC3 over a call graph ([Lan18 ch. 6]).
