/* Drivers with operations as function pointers: a write to a full device says that it has stored everything. */
#include <assert.h>
#include <stdint.h>

#define SIZE 4
#define WRITES 2

extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

struct device;

struct operations {
    int (*write)(struct device *, const uint8_t *, int);
    int (*read)(struct device *, uint8_t *, int);
};

struct device {
    const struct operations *operations;
    uint8_t memory[SIZE];
    int used;
    unsigned lost;
};

/* Stores what fits. */
static int memory_write(struct device *device, const uint8_t *bytes, int count)
{
    int stored = 0;
    while (stored < count && device->used < SIZE)
        device->memory[device->used++] = bytes[stored++];
    return count;
}

static int memory_read(struct device *device, uint8_t *bytes, int count)
{
    int n = device->used < count ? device->used : count;
    for (int i = 0; i < n; i++)
        bytes[i] = device->memory[i];
    return n;
}

/* Takes everything, keeps nothing. */
static int null_write(struct device *device, const uint8_t *bytes, int count)
{
    (void)bytes;
    device->lost += count;
    return 0;
}

static int null_read(struct device *device, uint8_t *bytes, int count)
{
    (void)device, (void)bytes, (void)count;
    return 0;
}

static const struct operations memory_operations = {memory_write, memory_read};
static const struct operations null_operations = {null_write, null_read};
static struct device devices[2] = {{.operations = &memory_operations}, {.operations = &null_operations}};

int main(void)
{
    struct device *device = &devices[__VERIFIER_nondet_int() ? 1 : 0];
    uint8_t expected[WRITES * 3], bytes[SIZE];
    int stored = 0;
    for (int i = 0; i < WRITES; i++) {
        uint8_t message[3];
        int count = __VERIFIER_nondet_uchar();
        __VERIFIER_assume(count <= 3);
        for (int j = 0; j < count; j++)
            message[j] = __VERIFIER_nondet_uchar();
        int n = device->operations->write(device, message, count);
        for (int j = 0; j < n; j++)
            expected[stored++] = message[j];
    }
    int n = device->operations->read(device, bytes, SIZE);
    assert(n == stored);
    for (int i = 0; i < n; i++)
        assert(bytes[i] == expected[i]);
    return 0;
}
