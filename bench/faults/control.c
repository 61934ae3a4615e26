// A controller with a proportional and an integral part, and limits to both.
//
// fault 1, overflow, input 2000000000 -2000000000: the difference of any two numbers
// fault 2, overflow, input 10000 -10000 10000 -10000: the integral is not limited, and is multiplied
// fault 3, overflow, input -2147483648 0: the size of the error is its negation
// fault 4, div0, input 7 7: the share of an error that is none
// fault 5, assert, input -10000 10000 -10000 10000 -10000 10000: the output is limited on one side only
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

#define MOST 10000

static int within(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

int main(void)
{
    int integral = 0, output = 0;
    for (int step = 0; step < 3; step++) {
        int wanted = __VERIFIER_nondet_int(), is = __VERIFIER_nondet_int();
        wanted = within(wanted, -MOST, MOST); //@1 wanted = within(wanted, -MOST, 2000000000); //@3 wanted = wanted < 0 ? wanted : 0;
        is = within(is, -MOST, MOST); //@1 is = within(is, -2000000000, MOST); //@3 is = 0;
        int error = wanted - is; //!1
        int size = error < 0 ? -error : error; //!3
        if (error != 0) //@4 if (error <= MOST)
            size = MOST / error; //!4
        error = within(error, -MOST, MOST);
        integral = within(integral + error, -MOST, MOST); //@2 integral = integral * 300 + error;
        output = 5 * error + 20 * integral + size; //!2
        output = within(output, -MOST, MOST); //@5 output = output < MOST ? output : MOST;
    }
    assert(output >= -MOST); //!5
    return 0;
}
