// A moving average over the last samples.
//
// fault 1, bounds, input 5 5 5 5 5: the place of the next sample wraps one too late
// fault 2, overflow, input 2147483647 1: the sum has the type of a sample
// fault 3, div0, input 8: the count is taken modulo its size
// fault 4, uninit, input 1: the window is not cleared
extern int __VERIFIER_nondet_int(void);

#define SIZE 4

int main(void)
{
    int window[SIZE];
    for (int i = 0; i < SIZE; i++) //@4 for (int i = 1; i < SIZE; i++)
        window[i] = 0;
    int at = 0, count = 0;
    long sum = 0; //@2 int sum = 0;
    for (int step = 0; step < 6; step++) {
        int sample = __VERIFIER_nondet_int();
        if (window[at] != 0) //!1 //!4
            sum -= window[at]; //!2
        sum += sample; //!2
        window[at] = sample;
        if (++at == SIZE) //@1 if (++at > SIZE)
            at = 0;
        if (count < SIZE) //@3 if (count <= SIZE)
            count++;
        int share = count % (SIZE + 1); //@3 int share = count % SIZE;
        sample = (int)(sum / share); //!3
    }
    return 0;
}
