// What looks wrong and is not: the correct program uses what C allows at its edges.
//
// fault 1, pointer, input 1: the place behind the last element is read
// fault 2, uninit, input 2: what was copied without a value is looked at
// fault 3, shift, input 3: the highest bit is one too far
// fault 4, overflow, input 4: the largest number is counted up
// fault 5, overlap, input 5: two neighbours share a byte
// fault 6, free, input 6: a second pointer to the same object is not cleared
// fault 7, pointer, input 7: null is read where it was only compared
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);

struct pair {
    char tag;
    int first, second;
};

int main(void)
{
    int mode = __VERIFIER_nondet_int(), values[4] = {1, 2, 3, 4}, sum = 0;
    int *end = &values[4];
    for (int *at = values; at != end; at++) //@1 for (int *at = values; at <= end; at++)
        sum += *at; //!1
    struct pair partial, whole;
    partial.first = sum; /* copies of what has no value are allowed, for structures and bytes */
    whole = partial;
    char bytes[8];
    bytes[0] = 1;
    char copied[8];
    memcpy(copied, bytes, 8);
    if (whole.first == 3 && copied[0]) //@2 if (whole.first == 10 && whole.second == 4)
        sum++;
    unsigned high = 1u << 31, wrapped = high + high + 0xffffffffu; //@3 unsigned high = 1u << (mode == 3 ? 32 : 31), wrapped = high;
    int least = -2147483647 - 1, most = 2147483647;
    sum += least / 1 + most; //@4 sum = mode == 4 ? most + 1 : most;
    unsigned long size = mode == 5 ? 8 : 4;
    memcpy(values, values + 2, size); //@5 memcpy(values, (char *)values + 7, size);
    int *object = malloc(sizeof *object), *second = object;
    free(object);
    object = 0; //@6 object = second;
    if (mode == 6)
        free(object); //!6
    second = 0;
    memmove(values, values + 1, 3 * sizeof *values);
    if (mode == 7 && second == 0)
        sum += second == end; //@7 sum += *second;
    return wrapped > 0 && sum >> 1 < 0 && (unsigned char)300 == 44;
}
