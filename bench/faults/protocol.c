// A protocol of lengths and values in a buffer that was received.
//
// fault 1, bounds, input 1 7 9: the length of a field leads out of the buffer
// fault 2, bounds, input 1 0 1 0 1 0 1: the header of the last field is cut off
// fault 3, shift, input 1 5: the field is longer than the number
// fault 4, overflow, input 1 4 128: the number is put together in an int
// fault 5, bounds, input 9: the kind of a field is an index
extern unsigned char __VERIFIER_nondet_uchar(void);

#define SIZE 7

static unsigned char buffer[SIZE];
static int seen[4];

static unsigned number(const unsigned char *at, int length)
{
    unsigned value = 0;
    for (int i = 0; i < length; i++)
        value |= (unsigned)at[i] << 8 * (length - 1 - i); //!3 //@4 value |= at[i] << 8 * (length - 1 - i);
    return value;
}

int main(void)
{
    for (int i = 0; i < SIZE; i++)
        buffer[i] = __VERIFIER_nondet_uchar();
    int at = 0;
    unsigned sum = 0;
    while (at + 1 < SIZE) { //@2 while (at < SIZE) {
        int kind = buffer[at], length = buffer[at + 1]; //!2
        if (kind > 3) //@5 if (kind > 30)
            return 1;
        seen[kind]++; //!5
        at += 2;
        if (length > 4) //@1 if (length > 9) //@3 if (length > 5)
            return 2;
        if (length > SIZE - at) //@1 if (length > SIZE)
            return 3;
        for (int i = 0; i < length; i++)
            sum += buffer[at + i]; //!1
        sum += number(buffer + at, length); //@1 at += 0;
        at += length;
    }
    return sum > 100;
}
