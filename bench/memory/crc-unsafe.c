/* CRC-8 bit by bit and by a table of nibbles: one entry of the table is wrong. */
#include <assert.h>
#include <stdint.h>

#define POLYNOMIAL 0x07
#define BYTES 4

extern unsigned char __VERIFIER_nondet_uchar(void);

static const uint8_t table[16] = {
    0x00, 0x07, 0x0e, 0x09, 0x1c, 0x1b, 0x12, 0x15,
    0x38, 0x3f, 0x36, 0x30, 0x24, 0x23, 0x2a, 0x2d,
};

static uint8_t by_bits(const uint8_t *bytes, int count)
{
    uint8_t crc = 0;
    for (int i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            if (crc & 0x80)
                crc = (crc << 1) ^ POLYNOMIAL;
            else
                crc <<= 1;
        }
    }
    return crc;
}

static uint8_t by_table(const uint8_t *bytes, int count)
{
    uint8_t crc = 0;
    for (int i = 0; i < count; i++) {
        crc ^= bytes[i];
        crc = (crc << 4) ^ table[crc >> 4];
        crc = (crc << 4) ^ table[crc >> 4];
    }
    return crc;
}

int main(void)
{
    uint8_t message[BYTES + 1];
    for (int i = 0; i < BYTES; i++)
        message[i] = __VERIFIER_nondet_uchar();
    uint8_t crc = by_bits(message, BYTES);
    assert(by_table(message, BYTES) == crc);
    message[BYTES] = crc;
    assert(by_table(message, BYTES + 1) == 0);
    return 0;
}
