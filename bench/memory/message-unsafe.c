/* A message as a union of bytes and structures: one field of one kind is not converted on its way. */
#include <assert.h>
#include <stdint.h>

extern unsigned char __VERIFIER_nondet_uchar(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

enum kind { PING, SET, MOVE, KINDS };

struct ping { uint8_t kind; uint8_t number; };
struct set { uint8_t kind; uint8_t channel; uint16_t value; };
struct move { uint8_t kind; uint8_t axis; uint16_t speed; uint32_t target; };

union message {
    uint8_t bytes[8];
    uint16_t halves[4];
    struct ping ping;
    struct set set;
    struct move move;
};

static const uint8_t sizes[KINDS] = {sizeof(struct ping), sizeof(struct set), sizeof(struct move)};

static void swap(uint8_t *bytes, int count)
{
    for (int i = 0; i < count / 2; i++) {
        uint8_t byte = bytes[i];
        bytes[i] = bytes[count - 1 - i];
        bytes[count - 1 - i] = byte;
    }
}

/* From the processor's order to that of the network, and back. */
static void convert(union message *message)
{
    switch (message->bytes[0]) {
    case SET:
        swap(message->bytes + 2, 2);
        break;
    case MOVE:
        swap(message->bytes + 4, 4);
        break;
    }
}

int main(void)
{
    union message sent = {{0}}, received = {{0}};
    uint8_t wire[8], kind = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(kind < KINDS);
    sent.move.axis = __VERIFIER_nondet_uchar();
    sent.move.speed = __VERIFIER_nondet_ushort();
    sent.move.target = __VERIFIER_nondet_uint();
    sent.bytes[0] = kind;
    union message copy = sent;
    convert(&copy);
    for (int i = 0; i < sizes[kind]; i++)
        wire[i] = copy.bytes[i];
    if (kind != PING)
        assert(wire[2] == sent.halves[1] >> 8 && wire[3] == (sent.halves[1] & 0xff));
    for (int i = 0; i < sizes[kind]; i++)
        received.bytes[i] = wire[i];
    convert(&received);
    assert(received.ping.number == sent.move.axis);
    if (kind == SET)
        assert(received.set.value == sent.move.speed);
    if (kind == MOVE)
        assert(received.move.speed == sent.move.speed && received.move.target == sent.move.target);
    return 0;
}
