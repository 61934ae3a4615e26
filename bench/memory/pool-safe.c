/* A pool of blocks with the free list inside a static array: no block is handed out twice, even if freed twice. */
#include <assert.h>
#include <stdint.h>

#define BLOCKS 4
#define STEPS 6

extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

union block {
    union block *next; /* of a free block */
    uint8_t bytes[16]; /* of one in use */
};

static union block blocks[BLOCKS];
static union block *free_blocks;

static void start(void)
{
    for (int i = 0; i + 1 < BLOCKS; i++)
        blocks[i].next = &blocks[i + 1];
    blocks[BLOCKS - 1].next = 0;
    free_blocks = &blocks[0];
}

static union block *take(void)
{
    union block *block = free_blocks;
    if (block)
        free_blocks = block->next;
    return block;
}

static int give(union block *block)
{
    for (union block *other = free_blocks; other; other = other->next)
        if (other == block)
            return 0;
    block->next = free_blocks;
    free_blocks = block;
    return 1;
}

int main(void)
{
    int used[BLOCKS] = {0};
    int count = 0;
    start();
    for (int step = 0; step < STEPS; step++) {
        if (__VERIFIER_nondet_int()) {
            union block *block = take();
            assert((block == 0) == (count == BLOCKS));
            if (block) {
                assert(!used[block - blocks]);
                used[block - blocks] = 1;
                block->bytes[0] = 0xff;
                count++;
            }
        } else {
            unsigned char i = __VERIFIER_nondet_uchar();
            __VERIFIER_assume(i < BLOCKS);
            int given = give(&blocks[i]);
            assert(given == used[i]);
            used[i] = 0;
            count -= given;
        }
    }
    return 0;
}
