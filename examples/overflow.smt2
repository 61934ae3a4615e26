; Can two positive 32-bit numbers have a negative sum? They can; the model shows two.
(set-logic QF_BV)
(declare-const a (_ BitVec 32))
(declare-const b (_ BitVec 32))
(assert (bvsgt a #x00000000))
(assert (bvsgt b #x00000000))
(assert (bvslt (bvadd a b) #x00000000))
(check-sat)
