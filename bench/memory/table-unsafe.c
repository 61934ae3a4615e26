/* Timers as a structure of arrays: one is removed by moving the last into its place, but not in all arrays. */
#include <assert.h>
#include <stdint.h>

#define TIMERS 6

extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

struct timers {
    uint16_t deadline[TIMERS];
    uint16_t period[TIMERS];
    uint8_t owner[TIMERS];
    uint8_t count;
};

static struct timers timers;

static void start(uint8_t owner, uint16_t now, uint16_t period)
{
    uint8_t i = timers.count++;
    timers.deadline[i] = now + period;
    timers.period[i] = period;
    timers.owner[i] = owner;
}

static void stop(uint8_t i)
{
    uint8_t last = --timers.count;
    timers.deadline[i] = timers.deadline[last];
    timers.owner[i] = timers.owner[last];
}

static void expire(uint8_t i)
{
    timers.deadline[i] += timers.period[i];
}

int main(void)
{
    uint16_t asked[TIMERS];
    uint8_t count = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(count >= 3 && count <= TIMERS);
    for (uint8_t i = 0; i < count; i++) {
        asked[i] = 1 + __VERIFIER_nondet_uchar();
        start(i, 0, asked[i]);
    }
    for (int step = 0; step < 2; step++) {
        uint8_t stopped = __VERIFIER_nondet_uchar(), expired = __VERIFIER_nondet_uchar();
        __VERIFIER_assume(stopped < timers.count);
        stop(stopped);
        __VERIFIER_assume(expired < timers.count);
        expire(expired);
    }
    uint8_t i = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(i < timers.count);
    assert(timers.owner[i] < count);
    assert(timers.period[i] == asked[timers.owner[i]]);
    assert(timers.deadline[i] % timers.period[i] == 0);
    return 0;
}
