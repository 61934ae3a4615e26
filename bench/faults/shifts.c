// Fields of registers: masks and positions that come from a description.
//
// fault 1, shift, input 32 0: a mask of all bits
// fault 2, shift, input 3 -1: a negative position
// fault 3, overflow, input 31 0 1: a mask is made of an int
// fault 4, shift, input 4 2 -5: a negative value is shifted into its place
// fault 5, shift, input 8 30: the place of the second field is the sum of two widths
// fault 6, shift, input 4 2 0 64: a long is shifted by its width
extern int __VERIFIER_nondet_int(void);

static unsigned mask(int width)
{
    if (width < 0 || width >= 32) //@1 if (width < 0 || width > 32)
        return 0xffffffffu;
    return (1u << width) - 1; //!1 //@3 return (1 << width) - 1; //!3
}

int main(void)
{
    int width = __VERIFIER_nondet_int(), position = __VERIFIER_nondet_int();
    if (position < 0 || position > 15) //@2 if (position > 15) //@5 if (position < 0 || position > 30)
        position = 0;
    if (width < 0 || width > 8) //@1 if (width != 32) //@3 if (width < 0 || width > 31)
        width = 8;
    unsigned first = mask(width) << position; //!2
    int value = __VERIFIER_nondet_int();
    if (value < 0 || value > 255) //@4 if (value > 255)
        value = 0;
    int placed = value << 4; //!4
    unsigned second = mask(4) << (position + width) % 32; //@5 unsigned second = mask(4) << (position + width); //!5
    int far = __VERIFIER_nondet_int();
    unsigned long wide = far >= 0 && far < 64 ? 1ul << far : 0; //@6 unsigned long wide = far >= 0 && far <= 64 ? 1ul << far : 0;
    return (first ^ second ^ wide) == (unsigned)placed;
}
