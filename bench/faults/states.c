// A machine of a door: states and events, with a table of what follows and what is to be done.
//
// fault 1, bounds, input 9: an event from outside is taken as an index as it is
// fault 2, pointer, input 2: an action that is missing is called
// fault 3, reach, input 0 3 1: a state is forgotten
// fault 4, bounds, input 0 1 1: the table leads to a state that there is not
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

enum state { CLOSED, OPENING, OPEN, STATES };

static int motor, moves;

static void start(void)
{
    motor = 1;
}

static void stop(void)
{
    motor = 0;
}

static const int follows[STATES][4] = {
    {OPENING, CLOSED, CLOSED, CLOSED},
    {OPENING, OPEN, OPENING, CLOSED}, //@4 {OPENING, STATES, OPENING, CLOSED},
    {OPEN, OPEN, CLOSED, OPEN},
};
static void (*const actions[4])(void) = {start, stop, 0, stop};

int main(void)
{
    enum state state = CLOSED;
    for (int step = 0; step < 5; step++) {
        unsigned event = __VERIFIER_nondet_uint();
        if (event >= 4) //@1 if (event >= 40)
            continue;
        state = follows[state][event]; //!1 //!4
        if (actions[event]) //@2 if (actions[0])
            actions[event](); //!2
        switch (state) {
        case CLOSED:
            moves = 0;
            break;
        case OPENING: //@3 case STATES:
            moves++;
            break;
        case OPEN:
            break;
        default:
            if (state != STATES) //@3 if (state == OPENING)
                reach_error(); //!3
        }
    }
    return motor + moves;
}
