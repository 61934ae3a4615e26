// Functions that give no value on one way, whose callers use it.
//
// fault 1, return, input 5: the last case is forgotten
// fault 2, return, input 1 0: a search that ends without a find
// fault 3, return, input 1 1 9: the default of a switch only counts
// fault 4, return, input 1 1 1 -1: an error is noted, and no value is given
extern int __VERIFIER_nondet_int(void);

static int errors;

static int grade(int points) //!1
{
    if (points < 3)
        return 1;
    if (points < 5)
        return 2;
    return 3; //@1 if (points > 5) return 3;
} //!1

static int find(const int *table, int key) //!2
{
    for (int i = 0; i < 3; i++)
        if (table[i] == key)
            return i;
    return -1; //@2 errors++;
} //!2

static int cost(int kind) //!3
{
    switch (kind) {
    case 1:
        return 10;
    case 2:
        return 20;
    default:
        errors++;
        return 0; //@3 break;
    }
} //!3

static unsigned root(int value) //!4
{
    if (value < 0) {
        errors++;
        return 0; //@4 value = 0;
    } else {
        return (unsigned)value / 2;
    }
} //!4

static int note(int code)
{
    if (code > 100)
        return 1;
    errors++;
}

int main(void)
{
    static const int table[3] = {1, 5, 7};
    int result = grade(__VERIFIER_nondet_int()); //!1
    if (find(table, __VERIFIER_nondet_int()) == 2) //!2
        result++;
    result += cost(__VERIFIER_nondet_int()) == 10; //!3
    if (root(__VERIFIER_nondet_int()) > 100) //!4
        result++;
    note(result); /* a missing value that nobody takes is no error in C */
    return result + (errors > 0);
}
