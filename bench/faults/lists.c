// A double linked list of buffers in use; elements come and go.
//
// fault 1, pointer, input 0: the list is empty, and its first element is removed
// fault 2, pointer, input 1: the successor of the only element
// fault 3, pointer, input 2, malloc 2: an element is not there
// fault 4, pointer, input 2: the list still leads to an element that was freed
// fault 5, free, input 1: the first element is freed twice
// fault 6, uninit, input 2: a link of a new element is not set
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);

struct element {
    struct element *next, *previous;
    int size;
};

static struct element *first;

static void add(int size)
{
    struct element *element = malloc(sizeof *element);
    if (element) { //@3 if (size < 100) {
        element->next = first; //!3
        element->previous = 0; //@6 element->size = 0;
        element->size = size;
        if (first)
            first->previous = element;
        first = element;
    }
}

static void removed(struct element *element)
{
    if (element->previous) //!1 //!6
        element->previous->next = element->next;
    else
        first = element->next; //@4 first = element->next ? element : 0;
    if (element->next) //@2 if (element)
        element->next->previous = element->previous; //!2
    free(element);
}

int main(void)
{
    unsigned count = __VERIFIER_nondet_uint() % 3;
    for (unsigned i = 0; i < count; i++)
        add((int)i);
    if (first) { //@1 if (count < 3) {
        struct element *oldest = first;
        removed(oldest);
        if (count == 5) //@5 if (count == 1)
            free(oldest); //!5
    }
    int sum = 0;
    for (struct element *at = first; at; at = at->next)
        sum += at->size; //!4
    while (first)
        removed(first);
    return sum;
}
