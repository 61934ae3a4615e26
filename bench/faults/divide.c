// Scaling of values: divisions whose divisor or result is at the edge.
//
// fault 1, overflow, input -2147483648 -1: the least number is divided by minus one
// fault 2, div0, input 9 0: any divisor is taken
// fault 3, div0, input 9 4: the divisor is a difference
// fault 4, div0, input 9 1: the divisor is a share that is rounded to zero
// fault 5, overflow, input -2147483648 -1: the remainder of the least number by minus one
// fault 6, div0, input 256 256: the divisor is cut to a byte
// fault 7, div0, input 9 3: a product of two numbers is zero in 32 bits
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int value = __VERIFIER_nondet_int(), divisor = __VERIFIER_nondet_int();
    if (divisor <= 0) //@2 if (divisor < 0) //@1 if (divisor < -1 || divisor == 0) //@5 if (divisor < -1 || divisor == 0)
        divisor = 1;
    int scaled = value / divisor; //!1 //!2 //@5 int scaled = divisor < 0 ? 0 : value / divisor;
    int rest = value % divisor; //!5 //@1 int rest = 0;
    unsigned away = divisor < 4 ? 4u - (unsigned)divisor : 1; //@3 unsigned away = (unsigned)divisor - 4u; //@1 unsigned away = 1; //@5 unsigned away = 1;
    away = 100u / away; //!3
    int half = divisor / 2 + 1; //@4 int half = divisor / 2; //@1 int half = 1; //@5 int half = 1;
    away += 1000u % (unsigned)half; //!4
    unsigned char narrow = divisor % 255 + 1; //@6 unsigned char narrow = divisor; //@1 unsigned char narrow = 1; //@5 unsigned char narrow = 1;
    away += (unsigned)rest / narrow; //!6
    unsigned long square = (unsigned long)divisor * 0x10000000ul; //@7 unsigned square = ((unsigned)divisor & 0xfffffff0u) * 0x10000000u; //@1 unsigned square = 1; //@5 unsigned square = 1;
    away += (unsigned)(12345 / square); //!7
    return (unsigned)scaled > away;
}
