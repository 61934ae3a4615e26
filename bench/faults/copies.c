// Copies of memory whose size comes from a header.
//
// fault 1, pointer, input 16 0: more is copied than there is room for
// fault 2, pointer, input 12 0: more is copied than the packet has
// fault 3, overlap, input 6 2: the rest of the packet moves down, and the places overlap
// fault 4, pointer, input 4 9: the offset is not looked at
// fault 5, pointer, input 8 0: one byte too many is cleared
#include <string.h>
extern unsigned char __VERIFIER_nondet_uchar(void);

static unsigned char packet[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

int main(void)
{
    unsigned char room[12]; //@1 unsigned char room[8]; //@2 unsigned char room[16];
    unsigned size = __VERIFIER_nondet_uchar(), offset = __VERIFIER_nondet_uchar();
    if (size > 10) //@2 if (size > 16)
        size = 10;
    memcpy(room, packet, size); //!1 //!2
    if (offset > 9 || offset + size > 10) //@4 if (offset > 9)
        offset = 0;
    if (offset > 0 && size > 0)
        memmove(packet, packet + offset, size); //!4 //@3 memcpy(packet, packet + offset, size);
    if (size == 8)
        memset(room, 0, sizeof room); //@5 memset(room, 0, sizeof room + 1); //@1 memset(room, 0, 8);
    return packet[0];
}
