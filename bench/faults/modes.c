// Modes of a radio: combinations that must not come, and code that is not to be reached.
//
// fault 1, promise, input 3: a mode that was added is not handled
// fault 2, promise, input 0 5: the compiler is told of a range that does not hold
// fault 3, return, input 0 0 2: a mode has no channel
// fault 4, reach, input 0 0 0 1 1: both are on
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

enum mode { OFF, LISTEN, SEND, SLEEP };

static int power(int mode)
{
    switch (mode) {
    case OFF:
    case SLEEP: //@1 case 17:
        return 0;
    case LISTEN:
        return 10;
    case SEND:
        return 100;
    }
    __builtin_unreachable(); //!1
}

static int channel(int mode) //!3
{
    if (mode == LISTEN)
        return 11;
    if (mode == SEND)
        return 12; //@3 mode = 0;
    else
        return 0;
} //!3

int main(void)
{
    int mode = __VERIFIER_nondet_int() & 3;
    int result = power(mode);
    int level = __VERIFIER_nondet_int();
    if (level < 0 || level > 4) //@2 if (level < 0 || level > 5)
        level = 4;
    if (level > 4)
        __builtin_unreachable(); //!2
    if (channel(__VERIFIER_nondet_int()) == 12) //!3
        result++;
    int sending = __VERIFIER_nondet_int() == 1, sleeping = __VERIFIER_nondet_int() == 1;
    if (sending) //@4 if (sending && level < 0)
        sleeping = 0;
    if (sending && sleeping)
        reach_error(); //!4
    return result + level;
}
