// Blocks of fixed size from a static pool, with a list of those that are free.
//
// fault 1, pointer, input 1 1 1 1: the pool is empty
// fault 2, pointer, input 1 1 1 1: the last block leads behind the pool
// fault 3, assert, input 1 0 0: a block is given back twice
// fault 4, free, input 1 0: a block of the pool is given to the heap
// fault 5, bounds, input 1: a block is filled beyond its end
#include <assert.h>
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);

#define BLOCKS 3

struct block {
    struct block *next;
    int data[2];
};

static struct block pool[BLOCKS];
static struct block *unused;
static int given;

static void prepare(void)
{
    for (int i = 0; i < BLOCKS; i++)
        pool[i].next = i + 1 < BLOCKS ? &pool[i + 1] : 0; //@2 pool[i].next = &pool[i + 1];
    unused = pool;
}

static struct block *get(void)
{
    struct block *block = unused;
    if (block == 0) //@1 if (given > BLOCKS)
        return 0;
    unused = block->next; //!1 //!2
    given++;
    for (int i = 0; i < 2; i++) //@5 for (int i = 0; i < 3; i++)
        block->data[i] = 0; //!5
    return block;
}

static void give(struct block *block)
{
    block->next = unused; //@4 free(block);
    unused = block;
    given--;
    assert(given >= 0); //!3
}

int main(void)
{
    prepare();
    struct block *held = 0;
    for (int step = 0; step < 4; step++) {
        if (__VERIFIER_nondet_uint() % 2) {
            struct block *block = get();
            if (block)
                held = block;
        } else if (held) {
            give(held);
            held = 0; //@3 held = given > 0 ? 0 : held;
        }
    }
    return given;
}
