// A queue of samples between an interrupt and the main loop.
//
// fault 1, bounds, input 8 1 1 1 1 1 1 1 1: the place to write wraps one too late
// fault 2, bounds, input 0: nothing is said of reading from an empty queue, and indices run backwards
// fault 3, div0, input 0: the mean of no samples
// fault 4, overflow, input 3 2147483647 1 1: samples are not cut to their range
// fault 5, assert, input 5 1 1 1 1 1: the oldest sample is not dropped from the count
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
#include <assert.h>

#define SIZE 4

static int queue[SIZE];
static int first, count;

static void put(int sample)
{
    if (count == SIZE) {
        first = (first + 1) % SIZE;
        count--; //@5 ;
    }
    assert(count < SIZE); //!5
    int place = first + count;
    if (place >= SIZE) //@1 if (place > SIZE)
        place -= SIZE;
    queue[place] = sample; //!1
    count++;
}

static int get(void)
{
    if (count == 0) //@2 if (count < 0)
        return 0;
    count--;
    return queue[first + count >= SIZE ? first + count - SIZE : first + count]; //!2
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0 && n <= 8);
    for (int i = 0; i < n; i++) {
        int sample = __VERIFIER_nondet_int();
        if (sample > 1000 || sample < -1000) //@4 if (sample < -1000)
            sample = 0;
        put(sample);
    }
    int taken = get();
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += queue[i]; //!4
    if (count == 0) //@3 if (count < 0)
        return taken;
    return sum / count; //!3
}
