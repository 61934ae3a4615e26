// Tables of functions and of pointers, chosen by what comes from outside.
//
// fault 1, bounds, input 3: the last command has no function
// fault 2, pointer, input 1 5: a handler was never registered
// fault 3, pointer, input 0 0 2: a name that there is not is read
// fault 4, reach, input 0 0 0 7: a combination that was thought impossible
// fault 5, bounds, input 0 0 0 0 -1: a negative index into a table behind a cast
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int total;

static void up(void) { total++; }
static void down(void) { total--; }
static void nothing(void) {}

static void (*const commands[3])(void) = {up, down, nothing};
static void (*handler)(void);
static const char *const names[3] = {"idle", "busy", 0};
static const int weights[4] = {1, 2, 4, 8};

int main(void)
{
    unsigned command = (unsigned)__VERIFIER_nondet_int();
    if (command < 3) //@1 if (command <= 3)
        commands[command](); //!1
    if (__VERIFIER_nondet_int() == 4)
        handler = up;
    if (handler) //@2 if (total < 5)
        handler(); //!2
    unsigned state = (unsigned)__VERIFIER_nondet_int();
    if (state < 2) //@3 if (state < 3)
        total += names[state][0] == 'i'; //!3
    int flags = __VERIFIER_nondet_int();
    if ((flags & 1) && (flags & 2)) //@4 if ((flags & 1) && (flags & 2) && !(flags & 4))
        flags = 4;
    if ((flags & 3) == 3)
        reach_error(); //!4
    short offset = (short)__VERIFIER_nondet_int();
    if (offset >= 0 && offset < 4) //@5 if (offset < 4)
        total += weights[offset]; //!5
    return total;
}
