// Sorts a few measurements and takes their median.
//
// fault 1, bounds, input 3 2 1: the element before the first is compared
// fault 2, bounds, input 1 2 3: the last element is compared with the one behind it
// fault 3, overflow, input 2147483647 -2 1: the difference decides which is larger
// fault 4, assert, input 3 2 1: one pass is not enough
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

#define N 3

static int values[N];

static int larger(int a, int b)
{
    return a > b; //@3 return a - b > 0;
}

static void insertion(void)
{
    for (int i = 1; i < N; i++) {
        int value = values[i], at = i;
        while (at > 0 && larger(values[at - 1], value)) { //@1 while (at >= 0 && larger(values[at - 1], value)) { //!1
            values[at] = values[at - 1];
            at--; //@4 break;
        }
        values[at] = value; //@4 values[at - (at > 0)] = value;
    }
}

int main(void)
{
    for (int i = 0; i < N; i++)
        values[i] = __VERIFIER_nondet_int();
    insertion();
    for (int i = 0; i + 1 < N; i++) //@2 for (int i = 0; i < N; i++)
        assert(values[i] <= values[i + 1]); //!2 //!4
    return values[N / 2] > 0;
}
