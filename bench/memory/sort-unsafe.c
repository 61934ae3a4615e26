/* Insertion sort of an array of structures: nothing is ever moved before the first element. */
#include <assert.h>
#include <stdint.h>

#define COUNT 5

extern unsigned char __VERIFIER_nondet_uchar(void);

struct event {
    uint8_t priority;
    uint8_t number;
};

static void sort(struct event *events, int count)
{
    for (int i = 1; i < count; i++) {
        struct event moved = events[i];
        int j = i;
        while (j > 1 && events[j - 1].priority > moved.priority) {
            events[j] = events[j - 1];
            j--;
        }
        events[j] = moved;
    }
}

int main(void)
{
    struct event events[COUNT];
    uint8_t priorities[COUNT];
    unsigned seen = 0;
    for (int i = 0; i < COUNT; i++) {
        priorities[i] = __VERIFIER_nondet_uchar();
        events[i].priority = priorities[i];
        events[i].number = i;
    }
    sort(events, COUNT);
    for (int i = 0; i < COUNT; i++) {
        assert(events[i].priority == priorities[events[i].number]);
        seen |= 1u << events[i].number;
        if (i > 0) {
            assert(events[i - 1].priority <= events[i].priority);
            if (events[i - 1].priority == events[i].priority)
                assert(events[i - 1].number < events[i].number);
        }
    }
    assert(seen == (1u << COUNT) - 1);
    return 0;
}
