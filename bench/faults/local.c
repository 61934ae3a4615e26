// Pointers to objects whose time is over.
//
// fault 1, pointer, input 1: the address of a local variable is returned
// fault 2, pointer, input 2: a pointer to a variable of an inner block is used behind it
// fault 3, pointer, input 3: a callback keeps the address of what its caller had
// fault 4, pointer, input 4: a variable of a loop's last round is used behind it
extern int __VERIFIER_nondet_int(void);

static int kept, *shared = &kept;

static int *newest(int sample)
{
    static int place;
    int here = sample;
    place = here;
    return &place; //@1 return &here;
}

static void notify(int *argument)
{
    shared = argument; //@3 shared = argument;
}

static void caller(int value)
{
    int own = value;
    kept = value;
    notify(own > 5 ? &kept : shared); //@3 notify(own > 5 ? shared : &own);
}

int main(void)
{
    int which = __VERIFIER_nondet_int(), result = 0;
    if (which == 1) {
        int *sample = newest(which);
        result = *sample; //!1
    }
    int outer = 0, *cursor = &outer;
    if (which == 2) {
        int inner = 7;
        outer = inner;
        cursor = &outer; //@2 cursor = &inner;
    }
    result += *cursor; //!2
    if (which == 3)
        caller(which);
    result += *shared; //!3
    int *last = &outer;
    for (int i = 0; i < 2; i++) {
        int round = 0;
        outer = i + round;
        last = &outer; //@4 last = &round;
    }
    result += *last; //!4
    return result;
}
