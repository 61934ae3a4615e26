// Buffers from the heap that are read before they were filled.
//
// fault 1, uninit, input 3 0: malloc is taken for calloc
// fault 2, uninit, input 3 2: the buffer grows, and its new part is read
// fault 3, uninit, input 3 1: the header is written, the flags are not
// fault 4, uninit, input 3 0: only half of the buffer is filled
// fault 5, pointer, input 3 0, malloc 2: the grown buffer may not be there
#include <stdlib.h>
#include <string.h>
extern unsigned char __VERIFIER_nondet_uchar(void);

struct header {
    int size, flags;
    unsigned char data[4];
};

int main(void)
{
    struct header *header = calloc(1, sizeof *header); //@1 struct header *header = malloc(sizeof *header); //@3 struct header *header = malloc(sizeof *header);
    if (!header)
        return 1;
    int result = 0, mode = 0;
    header->size = __VERIFIER_nondet_uchar() % 5;
    mode = __VERIFIER_nondet_uchar();
    if (header->flags & 1) //!3 //@1 header->flags = 0;
        result = 1; //@1 mode = mode + 0;
    if (header->data[0] == 7) //!1 //@3 if (header->size == 7)
        result = 2;
    unsigned char *copy = malloc(4);
    if (!copy) { //@5 if (header->size > 5) {
        free(header);
        return 2;
    }
    memset(copy, 0, 4); //!5 //@4 memset(copy, 0, 2);
    if (copy[header->size & 3] == 9) //!4
        result = 3;
    if (mode == 2) {
        unsigned char *grown = realloc(copy, 8);
        if (grown) {
            copy = grown;
            memset(copy + 4, 1, 4); //@2 copy[4] = 1;
            if (copy[7] == 3) //!2
                result = 4;
        }
    }
    free(copy);
    free(header);
    return result;
}
