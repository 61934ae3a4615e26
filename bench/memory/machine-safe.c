/* A state machine by a table of function pointers: the motor never runs with the door open, nor after a fault. */
#include <assert.h>

#define STEPS 8

extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

enum state { IDLE, READY, RUNNING, FAULT, STATES };
enum event { OPEN, CLOSE, START, STOP, ALARM, EVENTS };

static int door_open = 1, motor, faults;

static enum state close_door(void) { door_open = 0; return READY; }
static enum state open_door(void) { door_open = 1; return IDLE; }
static enum state start(void) { motor = 1; return RUNNING; }
static enum state stop(void) { motor = 0; return READY; }
static enum state halt(void) { motor = 0; door_open = 1; return IDLE; }
static enum state fail(void) { motor = 0; faults++; return FAULT; }
static enum state repair(void) { faults = 0; return door_open ? IDLE : READY; }
static enum state open_in_fault(void) { door_open = 1; return FAULT; }
static enum state close_in_fault(void) { door_open = 0; return FAULT; }

/* No entry: the event changes nothing. */
static enum state (*const table[STATES][EVENTS])(void) = {
    [IDLE] = {[CLOSE] = close_door, [ALARM] = fail},
    [READY] = {[OPEN] = open_door, [START] = start, [ALARM] = fail},
    [RUNNING] = {[OPEN] = halt, [STOP] = stop, [ALARM] = fail},
    [FAULT] = {[OPEN] = open_in_fault, [CLOSE] = close_in_fault, [STOP] = repair},
};

int main(void)
{
    enum state state = IDLE;
    for (int step = 0; step < STEPS; step++) {
        unsigned char event = __VERIFIER_nondet_uchar();
        __VERIFIER_assume(event < EVENTS);
        if (table[state][event])
            state = table[state][event]();
        assert(!(motor && door_open));
        assert(!(motor && faults));
        assert(motor == (state == RUNNING));
        assert((faults != 0) == (state == FAULT));
        assert(state == FAULT || door_open == (state == IDLE));
    }
    return 0;
}
