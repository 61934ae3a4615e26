// A queue of orders by priority, as a heap in an array that was allocated.
//
// fault 1, pointer, input 4 4 3 2 1: the array has no room for the last order
// fault 2, pointer, input 1, malloc 1: the allocation may fail
// fault 3, pointer, input 0: the first order of an empty heap is taken
// fault 4, free, input 2 1 1: what is freed is not what was allocated
// fault 5, assert, input 4 1 2 3 4: the smaller child goes up
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

#define SIZE 4

static int *heap, count;

static void insert(int priority)
{
    if (count == SIZE)
        return;
    int at = count++;
    while (at > 0 && heap[(at - 1) / 2] < priority) {
        heap[at] = heap[(at - 1) / 2]; //!1
        at = (at - 1) / 2;
    }
    heap[at] = priority; //!1 //!2
}

static int take(void)
{
    if (count == 0) //@3 if (count == SIZE + 1)
        return 0;
    int last = heap[--count], first = heap[0], at = 0; //!3
    while (2 * at + 1 < count) {
        int child = 2 * at + 1;
        if (child + 1 < count && heap[child + 1] > heap[child]) //@5 if (child + 1 < count && heap[child + 1] < heap[child])
            child++;
        if (heap[child] <= last)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}

int main(void)
{
    heap = malloc(SIZE * sizeof *heap); //@1 heap = malloc((SIZE - 1) * sizeof *heap);
    if (heap == 0) //@2 if (count > 0)
        return 1;
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n && i < SIZE; i++)
        insert(__VERIFIER_nondet_int());
    int a = take(), b = count ? take() : a, c = count ? take() : b;
    assert(a >= b && b >= c); //!5
    free(heap); //@4 free(heap + 1);
    return 0;
}
