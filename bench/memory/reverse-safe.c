/* Length, comparison and reversal of strings: comparison is an order of bytes, and reversing twice changes nothing. */
#include <assert.h>

#define SIZE 7

extern char __VERIFIER_nondet_char(void);

static int length(const char *text)
{
    int n = 0;
    while (text[n])
        n++;
    return n;
}

static int compare(const char *left, const char *right)
{
    while (*left && *left == *right) {
        left++;
        right++;
    }
    return (unsigned char)*left - (unsigned char)*right;
}

static void reverse(char *text)
{
    int n = length(text);
    for (int i = 0; i < n / 2; i++) {
        char byte = text[i];
        text[i] = text[n - 1 - i];
        text[n - 1 - i] = byte;
    }
}

int main(void)
{
    char text[SIZE], twice[SIZE];
    for (int i = 0; i < SIZE; i++)
        twice[i] = text[i] = i + 1 < SIZE ? __VERIFIER_nondet_char() : 0;
    reverse(twice);
    assert(length(twice) == length(text));
    int before = compare(text, twice), after = compare(twice, text);
    assert((before < 0) == (after > 0));
    assert((before == 0) == (after == 0));
    reverse(twice);
    assert(compare(text, twice) == 0);
    return 0;
}
