// A search tree in an array of nodes, with links by index.
//
// fault 1, bounds, input 5 3 4: the mark of no child is taken as an index
// fault 2, bounds, input 1 2 3 4 5: there is no node left
// fault 3, bounds, input 7 7 7: the way down goes on where the key was found
// fault 4, assert, input 5 3 7: left and right are exchanged
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

#define NODES 4

struct node {
    int key, left, right;
};

static struct node nodes[NODES];
static int used;

static void insert(int key)
{
    if (used == NODES) //@2 if (used > NODES)
        return;
    int fresh = used;
    if (fresh > 0) {
        int at = 0;
        for (;;) {
            if (nodes[at].key == key) //!1 //!3
                return; //@3 at = -2;
            int *link = key < nodes[at].key ? &nodes[at].left : &nodes[at].right; //@4 int *link = key > nodes[at].key ? &nodes[at].left : &nodes[at].right; //!3
            if (*link < 0) { //@1 if (*link < -1) {
                *link = fresh;
                break;
            }
            at = *link;
        }
    }
    nodes[fresh].key = key; //!2
    nodes[fresh].left = nodes[fresh].right = -1;
    used++;
}

int main(void)
{
    for (int i = 0; i < NODES + 1; i++)
        insert(__VERIFIER_nondet_int());
    if (nodes[0].left > 0)
        assert(nodes[nodes[0].left].key < nodes[0].key); //!4
    return used;
}
