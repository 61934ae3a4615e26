// Decodes frames: a length, so many bytes, their sum.
//
// fault 1, bounds, input 6 1 2 3 4 5 6 7 8: the length of a frame is believed
// fault 2, uninit, input 2 1 2 0 0: the sum of a byte more than was received
// fault 3, div0, input 0: the mean of a frame without bytes
// fault 4, bounds, input 0: the last byte of a frame that has none
extern unsigned char __VERIFIER_nondet_uchar(void);

#define ROOM 4

int main(void)
{
    unsigned char payload[ROOM];
    int length = __VERIFIER_nondet_uchar();
    if (length > ROOM) //@1 if (length > 2 * ROOM)
        return 1;
    for (int i = 0; i < length; i++)
        payload[i] = __VERIFIER_nondet_uchar(); //!1
    int loud = 0, sum = 0;
    for (int i = 0; i < length; i++) { //@2 for (int i = 0; i <= length && i < ROOM; i++) {
        if (payload[i] > 200) //!2
            loud++;
        sum += payload[i] > 9 ? 9 : payload[i];
    }
    if (length == 0) //@3 if (length < 0) //@4 if (length < 0)
        return 2;
    if (payload[length - 1] == 0) //!4 //@3 if (loud == 9)
        return 3;
    return sum / length + loud; //!3 //@4 return sum + loud;
}
