/* A hash table with four buckets and chains: removal from the middle of a chain loses the entries before it. */
#include <assert.h>
#include <stdint.h>

#define BUCKETS 4
#define KEYS 8
#define PUTS 3

extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

struct entry {
    uint8_t key;
    uint8_t value;
    struct entry *next;
};

static struct entry entries[PUTS];
static struct entry *buckets[BUCKETS];

static struct entry **find(uint8_t key)
{
    struct entry **link = &buckets[(key ^ (key >> 2)) % BUCKETS];
    while (*link && (*link)->key != key)
        link = &(*link)->next;
    return link;
}

static void put(struct entry *fresh, uint8_t key, uint8_t value)
{
    struct entry **link = find(key);
    if (*link == 0) {
        fresh->key = key;
        fresh->next = 0;
        *link = fresh;
    }
    (*link)->value = value;
}

static void drop(uint8_t key)
{
    struct entry *entry = *find(key);
    if (entry)
        buckets[(key ^ (key >> 2)) % BUCKETS] = entry->next;
}

int main(void)
{
    uint8_t expected[KEYS] = {0};
    for (int i = 0; i < PUTS; i++) {
        uint8_t key = __VERIFIER_nondet_uchar(), value = __VERIFIER_nondet_uchar();
        __VERIFIER_assume(key < KEYS && value > 0);
        put(&entries[i], key, value);
        expected[key] = value;
    }
    uint8_t dropped = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(dropped < KEYS);
    drop(dropped);
    expected[dropped] = 0;
    uint8_t wanted = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(wanted < KEYS);
    struct entry *found = *find(wanted);
    assert((found ? found->value : 0) == expected[wanted]);
    return 0;
}
