// Interpolates in a table of a thermistor.
//
// fault 1, bounds, input 7000: the last point has no successor
// fault 2, div0, input 2500: two points have the same value
// fault 3, overflow, input 300: the product of a large slope
// fault 4, bounds, input -5: a value below the first point
// fault 5, assert, input 6999: the result is not between its neighbours
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

#define POINTS 5

static const int from[POINTS] = {0, 1000, 2500, 4000, 7000}; //@2 static const int from[POINTS] = {0, 1000, 2500, 2500, 7000};
static const int to[POINTS] = {-400, 200, 900, 1200, 1500}; //@3 static const int to[POINTS] = {-400, 20000000, 20000001, 20000002, 20000003};

static int segment(int value)
{
    int at = 0;
    while (at < POINTS - 2 && value >= from[at + 1]) //@1 while (at < POINTS - 1 && value >= from[at + 1]) //@2 while (at < POINTS - 2 && value > from[at + 1])
        at++;
    return value < from[0] ? 0 : at; //@4 return value < from[0] ? -1 : at;
}

int main(void)
{
    int value = __VERIFIER_nondet_int();
    if (value < 0 || value > 7000) //@4 if (value < -100 || value > 7000)
        return 1;
    int at = segment(value);
    int width = from[at + 1] - from[at]; //!1 //!4 //@2 int width = value > 2400 ? from[3] - from[2] : from[at + 1] - from[at];
    int rise = (value - from[at]) * (to[at + 1] - to[at]); //!3
    int result = to[at] + rise / width; //!2 //@5 int result = to[at] + rise / (width / 2);
    assert(result >= to[at] && result <= to[at + 1]); //!5 //@2 assert(result >= -4000);
    return 0;
}
