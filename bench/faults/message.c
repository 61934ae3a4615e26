// Messages in buffers from the heap, passed from function to function.
//
// fault 1, pointer, input 3 9: one byte more than was allocated
// fault 2, pointer, input 3 2: the owner frees the message and sends it
// fault 3, free, input 3 2: two owners free the message
// fault 4, free, input 3 2: the pointer has moved when it is freed
// fault 5, pointer, input 3 1, malloc 2: the second buffer may not be there
// fault 6, uninit, input 3 9: the last byte of the text is not written
#include <stdlib.h>
extern unsigned char __VERIFIER_nondet_uchar(void);

struct message {
    unsigned length;
    char *text;
};

static struct message *make(unsigned length)
{
    struct message *message = malloc(sizeof *message);
    if (!message)
        return 0;
    message->length = length;
    message->text = malloc(length + 1); //@1 message->text = malloc(length ? length : 1);
    if (!message->text) { //@5 if (length > 100) {
        free(message);
        return 0;
    }
    for (unsigned i = 0; i < length; i++)
        message->text[i] = 'x'; //!5
    message->text[length] = 0; //!1 //@6 message->text[0] = 'y';
    return message;
}

static int send(const struct message *message)
{
    int sum = 0;
    for (const char *at = message->text; *at; at++) //!2 //!6
        sum++;
    return sum;
}

int main(void)
{
    unsigned length = __VERIFIER_nondet_uchar() % 4 + 1;
    struct message *message = make(length);
    if (!message)
        return 1;
    int mode = __VERIFIER_nondet_uchar();
    char *text = message->text;
    if (mode == 2)
        text++;
    int sum = mode == 2 ? 0 : send(message); //@2 if (mode == 2) free(message->text);
    sum += *text > 0; //!6 //@2 int sum = send(message);
    free(message->text); //@4 free(text); //@2 if (mode != 2) free(message->text);
    if (mode == 2) //@3 if (mode == 2) free(message->text);
        sum = 0;
    free(message);
    return sum;
}
