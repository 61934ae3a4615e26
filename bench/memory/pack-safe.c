/* A record is packed into bytes by shifts and memcpy and unpacked again: all fields survive, a damaged byte is noticed. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#define NAME 3
#define BYTES (1 + 2 + 4 + NAME + 1)

extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

struct sample {
    uint8_t sensor;
    int16_t celsius;
    uint32_t time;
    char name[NAME];
};

static uint8_t checksum(const uint8_t *bytes, int count)
{
    uint8_t sum = 0x5a;
    for (int i = 0; i < count; i++)
        sum += bytes[i];
    return sum;
}

static void pack(const struct sample *sample, uint8_t *bytes)
{
    bytes[0] = sample->sensor;
    bytes[1] = (uint16_t)sample->celsius >> 8;
    bytes[2] = sample->celsius & 0xff;
    for (int i = 0; i < 4; i++)
        bytes[3 + i] = sample->time >> (24 - 8 * i);
    memcpy(bytes + 7, sample->name, NAME);
    bytes[BYTES - 1] = checksum(bytes, BYTES - 1);
}

static int unpack(struct sample *sample, const uint8_t *bytes)
{
    if (bytes[BYTES - 1] != checksum(bytes, BYTES - 1))
        return 0;
    sample->sensor = bytes[0];
    sample->celsius = (int16_t)((bytes[1] << 8) | bytes[2]);
    sample->time = 0;
    for (int i = 0; i < 4; i++)
        sample->time = (sample->time << 8) | bytes[3 + i];
    memcpy(sample->name, bytes + 7, NAME);
    return 1;
}

int main(void)
{
    struct sample sent, received;
    uint8_t bytes[BYTES];
    sent.sensor = __VERIFIER_nondet_uchar();
    sent.celsius = __VERIFIER_nondet_short();
    sent.time = __VERIFIER_nondet_uint();
    for (int i = 0; i < NAME; i++)
        sent.name[i] = __VERIFIER_nondet_uchar();
    pack(&sent, bytes);
    assert(unpack(&received, bytes));
    assert(received.sensor == sent.sensor);
    assert(received.celsius == sent.celsius);
    assert(received.time == sent.time);
    assert(memcmp(received.name, sent.name, NAME) == 0);
    unsigned char place = __VERIFIER_nondet_uchar(), damage = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(place < BYTES && damage != 0);
    bytes[place] ^= damage;
    assert(!unpack(&received, bytes));
    return 0;
}
