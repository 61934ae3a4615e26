typedef unsigned long size_t;
void *malloc(size_t); void *calloc(size_t, size_t); void free(void *);
void *memcpy(void *, const void *, size_t); void *memset(void *, int, size_t);
void *memmove(void *, const void *, size_t); int memcmp(const void *, const void *, size_t);
size_t strlen(const char *); char *strcpy(char *, const char *); char *strncpy(char *, const char *, size_t);
int strcmp(const char *, const char *); int strncmp(const char *, const char *, size_t);
char *strcat(char *, const char *); char *strchr(const char *, int); char *strrchr(const char *, int);
char *strdup(const char *); char *strncat(char *, const char *, size_t); void *memchr(const void *, int, size_t);
int abs(int); long labs(long); int isalpha(int); int isdigit(int); int isspace(int); int tolower(int); int toupper(int);
int ispunct(int); int isxdigit(int);
double fabs(double); double floor(double); double ceil(double); double trunc(double); double round(double);
double sqrt(double); double fmin(double, double); double fmax(double, double); double fmod(double, double);
double remainder(double, double); double copysign(double, double); double fma(double, double, double);
double fdim(double, double); double rint(double); float floorf(float); float sqrtf(float); long double fabsl(long double);
double modf(double, double *); long lrint(double); long lround(double); float fmodf(float, float);
int __isnan(double); int __isinf(double); int __fpclassify(double); int __finite(double);
const unsigned short **__ctype_b_loc(void); int *__errno_location(void);
size_t (*length)(const char *) = strlen;
int main(void) {
    char *p = malloc(10);
    memset(p, 'x', 10);
    p[9] = 0;
? strlen(p) == 9
    strcpy(p, "hello");
? strcmp(p, "hello") == 0 && strcmp(p, "help") < 0 && strcmp("b", "a") > 0
? strncmp(p, "help", 3) == 0 && strncmp(p, "help", 4) < 0
? p[5] == 0 && p[6] == 'x'
    strcat(p, "!!");
? strcmp(p, "hello!!") == 0
    strncat(p, "abc", 1);
? strlen(p) == 8 && p[7] == 'a'
? *strchr(p, 'l') == 'l' && strchr(p, 'l') == p + 2 && strrchr(p, 'l') == p + 3
? strchr(p, 'z') == 0 && strchr(p, 0) == p + 8
    memmove(p + 1, p, 4);
? strncmp(p, "hhell", 5) == 0
? memcmp("abc", "abd", 3) < 0 && memcmp("abc", "abd", 2) == 0
? memchr("abc", 'c', 3) != 0 && memchr("abc", 'd', 3) == 0
    char b[6];
    strncpy(b, "ab", 5);
? b[1] == 'b' && b[2] == 0 && b[4] == 0
    int *z = calloc(4, sizeof(int));
? z[0] == 0 && z[3] == 0
    char *copy = strdup("text");
? strcmp(copy, "text") == 0
    free(copy); free(z); free(p); free(0);
? abs(-5) == 5 && labs(5) == 5
? isalpha('q') && !isalpha('1') && isdigit('7') && isspace('\t') && ispunct('!') && isxdigit('F') && !isxdigit('g')
? tolower('Q') == 'q' && toupper('q') == 'Q' && tolower('1') == '1'
? fabs(-2.5) == 2.5 && fabsl(-2.5L) == 2.5L
? floor(-2.5) == -3 && ceil(-2.5) == -2 && trunc(-2.5) == -2 && round(-2.5) == -3 && round(2.5) == 3
? rint(2.5) == 2 && rint(3.5) == 4 && floorf(1.9f) == 1
? sqrt(2.0) == 1.4142135623730951 && sqrtf(4.0f) == 2
? fmin(1, 2) == 1 && fmax(1, 2) == 2
    double nan = 0.0, inf;
    inf = 1 / nan;
    nan = nan / nan;
? fmin(nan, 3) == 3 && fmax(3, nan) == 3
? fmod(5.5, 2) == 1.5 && fmod(-5.5, 2) == -1.5 && fmod(7, 4) == 3 && fmodf(-7.0f, 4.0f) == -3
? fmod(1e17, 3) == 1
? remainder(7, 4) == -1
? copysign(3, -0.0) == -3
? fma(2, 3, 4) == 10
? fdim(5, 3) == 2 && fdim(3, 5) == 0
    double whole;
? modf(-3.25, &whole) == -0.25 && whole == -3
? lrint(2.5) == 2 && lround(2.5) == 3
? __isnan(nan) && !__isnan(1.0) && __isinf(-inf) == -1 && __isinf(inf) == 1
? __fpclassify(0.0) == 2 && __fpclassify(1.0) == 4 && __fpclassify(nan) == 0 && !__finite(inf)
? ((*__ctype_b_loc())['a'] & 0x200) != 0 && ((*__ctype_b_loc())['5'] & 0x200) == 0
    *__errno_location() = 7;
? *__errno_location() == 7
? length("four") == 4
    int same[3] = { 1, 2, 3 }, other[3];
    memcpy(other, same, sizeof same);
? other[2] == 3
    return 0;
}
----
int fesetround(int); int fegetround(void);
int main(void) {
    volatile double one = 1, three = 3;
    double near = one / three;
? fegetround() == 0
? fesetround(0x800) == 0
    double up = one / three;
? fegetround() == 0x800
    fesetround(0x400);
    double down = one / three;
    fesetround(0);
? up > down && (near == up || near == down)
    return 0;
}
----
typedef unsigned long size_t;
int snprintf(char *, size_t, const char *, ...); int printf(const char *, ...); int rand(void); long time(long *);
int main(void) {
    char buffer[8] = "abcdefg", untouched[4] = "xyz";
    snprintf(buffer, 0, "%d", 5);
? buffer[0] == 'a'
    snprintf(buffer, 4, "%d", 12345678);
? buffer[3] == 0 && buffer[4] == 'e' && untouched[0] == 'x'
? rand() >= 0
    long now, same = time(&now);
? now == same
    printf("");
    return 0;
}
----
typedef unsigned long size_t;
size_t strspn(const char *, const char *); size_t strcspn(const char *, const char *);
char *strpbrk(const char *, const char *); char *strstr(const char *, const char *);
char *strtok(char *, const char *); char *strtok_r(char *, const char *, char **); char *strsep(char **, const char *);
char *strndup(const char *, size_t); int strcmp(const char *, const char *); void free(void *);
int strcasecmp(const char *, const char *); int strncasecmp(const char *, const char *, size_t);
int main(void) {
? strspn("aabbc", "ab") == 4 && strspn("xyz", "ab") == 0 && strspn("ab", "ab") == 2 && strspn("ab", "") == 0
? strcspn("hello, you", ", ") == 5 && strcspn("hello", "xyz") == 5 && strcspn("", "a") == 0
    char text[] = "abcabd";
? strpbrk(text, "dc") == text + 2 && strpbrk(text, "xy") == 0
? strstr(text, "abd") == text + 3 && strstr(text, "") == text && strstr(text, "bd") == text + 4
? strstr(text, "abe") == 0 && strstr("", "a") == 0 && strstr(text, "abcabdx") == 0
? strcasecmp("HeLLo", "hEllO") == 0 && strcasecmp("a", "B") < 0 && strncasecmp("ABx", "aby", 2) == 0
    char list[] = ",a,,bc;d;";
    char *t = strtok(list, ",;");
? t == list + 1 && strcmp(t, "a") == 0
    t = strtok(0, ",;");
? strcmp(t, "bc") == 0
    t = strtok(0, ",;");
? strcmp(t, "d") == 0 && strtok(0, ",;") == 0 && strtok(0, ",;") == 0
    char other[] = "x y", *save;
? strcmp(strtok_r(other, " ", &save), "x") == 0 && save == other + 2
? strcmp(strtok_r(0, " ", &save), "y") == 0 && save == other + 3 && strtok_r(0, " ", &save) == 0
    char fields[] = "p::q", *rest = fields;
? strcmp(strsep(&rest, ":"), "p") == 0 && *strsep(&rest, ":") == 0 && strcmp(strsep(&rest, ":"), "q") == 0
? rest == 0 && strsep(&rest, ":") == 0
    char *copy = strndup("abcdef", 3);
? strcmp(copy, "abc") == 0
    free(copy);
    return 0;
}
----
int atoi(const char *); long atol(const char *); long long atoll(const char *);
long strtol(const char *, char **, int); long long strtoll(const char *, char **, int); int *__errno_location(void);
int main(void) {
? atoi("42") == 42 && atoi(" \t\n-17x") == -17 && atoi("+8") == 8 && atoi("") == 0 && atoi("-") == 0 && atoi("- 1") == 0
? atol("-2147483648") == -2147483648LL && atoi("2147483647") == 2147483647
? atoll("9223372036854775807") == 9223372036854775807LL && atoll("-9223372036854775808") < 0
? atoll("99999999999999999999999") == 9223372036854775807LL && *__errno_location() == 34
    *__errno_location() = 0;
    char *end, text[] = "  123abc", none[] = "  x";
? strtol(text, &end, 10) == 123 && end == text + 5
? strtol(none, &end, 10) == 0 && end == none
? strtoll("-5", 0, 10) == -5 && *__errno_location() == 0
? strtoll("-99999999999999999999", &end, 10) == -9223372036854775807LL - 1 && *end == 0
? *__errno_location() == 34
    return 0;
}
