/* Counters in a block from malloc of unknown size: the last kind of event is counted behind the block. */
#include <assert.h>
#include <stdlib.h>

#define MOST 6
#define EVENTS 4

extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

struct statistics {
    unsigned char kinds;
    unsigned char others;
    unsigned char *counters;
};

static void count(struct statistics *statistics, unsigned char event)
{
    if (event <= statistics->kinds)
        statistics->counters[event]++;
    else
        statistics->others++;
}

int main(void)
{
    struct statistics statistics = {0, 0, 0};
    statistics.kinds = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(statistics.kinds >= 1 && statistics.kinds <= MOST);
    statistics.counters = malloc(statistics.kinds);
    if (statistics.counters == 0)
        return 0;
    for (int i = 0; i < statistics.kinds; i++)
        statistics.counters[i] = 0;
    for (int i = 0; i < EVENTS; i++)
        count(&statistics, __VERIFIER_nondet_uchar());
    int sum = statistics.others;
    for (int i = 0; i < statistics.kinds; i++)
        sum += statistics.counters[i];
    assert(sum == EVENTS);
    free(statistics.counters);
    return 0;
}
