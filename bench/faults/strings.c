// Scans a command line for its words.
//
// fault 1, bounds, input 97 97 97 97 97 97: a line without an end
// fault 2, pointer, input 97 0: there is no second word
// fault 3, bounds, input 97 32 98 32 97 32: there are more words than places
// fault 4, bounds, input 0: the last character of an empty line
// fault 5, overflow, input 97 97 97 97 97: the hash is computed in an int
extern char __VERIFIER_nondet_char(void);

#define LENGTH 6
#define WORDS 2

int main(void)
{
    char line[LENGTH];
    for (int i = 0; i < LENGTH; i++)
        line[i] = __VERIFIER_nondet_char();
    line[LENGTH - 1] = 0; //@1 line[0] = 'x';
    char *words[WORDS] = {0};
    int count = 0, length = 0, within = 0;
    unsigned hash = 0; //@5 int hash = 1;
    while (line[length]) { //!1
        if (line[length] == ' ') {
            within = 0;
        } else {
            if (!within && count < WORDS) //@3 if (!within)
                words[count++] = &line[length]; //!3
            within = 1;
            hash = 131 * hash + (unsigned char)line[length]; //!5
        }
        length++;
    }
    if (length > 0 && line[length - 1] == ' ') //@4 if (line[length - 1] == ' ')
        line[length - 1] = 0;
    if (count > 1) //@2 if (count > 0)
        return *words[1] == 'x' && hash; //!2
    return 0;
}
