; The average of two floats lies between them: is there a pair for which (x + y) / 2 does not?
; There is: the sum overflows to infinity, although both numbers are finite.
(set-logic QF_FP)
(declare-const x Float32)
(declare-const y Float32)
(define-fun finite ((f Float32)) Bool (not (or (fp.isNaN f) (fp.isInfinite f))))
(define-fun two () Float32 ((_ to_fp 8 24) RNE 2.0))
(define-fun average () Float32 (fp.div RNE (fp.add RNE x y) two))
(assert (and (finite x) (finite y) (fp.leq x y)))
(assert (not (and (fp.leq x average) (fp.leq average y))))
(check-sat)
; Bounded by a million, there is none.
(define-fun million () Float32 ((_ to_fp 8 24) RNE 1000000.0))
(assert (and (fp.leq (fp.neg million) x) (fp.leq y million)))
(check-sat)
