// A map of free blocks, one bit each.
//
// fault 1, shift, input 40 0: the bit within a word is not cut
// fault 2, bounds, input 96 0: the last block is one too far
// fault 3, overflow, input 31 0: the highest bit is set in an int
// fault 4, bounds, input 5 -1: a block below the first is released
extern int __VERIFIER_nondet_int(void);

#define BLOCKS 96

static unsigned map[BLOCKS / 32];

static int occupy(int block)
{
    if (block < 0 || block >= BLOCKS) //@2 if (block < 0 || block > BLOCKS)
        return 0;
    unsigned bit = 1u << block % 32; //@1 unsigned bit = 1u << block; //@3 unsigned bit = 1 << block % 32;
    if (map[block / 32] & bit) //!2
        return 0;
    map[block / 32] |= bit;
    return 1;
}

static void release(int block)
{
    if (block >= BLOCKS || block < 0) //@4 if (block >= BLOCKS || block < -BLOCKS)
        return;
    unsigned word = (unsigned)block / 32;
    map[word] &= ~(1u << (unsigned)block % 32); //!4
}

int main(void)
{
    int taken = occupy(__VERIFIER_nondet_int());
    release(__VERIFIER_nondet_int());
    return taken;
}
