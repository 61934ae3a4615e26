// A checksum of a message, by nibbles and a table.
//
// fault 1, bounds, input 0 255: the index has all bits of the byte
// fault 2, overflow, input 4 128 0 0 0: the highest byte is shifted as an int
// fault 3, shift, input 4 1 2 3 4: the first byte is shifted by 32
// fault 4, assert, input 0 0 0 0 0: the checksum is compared with that of an empty message
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);

static const unsigned short table[16] = {
    0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50a5, 0x60c6, 0x70e7,
    0x8108, 0x9129, 0xa14a, 0xb16b, 0xc18c, 0xd1ad, 0xe1ce, 0xf1ef,
};

static unsigned short step(unsigned short crc, unsigned nibble)
{
    unsigned index = (crc >> 12 ^ nibble) & 15; //@1 unsigned index = crc >> 12 ^ nibble;
    return (unsigned short)(crc << 4) ^ table[index]; //!1
}

static unsigned short checksum(const unsigned char *bytes, int length)
{
    unsigned short crc = 0xffff;
    for (int i = 0; i < length; i++) {
        crc = step(crc, bytes[i] >> 4);
        crc = step(crc, bytes[i]);
    }
    return crc;
}

int main(void)
{
    unsigned char message[4];
    int swap = __VERIFIER_nondet_uchar() % 8;
    for (int i = 0; i < 4; i++)
        message[i] = __VERIFIER_nondet_uchar();
    unsigned word = 0;
    for (int i = 0; i < 4; i++) {
        int place = swap < 4 ? i : 3 - i;
        word |= (unsigned)message[i] << 8 * place; //@2 word |= message[i] << 8 * place; //@3 word |= (unsigned)message[i] << 8 * (place + 1);
    }
    unsigned short crc = checksum(message, 4);
    if (word == 0)
        assert(crc == checksum(message, 4)); //@4 assert(crc == checksum(message, 0));
    return crc;
}
