/* A failsafe position encoder in the manner of a controller: each cycle reads the position of a motor as
 * whole revolutions and steps within one, and must raise `dangerrange` whenever it lies between the beginning
 * and the end of a forbidden range. The condition below is formula (5.1) of Lange's thesis on IC3CFA, section
 * 5.2.3, which compares the steps with the beginning in every revolution instead of in the first alone.
 * Unsafe: cairn check examples/position_encoder.c */
#include <assert.h>

extern short __VERIFIER_nondet_short(void);

struct position {
    short multi;  /* whole revolutions */
    short single; /* steps within the revolution */
};

static int before_or_at(struct position a, struct position b)
{
    return a.multi < b.multi || (a.multi == b.multi && a.single <= b.single);
}

static int dangerrange(struct position pos, struct position begin, struct position end)
{
    return ((pos.multi == end.multi && pos.single <= end.single) || pos.multi < end.multi)
        && pos.multi >= begin.multi && pos.single >= begin.single;
}

static struct position read_position(void)
{
    struct position p;
    p.multi = __VERIFIER_nondet_short();
    p.single = __VERIFIER_nondet_short();
    return p;
}

int main(void)
{
    struct position begin = read_position(), end = read_position();
    if (!before_or_at(begin, end))
        return 0;
    for (;;) {
        struct position pos = read_position();
        int flag = dangerrange(pos, begin, end);
        if (before_or_at(begin, pos) && before_or_at(pos, end))
            assert(flag);
    }
}
