/* A queue in a ring buffer: the test whether it is full forgets the wrap, and a put can empty the queue. */
#include <assert.h>
#include <stdint.h>

#define SLOTS 4
#define STEPS 8

extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

struct queue {
    uint8_t slots[SLOTS];
    uint8_t head; /* where the next byte is written */
    uint8_t tail; /* where the next byte is read */
};

static int put(struct queue *queue, uint8_t byte)
{
    uint8_t next = (queue->head + 1) % SLOTS;
    if (queue->head + 1 == queue->tail)
        return 0;
    queue->slots[queue->head] = byte;
    queue->head = next;
    return 1;
}

static int get(struct queue *queue, uint8_t *byte)
{
    if (queue->head == queue->tail)
        return 0;
    *byte = queue->slots[queue->tail];
    queue->tail = (queue->tail + 1) % SLOTS;
    return 1;
}

int main(void)
{
    static struct queue queue;
    uint8_t sent[STEPS], byte;
    int written = 0, read = 0;
    for (int step = 0; step < STEPS; step++) {
        if (__VERIFIER_nondet_int()) {
            byte = __VERIFIER_nondet_uchar();
            if (put(&queue, byte))
                sent[written++] = byte;
            else
                assert(written - read == SLOTS - 1);
        } else if (get(&queue, &byte)) {
            assert(read < written);
            assert(byte == sent[read]);
            read++;
        } else {
            assert(read == written);
        }
    }
    return 0;
}
