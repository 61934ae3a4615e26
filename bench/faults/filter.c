// A filter with coefficients, over a buffer of samples that is passed as a pointer.
//
// fault 1, pointer, input 1: the callee reads one sample before the first
// fault 2, pointer, input 8: the number of samples is that of another buffer
// fault 3, overflow, input 1000 1000 1000: the coefficients have too many fractional bits
// fault 4, pointer, input 0: the cursor leaves the buffer
// fault 5, bounds, input 3: there are less coefficients than taps
extern int __VERIFIER_nondet_int(void);

#define SAMPLES 6
#define TAPS 3

static const int coefficients[TAPS] = {1, 2, 1}; //@3 static const int coefficients[TAPS] = {1 << 20, 2 << 20, 1 << 20};

static int apply(const int *samples, int at)
{
    int sum = 0;
    for (int tap = 0; tap < TAPS; tap++) //@5 for (int tap = 0; tap <= TAPS && tap <= at; tap++)
        sum += coefficients[tap] * samples[at - tap]; //!1 //!3 //!5
    return sum;
}

static int peak(const int *samples, int count)
{
    const int *end = samples + count;
    int most = samples[0];
    while (++samples < end) //@4 while (samples++ < end)
        if (*samples > most) //!2 //!4
            most = *samples;
    return most;
}

int main(void)
{
    int samples[SAMPLES], filtered[SAMPLES - 2];
    for (int i = 0; i < SAMPLES; i++) {
        int sample = __VERIFIER_nondet_int();
        samples[i] = sample > 1000 || sample < -1000 ? 0 : sample;
    }
    for (int i = 0; i < SAMPLES - 2; i++)
        filtered[i] = apply(samples, i + 2); //@1 filtered[i] = apply(samples, i + 1);
    return peak(filtered, SAMPLES - 2); //@2 return peak(filtered, SAMPLES);
}
