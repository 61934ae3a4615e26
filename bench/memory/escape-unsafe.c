/* Text is quoted with escapes and read back by a tokenizer: the escape character is not escaped itself. */
#include <assert.h>

#define RAW 4
#define QUOTED (2 * RAW + 3)

extern char __VERIFIER_nondet_char(void);

static int quote(char *to, const char *from, int count)
{
    int n = 0;
    to[n++] = '"';
    for (int i = 0; i < count; i++) {
        switch (from[i]) {
        case '"':
            to[n++] = '\\';
            to[n++] = from[i];
            break;
        case '\n':
            to[n++] = '\\';
            to[n++] = 'n';
            break;
        default:
            to[n++] = from[i];
        }
    }
    to[n++] = '"';
    to[n] = 0;
    return n;
}

/* Reads one string; the bytes taken, or -1. */
static int token(char *to, int *count, const char *from)
{
    int at = 0, n = 0;
    if (from[at++] != '"')
        return -1;
    while (from[at] != '"') {
        char byte = from[at++];
        if (byte == '\n' || n == RAW)
            return -1;
        if (byte == '\\') {
            byte = from[at++];
            if (byte == 'n')
                byte = '\n';
            else if (byte != '"' && byte != '\\')
                return -1;
        }
        to[n++] = byte;
    }
    *count = n;
    return at + 1;
}

int main(void)
{
    char raw[RAW], quoted[QUOTED], back[RAW];
    int count = -1;
    for (int i = 0; i < RAW; i++)
        raw[i] = __VERIFIER_nondet_char();
    int length = quote(quoted, raw, RAW);
    assert(token(back, &count, quoted) == length);
    assert(count == RAW);
    for (int i = 0; i < RAW; i++)
        assert(back[i] == raw[i]);
    return 0;
}
