// Reads decimal numbers from a line of text.
//
// fault 1, overflow, input 57 57 57 57 57 57 57 57 57 57 57: digits are taken without end
// fault 2, bounds, input 49 49 49 49 49 49 49 49 49 49 49 49: the end of the line is not looked for
// fault 3, overflow, input 57 57 57 57 57 57 57 57 57 57 57: the least number is negated
// fault 4, assert, input 47: a slash is taken for a digit
#include <assert.h>
#include <limits.h>
extern char __VERIFIER_nondet_char(void);

#define SIZE 12

static char line[SIZE];

static int digit(char c)
{
    return c >= '0' && c <= '9'; //@4 return c >= '0' - 1 && c <= '9';
}

static int number(void)
{
    int at = 0, negative = 0, value = 0;
    if (line[0] == '-') {
        negative = 1;
        at++;
    }
    while (at < SIZE && digit(line[at])) { //@2 while (digit(line[at])) { //!2
        int next = line[at] - '0';
        assert(next >= 0); //!4
        if (value > (INT_MAX - next) / 10) //@1 if (value < 0) //@2 if (value > INT_MAX / 20)
            return INT_MIN; //@2 value = 0;
        value = value * 10 + next; //!1
        at++;
    }
    return negative ? -value : value;
}

int main(void)
{
    for (int i = 0; i < SIZE; i++)
        line[i] = __VERIFIER_nondet_char();
    int result = number();
    if (result == INT_MIN) //@3 if (result == INT_MAX)
        return 1;
    return result < 0 ? -result : result; //!3
}
