/* A binary search tree: four unknown keys are inserted, the root is removed, the others are still found. */
#include <assert.h>

#define KEYS 4

extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

struct node {
    unsigned char key;
    struct node *left;
    struct node *right;
};

static struct node nodes[KEYS];
static struct node *root;

static struct node **find(unsigned char key)
{
    struct node **link = &root;
    while (*link && (*link)->key != key)
        link = key < (*link)->key ? &(*link)->left : &(*link)->right;
    return link;
}

static void insert(struct node *node, unsigned char key)
{
    struct node **link = find(key);
    node->key = key;
    node->left = node->right = 0;
    if (*link == 0)
        *link = node;
}

/* The smallest node of the right subtree takes the place of the removed one. */
static void take_out(struct node **link)
{
    struct node *old = *link;
    if (old->left == 0) {
        *link = old->right;
    } else if (old->right == 0) {
        *link = old->left;
    } else {
        struct node **least = &old->right;
        while ((*least)->left)
            least = &(*least)->left;
        struct node *heir = *least;
        *least = heir->right;
        heir->left = old->left;
        heir->right = old->right;
        *link = heir;
    }
}

int main(void)
{
    unsigned char keys[KEYS];
    for (int i = 0; i < KEYS; i++) {
        keys[i] = __VERIFIER_nondet_uchar();
        insert(&nodes[i], keys[i]);
    }
    take_out(&root);
    assert(*find(keys[0]) == 0);
    for (int i = 1; i < KEYS; i++)
        assert(keys[i] == keys[0] || *find(keys[i]) != 0);
    return 0;
}
