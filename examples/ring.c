/* A ring buffer whose writer forgets to look whether it is full.
 * Unsafe: cairn check examples/ring.c prints the inputs that make it lose an element. */
#include <assert.h>

#define SIZE 4

extern int __VERIFIER_nondet_int(void);

static int buffer[SIZE];
static unsigned head, count;

static void put(int value)
{
    buffer[(head + count) % SIZE] = value;
    count++;
}

static int get(void)
{
    int value = buffer[head];
    head = (head + 1) % SIZE;
    count--;
    return value;
}

int main(void)
{
    while (1) {
        if (__VERIFIER_nondet_int())
            put(1);
        else if (count > 0)
            get();
        assert(count <= SIZE);
    }
}
