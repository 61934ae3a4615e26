// Compound assignments to narrow and wide types.
//
// fault 1, overflow, input 100 46342: a short is squared as an int
// fault 2, overflow, input 0 0 2147483647: a sum of an int and a constant
// fault 3, shift, input 0 0 0 33: a compound shift by too much
// fault 4, shift, input 0 0 0 0 -1: a compound shift of a negative number
// fault 5, overflow, input 0 0 0 0 0 9223372036854775807: a product of a long
// fault 6, overflow, input 0 0 0 0 0 0 -1073741825: a negative number is doubled
// fault 7, div0, input 0 0 0 0 0 0 0 0: a compound remainder
extern int __VERIFIER_nondet_int(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern long __VERIFIER_nondet_long(void);

int main(void)
{
    unsigned short gain = __VERIFIER_nondet_ushort(), level = __VERIFIER_nondet_ushort();
    int power = level < 256 ? level : 0; //@1 int power = level < 50000 ? level : 0;
    power *= level; //!1
    if (power > 300)
        gain = 1;
    int total = __VERIFIER_nondet_int();
    if (total > 1000 || total < -1000) //@2 if (total < -1000)
        total = 1000;
    total += 5; //!2
    total -= gain;
    int places = __VERIFIER_nondet_int();
    unsigned bits = gain;
    if (places >= 0 && places < 32) //@3 if (places >= 0 && places < 64)
        bits >>= places; //!3
    int field = __VERIFIER_nondet_int();
    if (field >= 0 && field < 1000) //@4 if (field < 1000)
        field <<= 3; //!4
    long wide = __VERIFIER_nondet_long();
    if (wide > -1000000 && wide < 1000000) //@5 if (wide > -1000000)
        wide *= 1000; //!5
    int twice = __VERIFIER_nondet_int();
    if (twice >= -1073741824 && twice <= 1073741823) //@6 if (twice <= 1073741823)
        twice += twice; //!6
    int divisor = __VERIFIER_nondet_int();
    if (divisor > 0) //@7 if (divisor >= 0)
        bits %= (unsigned)divisor; //!7
    return wide > total && field > twice && bits;
}
