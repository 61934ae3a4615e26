/* A parser of records of tag, length and value in a packet of unknown length: its test forgets the header. */
#include <assert.h>
#include <stdint.h>

#define SIZE 6

extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

enum tag { PADDING, NUMBER, TEXT };

struct result {
    uint32_t number;
    const uint8_t *text;
    uint8_t text_length;
    uint8_t records;
};

/* The bytes read, or -1 for a malformed packet. */
static int parse(const uint8_t *packet, uint8_t length, struct result *result)
{
    uint8_t at = 0;
    while (at < length) {
        uint8_t tag = packet[at++];
        if (tag == PADDING)
            continue;
        if (at == length)
            return -1;
        uint8_t size = packet[at++];
        if (at - 2 + size > length)
            return -1;
        if (tag == NUMBER) {
            result->number = 0;
            for (uint8_t i = 0; i < size; i++)
                result->number = (result->number << 8) | packet[at + i];
        } else if (tag == TEXT) {
            result->text = packet + at;
            result->text_length = size;
        }
        result->records++;
        at += size;
    }
    return at;
}

int main(void)
{
    uint8_t packet[SIZE];
    struct result result = {0, 0, 0, 0};
    uint8_t length = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(length <= SIZE);
    for (int i = 0; i < length; i++)
        packet[i] = __VERIFIER_nondet_uchar();
    int end = parse(packet, length, &result);
    assert(end == -1 || end == length);
    assert(result.records <= SIZE / 2);
    uint8_t sum = 0;
    for (uint8_t i = 0; i < result.text_length; i++)
        sum += result.text[i];
    return sum;
}
