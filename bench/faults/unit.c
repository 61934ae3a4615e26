// Texts of measurements with their units.
//
// fault 1, pointer, input 100000: the text of a large value does not fit
// fault 2, pointer, input 11: the unit does not fit behind the value
// fault 3, pointer, input 7: the text has no end when it is measured
// fault 4, pointer, input -3: a value has no unit
// fault 5, pointer, input 12: a text without an end is compared
#include <string.h>
extern int __VERIFIER_nondet_int(void);

static const char *unit(int value)
{
    if (value < 0)
        return "mA"; //@4 return 0;
    return value > 10 ? "mV" : "V";
}

static int digits(int value, char *into)
{
    char reverse[12];
    int count = 0;
    do {
        reverse[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    for (int i = 0; i < count; i++)
        into[i] = reverse[count - 1 - i]; //!1
    into[count] = 0; //!1 //@3 into[count] = ' ';
    return count;
}

int main(void)
{
    char text[8], word[2]; //@2 char text[3], word[2]; //@1 char text[5], word[2];
    int value = __VERIFIER_nondet_int();
    if (value > 9999) //@1 if (value > 999999) //@2 if (value > 99)
        value = 9999; //@2 value = 99;
    memset(text, ' ', sizeof text);
    digits(value < 0 ? 0 : value, text);
    if (strlen(text) > 5) //!3
        return 1;
    const char *its = unit(value);
    if (strlen(its) == 2) //!4
        strcat(text, its); //!1 //!2
    strncpy(word, its, 2);
    if (strncmp(word, "mV", 2) == 0) //@5 if (strcmp(word, "mV") == 0)
        return 2;
    return 0;
}
