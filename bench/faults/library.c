// Functions of the library that write texts.
//
// fault 1, pointer, input 5 0: a text does not fit where sprintf writes it
// fault 2, overlap, input 2 1: a text is copied over itself
// fault 3, overlap, input 2 2: a text is appended to itself
// fault 4, pointer, input 2 3: the room that is left is that of the whole buffer
// fault 5, pointer, input 2 4: memory is compared beyond its end
// fault 6, pointer, input 2 5: the copy is longer than the text and its room
// fault 7, pointer, input 2 6: a character is not found, and what is behind it is read
// fault 8, pointer, input 2 7, malloc 1: the duplicate may not be there
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    char text[8], key[4] = {'a', 'b', 'c', 'd'};
    unsigned length = __VERIFIER_nondet_uint() % 6, mode = __VERIFIER_nondet_uint();
    char source[6];
    memset(source, 'x', 6);
    source[length] = 0;
    if (length < 3 || mode > 0) //@1 if (length < 6)
        strcpy(text, source); //@1 sprintf(text, "<%s->", source); //!1
    else
        strcpy(text, "long");
    if (mode == 1 && length > 1)
        memmove(text, text + 1, length); //@2 strcpy(text, text + 1);
    if (mode == 2 && length < 4) //@1 if (mode == 2 && length == 0)
        strcat(text, source); //@3 strcat(text, text);
    if (mode == 3)
        strncat(text, "0123456789", sizeof text - 1 - strlen(text)); //@4 strncat(text, "0123456789", sizeof text - 1);
    if (mode == 4 && memcmp(key, "abcd", sizeof key) == 0) //@5 if (mode == 4 && memcmp(key, "abcd", sizeof key + 1) == 0)
        return 1;
    if (mode == 5)
        memcpy(text, source, length + 1); //@6 memcpy(text, source, sizeof text + length);
    if (mode == 6) {
        char *place = strchr(text, 'y');
        if (place) //@7 if (mode)
            return *place; //!7
    }
    if (mode == 7) {
        char *copy = malloc(strlen(text) + 1);
        if (copy) //@8 if (mode)
            strcpy(copy, text); //!8
        free(copy);
    }
    return 0;
}
