// Escapes bytes for a line and takes the escapes out again.
//
// fault 1, bounds, input 3 126 126 126: escaped bytes need twice the room
// fault 2, bounds, input 4 1 125 1 125: an escape at the end of the line
// fault 3, assert, input 2 126 1: the escaped byte is not restored
// fault 4, pointer, input 3 0: the room of the result is counted in the wrong unit
extern unsigned char __VERIFIER_nondet_uchar(void);
#include <assert.h>
#include <stdlib.h>

#define MOST 4
#define ESCAPE 125
#define END 126

static unsigned char line[2 * MOST]; //@2 static unsigned char line[MOST]; //@1 static unsigned char line[MOST + 1];

static int encode(const unsigned char *bytes, int count)
{
    int at = 0;
    for (int i = 0; i < count; i++) {
        if (bytes[i] == END || bytes[i] == ESCAPE) //@2 if (bytes[i] > 255)
            line[at++] = ESCAPE; //!1
        line[at++] = bytes[i] == END ? 1 : bytes[i]; //!1
    }
    return at;
}

static int decode(unsigned char *into, int count)
{
    int length = 0;
    for (int i = 0; i < count; i++) {
        unsigned char byte = line[i];
        if (byte == ESCAPE) {
            byte = line[++i]; //!2
            if (byte == 1)
                byte = END; //@3 byte = ESCAPE;
        }
        into[length++] = byte; //!4
    }
    return length;
}

int main(void)
{
    unsigned char bytes[MOST];
    int count = __VERIFIER_nondet_uchar() % (MOST + 1);
    for (int i = 0; i < count; i++)
        bytes[i] = __VERIFIER_nondet_uchar();
    int length = encode(bytes, count);
    unsigned char *result = malloc(MOST); //@4 unsigned char *result = malloc(MOST / 2);
    if (!result)
        return 1;
    int decoded = decode(result, length);
    if (decoded == count) //@2 if (decoded > count)
        for (int i = 0; i < count; i++)
            assert(result[i] == bytes[i]); //!3
    free(result);
    return 0;
}
