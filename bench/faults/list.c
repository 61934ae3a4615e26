// A list of timers, the next one first.
//
// fault 1, pointer, input 3, malloc 1: the first allocation may fail
// fault 2, pointer, input 3 5 5 5 9: no timer is found, and its time is taken
// fault 3, pointer, input 2 5 5: the next timer is read from one that was freed
// fault 4, pointer, input 2 5 5 5: the timer that was found is freed and stays in the list
// fault 5, pointer, input 2 1 7 7: the way to the place of a new timer does not end at the last one
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct timer {
    int time;
    struct timer *next;
};

static struct timer *timers;

static void insert(int time)
{
    struct timer *timer = malloc(sizeof *timer);
    if (timer == 0) //@1 if (time < 0)
        return;
    timer->time = time; //!1
    struct timer **place = &timers;
    while (*place && (*place)->time < time) //@5 while ((*place)->time < time) //!5
        place = &(*place)->next;
    timer->next = *place;
    *place = timer;
}

static struct timer *find(int time)
{
    for (struct timer *timer = timers; timer; timer = timer->next)
        if (timer->time == time)
            return timer;
    return 0;
}

int main(void)
{
    int count = __VERIFIER_nondet_int() % 4;
    for (int i = 0; i < count; i++)
        insert(__VERIFIER_nondet_int());
    struct timer *found = find(__VERIFIER_nondet_int());
    int time = found ? found->time : 0; //@2 int time = found->time;
    if (found == timers && found) {
        timers = found->next; //@4 timers = found;
        free(found);
    }
    while (timers) {
        struct timer *next = timers->next; //@3 struct timer *next = timers; //!4
        free(timers);
        timers = next; //@3 timers = next->next; //!3
    }
    return time;
}
