// Objects that are written on some ways only.
//
// fault 1, uninit, input 9: a scalar has a value only if the sensor answers
// fault 2, uninit, input 1 9: a field is not set for one kind of message
// fault 3, uninit, input 1 8: a function fills its result only if it succeeds
// fault 4, uninit, input 1 1 3: an element of an array was jumped over
// fault 5, uninit, input 1 1 1 7: a local structure is set but for one field
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct message {
    int kind, size;
};

static int measure(int channel, int *result)
{
    if (channel > 4) {
        *result = 0; //@3 channel = 0;
        return -1;
    }
    *result = channel;
    return 0;
}

int main(void)
{
    int level;
    int answer = __VERIFIER_nondet_int();
    if (answer == 1)
        level = 5;
    else //@1 else if (answer != 9)
        level = 0;
    if (level > 3) //!1
        answer = 2;
    struct message message;
    message.kind = __VERIFIER_nondet_int();
    if (message.kind < 9) //@2 if (message.kind < 8)
        message.size = 4;
    if (message.kind >= 9) //@2 if (message.kind > 7 && message.kind != 9)
        message.size = 2;
    if (message.kind < 9 && message.size == 4) //@2 if (message.kind <= 9 && message.size == 4) //!2
        answer = 3;
    int result;
    measure(message.kind, &result);
    if (result > 2) //!3
        answer = 4;
    int table[4];
    int skipped = __VERIFIER_nondet_int();
    for (int i = 0; i < 4; i++)
        if (i != skipped)
            table[i] = i;
        else
            table[i] = -1; //@4 continue;
    if (table[3] > 0) //!4
        answer = 5;
    struct message reply = {0};
    struct message *out = __VERIFIER_nondet_int() == 7 ? &message : &reply; //@5 struct message late, *out = __VERIFIER_nondet_int() == 7 ? &late : &reply;
    out->kind = answer;
    if (out == &reply || message.kind < 8)
        if (out->size == 4) //!5
            answer = 6;
    return answer;
}
