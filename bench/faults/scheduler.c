// A scheduler of tasks: each has a period, a next time and a function.
//
// fault 1, div0, input 0 1: a task without a period
// fault 2, pointer, input 1 3: a task without a function is called
// fault 3, overflow, input 2147483647 1: times have no end
// fault 4, pointer, input 5 4: there is a task more than there is room for
// fault 5, assert, input 3 1: a task that is due is forgotten
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

#define TASKS 3

struct task {
    int period, next;
    void (*run)(void);
};

static int runs;

static void blink(void)
{
    runs++;
}

static struct task tasks[TASKS] = {{1, 0, blink}, {2, 0, blink}, {5, 0, 0}};

int main(void)
{
    int period = __VERIFIER_nondet_int();
    if (period <= 0 || period > 1000) //@1 if (period < 0 || period > 1000) //@3 if (period <= 0)
        period = 1;
    tasks[0].period = period;
    int count = __VERIFIER_nondet_int();
    if (count < 1 || count > TASKS) //@4 if (count < 1 || count > TASKS + 1)
        count = TASKS;
    for (int time = 0; time < 3; time++)
        for (int i = 0; i < count; i++) {
            struct task *task = &tasks[i];
            if (task->next > time) //!4 //@5 if (task->next != time + 1)
                continue;
            task->next += task->period;
            if (task->run) //@2 if (task->period)
                task->run(); //!2
        }
    assert(runs > 0); //!5
    int deadline = tasks[0].next + tasks[0].period; //!3
    return deadline % tasks[0].period; //!1
}
