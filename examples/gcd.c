/* Euclid by subtraction: the result divides neither more nor less than both arguments allow.
 * Safe: cairn check examples/gcd.c */
#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

static unsigned gcd(unsigned a, unsigned b)
{
    while (a != b) {
        if (a > b)
            a -= b;
        else
            b -= a;
    }
    return a;
}

int main(void)
{
    unsigned a = __VERIFIER_nondet_uchar(), b = __VERIFIER_nondet_uchar();
    if (a == 0 || b == 0)
        return 0;
    unsigned d = gcd(a, b);
    assert(d >= 1 && d <= a && d <= b);
    return 0;
}
