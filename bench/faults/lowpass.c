// A low-pass filter in fixed point, with eight fractional bits and a gain from the configuration.
//
// fault 1, overflow, input 256 30000000 3: samples are not limited before they are scaled
// fault 2, div0, input 0 5 5: a gain of zero is taken as it is
// fault 3, shift, input 256 -5 5: a negative difference is shifted left
// fault 4, overflow, input 60000 -40000: the product is computed in 32 bits
extern int __VERIFIER_nondet_int(void);

#define LIMIT 40000

static int limited(int value)
{
    if (value > LIMIT) //@1 if (value > LIMIT * 1000)
        return LIMIT;
    if (value < -LIMIT)
        return -LIMIT;
    return value;
}

int main(void)
{
    int gain = __VERIFIER_nondet_int();
    if (gain <= 0 || gain > 60000) //@2 if (gain < 0 || gain > 60000)
        gain = 256;
    int state = 0;
    for (int i = 0; i < 4; i++) {
        int sample = limited(__VERIFIER_nondet_int());
        int scaled = sample * 256; //!1 //@3 int scaled = sample << 8;
        int difference = scaled / 256 - state;
        long long product = (long long)difference * gain; //@4 long long product = difference * gain;
        state += (int)(product / 65536);
        if (state > LIMIT)
            state = LIMIT;
        if (state < -LIMIT)
            state = -LIMIT;
    }
    return 100000000 / gain; //!2
}
