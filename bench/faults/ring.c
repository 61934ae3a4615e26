// A ring of bytes from a serial line: its indices run freely and are masked at each access.
//
// fault 1, bounds, input 1 1 1 1 1 1 1 1 0 1: the index to write is not masked
// fault 2, bounds, input 1 1 1 1 1 1 1 1 0 1 0 0 0 0 0 0 0 0: the index to read is not masked
// fault 3, assert, input 1 1 1 1 1 1 1 1 1: the ring takes one byte more than it has room for
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);

#define SIZE 8u

static unsigned char ring[SIZE];
static unsigned head, tail;

static void put(unsigned char byte)
{
    if (head - tail >= SIZE) //@3 if (head - tail > SIZE)
        return;
    ring[head % SIZE] = byte; //@1 ring[head] = byte;
    head++;
    assert(head - tail <= SIZE); //!3
}

static int get(void)
{
    if (head == tail)
        return -1;
    int byte = ring[tail & (SIZE - 1)]; //@2 int byte = ring[tail];
    tail++;
    return byte;
}

int main(void)
{
    int sum = 0;
    for (int step = 0; step < 18; step++) {
        unsigned char byte = __VERIFIER_nondet_uchar();
        if (byte % 2)
            put(byte);
        else
            sum += get();
    }
    return sum;
}
