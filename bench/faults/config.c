// Reads a configuration of keys and values that was found in memory.
//
// fault 1, pointer, input 4 1 9: a key that there is not has no value
// fault 2, pointer, input 2, malloc 1: the copy of the configuration may not be there
// fault 3, pointer, input 2 0 1: the copy is read after it was freed
// fault 4, free, input 2 0 1: the copy is freed on two ways
// fault 5, uninit, input 1 0 1: only the keys are copied
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);

struct entry {
    unsigned key;
    int value;
};

static const struct entry stored[4] = {{1, 10}, {2, 20}, {3, 30}, {4, 40}};

static struct entry *lookup(struct entry *entries, unsigned count, unsigned key)
{
    for (unsigned i = 0; i < count; i++)
        if (entries[i].key == key)
            return &entries[i];
    return 0;
}

int main(void)
{
    unsigned count = __VERIFIER_nondet_uint() % 5;
    struct entry *copy = malloc(4 * sizeof *copy);
    if (!copy) //@2 if (count == 0)
        return 1;
    for (unsigned i = 0; i < count; i++) {
        copy[i].key = stored[i].key; //!2
        copy[i].value = stored[i].value; //@5 copy[i].key += 0;
    }
    unsigned strict = __VERIFIER_nondet_uint();
    struct entry *found = lookup(copy, count, __VERIFIER_nondet_uint());
    int result = 0;
    if (found) { //@1 if (found || strict == 1) {
        if (found->value > 25) //!1 //!5
            result = 1;
        if (strict == 0) { //@4 if (strict == 0)
            result = found->key > 3; //@4 free(copy);
        } //@4 result++;
    }
    if (found && strict == 2) //@3 free(copy); //@2 if (0)
        result += found->value; //@3 result += found ? found->value : 0; //!3 
    free(copy); //!4 //@3 return result;
    return result;
}
