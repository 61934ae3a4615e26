/* A doubly linked list of a scheduler's static items, sorted by time: equal times keep the order of arrival. */
#include <assert.h>
#include <stdint.h>

#define TASKS 3

extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

struct item {
    uint8_t time;
    uint8_t arrival;
    struct item *next;
    struct item *previous;
};

/* Closes the circle; its time does not matter. */
static struct item end;
static struct item items[TASKS];
static unsigned length;

static void insert(struct item *item)
{
    struct item *place = end.next;
    while (place != &end && place->time <= item->time)
        place = place->next;
    item->next = place;
    item->previous = place->previous;
    place->previous->next = item;
    place->previous = item;
    length++;
}

static void take_out(struct item *item)
{
    item->previous->next = item->next;
    item->next->previous = item->previous;
    item->next = item->previous = 0;
    length--;
}

static void check(void)
{
    unsigned seen = 0;
    for (struct item *item = end.next; item != &end; item = item->next) {
        assert(item->next->previous == item);
        if (item->next != &end) {
            assert(item->time <= item->next->time);
            if (item->time == item->next->time)
                assert(item->arrival < item->next->arrival);
        }
        seen++;
    }
    assert(seen == length);
}

int main(void)
{
    unsigned char woken = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(woken < TASKS);
    end.next = end.previous = &end;
    for (unsigned i = 0; i < TASKS; i++) {
        items[i].time = __VERIFIER_nondet_uchar();
        items[i].arrival = i;
        insert(&items[i]);
    }
    take_out(&items[woken]);
    items[woken].time = __VERIFIER_nondet_uchar();
    items[woken].arrival = TASKS;
    insert(&items[woken]);
    check();
    return 0;
}
