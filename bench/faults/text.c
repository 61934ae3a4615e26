// Names of devices: copies of texts into buffers of fixed size.
//
// fault 1, pointer, input 8: a name is copied that is as long as the buffer
// fault 2, pointer, input 5: a suffix is appended without regard to the room
// fault 3, pointer, input 8: the copy of a long name has no end
// fault 4, overlap, input 4: the text moves within its own buffer
#include <string.h>
extern unsigned __VERIFIER_nondet_uint(void);

#define ROOM 8

int main(void)
{
    static char source[16];
    unsigned length = __VERIFIER_nondet_uint() % 12;
    for (unsigned i = 0; i < length; i++)
        source[i] = 'a';
    source[length] = 0;
    char name[ROOM];
    if (length >= ROOM - 4) { //@1 if (length > ROOM) { //@2 if (length >= ROOM) { //@3 if (length > ROOM) {
        strncpy(name, source, ROOM); //@1 strncpy(name, "long", ROOM); //@2 strncpy(name, "dev", ROOM);
        name[ROOM - 1] = 0; //@3 name[0] = 'b';
    } else {
        strcpy(name, source); //!1 //@3 strncpy(name, source, ROOM);
        if (length > 0) //@1 if (length == 1) //@3 if (length == 1)
            strcat(name, "-eth"); //!2
    }
    unsigned long total = strlen(name); //!3
    if (total >= 4)
        memmove(name, name + 1, total); //@4 memcpy(name, name + 1, total);
    return (int)strlen(name);
}
