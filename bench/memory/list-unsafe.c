/* A singly linked list with nodes from malloc: of two negative readings in a row only the first is removed. */
#include <assert.h>
#include <stdlib.h>

#define COUNT 5

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

struct node {
    int value;
    struct node *next;
};

struct list {
    struct node *first;
    struct node *last;
};

static int append(struct list *list, int value)
{
    struct node *node = malloc(sizeof *node);
    if (node == 0)
        return 0;
    node->value = value;
    node->next = 0;
    if (list->last)
        list->last->next = node;
    else
        list->first = node;
    list->last = node;
    return 1;
}

static void remove_negative(struct list *list)
{
    struct node **link = &list->first;
    list->last = 0;
    while (*link) {
        struct node *node = *link;
        if (node->value < 0) {
            *link = node->next;
            free(node);
            if (*link == 0)
                break;
        }
        list->last = *link;
        link = &(*link)->next;
    }
}

int main(void)
{
    struct list readings = {0, 0};
    int expected = 0, sum = 0;
    for (int i = 0; i < COUNT; i++) {
        int value = __VERIFIER_nondet_int();
        __VERIFIER_assume(value >= -100 && value <= 100);
        if (append(&readings, value) && value > 0)
            expected += value;
    }
    remove_negative(&readings);
    for (struct node *node = readings.first; node; node = node->next) {
        assert(node->next || node == readings.last);
        sum += node->value;
    }
    assert(sum == expected);
    return 0;
}
