// What is freed: only what was allocated, once.
//
// fault 1, free, input 1: an array of the function is freed
// fault 2, free, input 2: a static buffer is freed
// fault 3, free, input 3: the end of a buffer is freed
// fault 4, free, input 4: an error way frees what its caller frees too
// fault 5, free, input 5: a member within the structure is freed
// fault 6, pointer, input 6: a buffer that was given away by realloc is used
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

static char reserve[16];

struct node {
    int value;
    char name[4];
};

static int use(char *buffer, int mode)
{
    if (mode == 4) {
        buffer[0] = 0; //@4 free(buffer);
        return -1;
    }
    buffer[0] = 1;
    return 0;
}

int main(void)
{
    int mode = __VERIFIER_nondet_int();
    char small[16];
    char *buffer = mode == 1 ? small : mode == 2 ? reserve : malloc(16);
    if (!buffer)
        return 1;
    char *end = buffer + 16;
    int result = use(buffer, mode);
    if (mode == 6) {
        char *grown = realloc(buffer, 32);
        if (!grown) {
            free(buffer);
            return 2;
        }
        grown[16] = 2; //@6 buffer[0] = 2;
        buffer = grown;
    }
    if (mode != 1 && mode != 2) //@1 if (mode != 2) //@2 if (mode != 1)
        free(buffer); //!1 //!2 //!4 //@3 free(mode == 3 ? end : buffer); //!3
    struct node *node = malloc(sizeof *node);
    if (node) {
        node->value = result;
        free(node); //@5 free(node->name);
    }
    return end == 0;
}
