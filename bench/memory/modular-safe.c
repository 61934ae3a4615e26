/* Remainders by Barrett and by Montgomery reduction for a modulus of 8 bits agree with division. */
#include <assert.h>
#include <stdint.h>

#define MODULUS 251u
#define RECIPROCAL 261u /* 2^16 / MODULUS, rounded down */
#define INVERSE 205u    /* -1 / MODULUS mod 2^8 */
#define RADIX 5u        /* 2^8 mod MODULUS */

extern unsigned short __VERIFIER_nondet_ushort(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

static uint32_t barrett(uint16_t x)
{
    uint32_t quotient = (x * RECIPROCAL) >> 16;
    uint32_t remainder = x - quotient * MODULUS;
    if (remainder >= MODULUS)
        remainder -= MODULUS;
    return remainder;
}

/* x / 2^8 modulo MODULUS, of x below MODULUS * 2^8. */
static uint32_t montgomery(uint32_t x)
{
    uint32_t factor = (x * INVERSE) & 0xff;
    uint32_t reduced = (x + factor * MODULUS) >> 8;
    if (reduced >= MODULUS)
        reduced -= MODULUS;
    return reduced;
}

int main(void)
{
    uint16_t x = __VERIFIER_nondet_ushort();
    assert(barrett(x) == x % MODULUS);
    uint8_t a = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(a < MODULUS);
    /* Into the domain, a square there, and back. */
    uint32_t domain = barrett(a * RADIX);
    assert(montgomery(domain) == a);
    uint32_t square = montgomery(montgomery(domain * domain));
    assert(square == (uint32_t)a * a % MODULUS);
    return 0;
}
