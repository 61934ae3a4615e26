// Commands of a menu: a choice that is not there is not made.
//
// fault 1, promise, input 4: a command that cannot come comes
// fault 2, return, input 3: a command has no answer
// fault 3, uninit, input 3: a variable gets no value for one command
// fault 4, pointer, input 3: a command has no function
extern int __VERIFIER_nondet_int(void);

static int twice(int x) { return x < 1000 && x > -1000 ? 2 * x : x; }
static int negative(int x) { return x > 0 ? -x : x; }

static int (*function(int command))(int)
{
    switch (command) {
    case 1:
        return twice;
    case 2:
        return negative;
    case 3:
        return twice; //@4 return 0;
    default:
        return 0;
    }
}

static int priority(int command) //!2
{
    if (command == 1)
        return 5;
    if (command >= 2) //@2 if (command == 2)
        return 7;
    if (command < 1)
        return 0;
} //!2

int main(void)
{
    int command = __VERIFIER_nondet_int();
    if (command < 1 || command > 3) //@1 if (command < 1 || command > 4)
        return 0;
    int weight;
    switch (command) {
    case 1:
        weight = 1;
        break;
    case 2: //@3 case 2: weight = 2; break;
    case 3:
        weight = 2; //@3 break;
        break;
    default:
        __builtin_unreachable(); //!1
    }
    if (weight == 2) //!3
        weight = priority(command); //!2
    return function(command)(weight); //!4
}
