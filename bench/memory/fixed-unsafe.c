/* Saturating multiplication in Q16 by halves of 16 bits: the product of the high halves is shifted in 32 bits. */
#include <assert.h>
#include <stdint.h>

typedef int32_t q16;

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static q16 saturate(int64_t value)
{
    if (value > INT32_MAX)
        return INT32_MAX;
    if (value < INT32_MIN)
        return INT32_MIN;
    return (q16)value;
}

static q16 multiply_wide(q16 a, q16 b)
{
    return saturate(((int64_t)a * b) >> 16);
}

/* Without a 64-bit multiplication, as on a small processor. */
static q16 multiply_halves(q16 a, q16 b)
{
    int32_t a_high = a >> 16, b_high = b >> 16;
    uint32_t a_low = a & 0xffff, b_low = b & 0xffff;
    int64_t sum = (int32_t)((uint32_t)(a_high * b_high) << 16);
    sum += (int64_t)a_high * b_low;
    sum += (int64_t)b_high * a_low;
    sum += (a_low * b_low) >> 16;
    return saturate(sum);
}

static q16 add(q16 a, q16 b)
{
    uint32_t sum = (uint32_t)a + (uint32_t)b;
    if (((a ^ sum) & (b ^ sum)) >> 31)
        return a < 0 ? INT32_MIN : INT32_MAX;
    return (q16)sum;
}

int main(void)
{
    q16 a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    /* A reading with a resolution of 1/16 and a factor with one of 1/2. */
    __VERIFIER_assume(a % 4096 == 0 && b % 32768 == 0 && b >= -131072 && b <= 131072);
    q16 product = multiply_halves(a, b);
    assert(product == multiply_wide(a, b));
    assert(add(product, c) == saturate((int64_t)product + c));
    return 0;
}
