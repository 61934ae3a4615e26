// Sums and products of counters, each at its edge.
//
// fault 1, overflow, input 65535 65535: two shorts are multiplied as ints
// fault 2, overflow, input 0 0 2147483647: a counter is counted up
// fault 3, overflow, input 0 0 0 -2147483648: a counter is counted down
// fault 4, overflow, input 0 0 0 0 -2147483648: the size of a number
// fault 5, overflow, input 0 0 0 0 0 9223372036854775807: a long is added to
// fault 6, overflow, input 0 0 0 0 0 4000000000: the square of a long
// fault 7, overflow, input 0 0 0 0 0 0 -2147483648: the sign of the least number is changed
// fault 8, overflow, input 0 0 0 0 0 0 0 1 2147483647: the middle of two places
#include <stdlib.h>
extern unsigned short __VERIFIER_nondet_ushort(void);
extern int __VERIFIER_nondet_int(void);
extern long __VERIFIER_nondet_long(void);

int main(void)
{
    unsigned short width = __VERIFIER_nondet_ushort(), height = __VERIFIER_nondet_ushort();
    unsigned area = (unsigned)width * height; //@1 unsigned area = width * height;
    int up = __VERIFIER_nondet_int();
    if (up < 1000) //@2 if (up != 1000)
        up++; //!2
    int down = __VERIFIER_nondet_int();
    if (down > -1000) //@3 if (down != 1000)
        --down; //!3
    int value = __VERIFIER_nondet_int();
    if (value < -1000) //@4 if (value == 1000)
        value = -1000;
    int size = abs(value); //!4
    long wide = __VERIFIER_nondet_long();
    if (wide < 3000000000 && wide > -3000000000) { //@5 if (wide > 0) { //@6 if (wide <= 4000000000 && wide > -3000000000) {
        long square = wide * wide; //!6 //@5 long square = wide;
        square += 1; //!5
        area += (unsigned)square;
    }
    int sign = __VERIFIER_nondet_int();
    if (sign < 0 && sign > -2147483647 - 1) //@7 if (sign < 0)
        sign = -sign; //!7
    int left = __VERIFIER_nondet_int(), right = __VERIFIER_nondet_int();
    if (left < 0 || right < left)
        return 0;
    int middle = left + (right - left) / 2; //@8 int middle = (left + right) / 2;
    return middle >= left && size >= 0 && area > 0;
}
