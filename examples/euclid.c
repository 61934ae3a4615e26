/* Euclid's algorithm on signed bytes, in the shape that Lange's thesis on IC3CFA uses as its running example
 * (Listing 1): the divisor is no greater than a positive argument.
 * Safe: cairn check examples/euclid.c --engine ic3cfa --ic3cfa-config D */
#include <assert.h>

extern signed char __VERIFIER_nondet_schar(void);

int main(void)
{
    signed char a = __VERIFIER_nondet_schar(), b = __VERIFIER_nondet_schar();
    signed char argument = b;
    if (a < 0)
        a = (signed char)-a;
    if (b < 0)
        b = (signed char)-b;
    while (b != 0) {
        signed char rest = a % b;
        a = b;
        b = rest;
    }
    if (argument > 0)
        assert(a <= argument);
    return 0;
}
