/* String copy and concatenation in buffers of eight bytes: concatenation of long strings writes one byte too far. */
#include <assert.h>
#include <stddef.h>

#define SIZE 8

extern char __VERIFIER_nondet_char(void);

static size_t copy(char *to, const char *from, size_t size)
{
    size_t i = 0;
    while (i + 1 < size && from[i]) {
        to[i] = from[i];
        i++;
    }
    if (size > 0)
        to[i] = 0;
    return i;
}

static size_t concatenate(char *to, const char *from, size_t size)
{
    size_t end = 0;
    while (end < size && to[end])
        end++;
    if (end == size)
        return end;
    return end + copy(to + end, from, size - end + 1);
}

static void unknown(char *text)
{
    for (size_t i = 0; i + 1 < SIZE; i++)
        text[i] = __VERIFIER_nondet_char();
    text[SIZE - 1] = 0;
}

int main(void)
{
    char directory[SIZE], file[SIZE], path[SIZE];
    unknown(directory);
    unknown(file);
    size_t start = copy(path, directory, SIZE);
    size_t length = concatenate(path, file, SIZE);
    assert(length < SIZE);
    assert(path[length] == 0);
    for (size_t i = 0; i < length; i++)
        assert(path[i] == (i < start ? directory[i] : file[i - start]));
    return 0;
}
