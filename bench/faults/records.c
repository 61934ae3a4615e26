// A table of sensors, found by their number.
//
// fault 1, pointer, input 7 1: a sensor that there is not is read
// fault 2, bounds, input 2 9: the samples of a sensor have no end
// fault 3, div0, input 3 1: a sensor that is not calibrated
// fault 4, bounds, input 3 1: the last sample of a sensor that has none
// fault 5, overflow, input 2 0: a limit of a sensor is doubled
#include <stddef.h>
extern unsigned __VERIFIER_nondet_uint(void);

struct sensor {
    unsigned number;
    int samples[4];
    int used, scale, limit;
};

static struct sensor sensors[] = {
    {1, {10, 20, 30, 40}, 4, 2, 100},
    {2, {7, 8, 9, 0}, 3, 1, 0x7fffffff},
    {3, {0, 0, 0, 0}, 0, 0, 5},
};

static struct sensor *find(unsigned number)
{
    for (size_t i = 0; i < sizeof sensors / sizeof *sensors; i++)
        if (sensors[i].number == number)
            return &sensors[i];
    return NULL;
}

int main(void)
{
    struct sensor *sensor = find(__VERIFIER_nondet_uint());
    if (sensor == NULL) //@1 if (sensors == NULL)
        return 1;
    unsigned which = __VERIFIER_nondet_uint();
    int sample = 0;
    if (which < (unsigned)sensor->used) //!1 //@2 if (which < 0x100)
        sample = sensor->samples[which]; //!2
    if (sensor->used > 0) //@4 if (sensor->used >= 0)
        sample += sensor->samples[sensor->used - 1]; //!4
    int scale = sensor->scale != 0 ? sensor->scale : 1; //@3 int scale = sensor->scale;
    int limit = sensor->limit > 1000 ? 1000 : sensor->limit; //@5 int limit = sensor->limit;
    limit *= 2; //!5
    return sample / scale < limit; //!3
}
