int sum(int n, int a[n]) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
int trace(int n, int m[n][n]) { int s = 0; for (int i = 0; i < n; i++) s += m[i][i]; return s; }
int effects;
int count(void) { return ++effects + 2; }
int main(void) {
    int n = 5;
    int a[n];
    for (int i = 0; i < n; i++) a[i] = i * i;
? sizeof a == 5 * sizeof(int)
    n = 9;
? sizeof a == 5 * sizeof(int)
? sum(5, a) == 30
    int b[count()][4];
? effects == 1
? sizeof b == 3 * 4 * sizeof(int) && sizeof b[0] == 4 * sizeof(int)
    b[2][3] = 7;
? *(*(b + 2) + 3) == 7
? &b[2][3] - &b[0][0] == 11
    int total = 0;
    for (int k = 1; k < 4; k++) {
        char row[k];
        for (int j = 0; j < k; j++) row[j] = (char)j;
        total += (int)sizeof row + row[k - 1];
    }
? total == 9
    int square[3][3] = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } };
? trace(3, square) == 15
    typedef int row_t[effects + 1];
    effects = 50;
? sizeof(row_t) == 2 * sizeof(int)
? sizeof(int[effects]) == 50 * sizeof(int)
    goto inside;
    {
        int hidden;
        hidden = 100;
inside:
        hidden = 3;
        total += hidden;
    }
? total == 12
    return 0;
}
----
typedef __typeof__(sizeof 0) size_t;
void *malloc(size_t); void free(void *); void *memset(void *, int, size_t);
struct packet { unsigned char kind; unsigned short length; struct { int x; } items[]; };
union word { unsigned u; float f; unsigned char c[4]; struct { unsigned low : 12, high : 20; }; };
union view { long long whole; int half[2]; struct { short a, b; } s; };
struct tagged { int tag; union { int i; double d; char *s; }; };
double value(struct tagged t) { return t.tag == 0 ? t.i : t.tag == 1 ? t.d : t.s[0]; }
int main(void) {
    struct packet *p = malloc(sizeof *p + 3 * sizeof p->items[0]);
? p != 0
? sizeof *p == 4
    p->kind = 255; p->length = 3;
    for (int i = 0; i < p->length; i++) p->items[i].x = 10 * i;
? p->items[2].x == 20 && p->items[1].x == 10 && p->kind == 255
    free(p);
    union word w = { .f = 1.0f };
? w.u == 0x3f800000u
? w.c[3] == 0x3f && w.c[0] == 0
? w.high == 0x3f800
    w.low = 0xabc;
? w.u == 0x3f800abcu
    w.c[0] = 0;
? w.low == 0xa00
    union view v;
    v.whole = -1;
    v.half[0] = 7;
? v.whole == -4294967289LL
? v.s.a == 7 && v.s.b == 0
    union view copy = v;
    copy.s.b = 1;
? copy.half[0] == 65543 && v.half[0] == 7
    struct tagged t = { 1, { .d = 2.5 } };
? value(t) == 2.5
    t.tag = 0; t.i = -4;
? value(t) == -4
? value((struct tagged){ 2, { .s = "A" } }) == 'A'
    return 0;
}
----
struct s { int x; };
int kind_of(int k) { return k; }
int steps;
int duff(int count) {
    int n = (count + 3) / 4;
    switch (count % 4) {
    case 0: do { steps++;
    case 3: steps++;
    case 2: steps++;
    case 1: steps++;
            } while (--n > 0);
    }
    return steps;
}
int classify(int x) {
    int r = 0;
    switch (x) {
    case 1: r += 1;
    case 2: r += 2; break;
    case 10 ... 20: r = 50;
    default: r += 100;
    case -1: r += 1000;
    }
    return r;
}
old(a, b, c) char a; unsigned char b; { return a + b + c; }
int main(void) {
? _Generic(1, int: 1, default: 2) == 1
? _Generic(1L, int: 1, long: 2) == 2
? _Generic("x", char *: 3, default: 4) == 3
? _Generic((const int){ 1 }, int: 5, default: 6) == 5
? _Generic(&(struct s){ 1 }, struct s *: 7, default: 8) == 7
? _Generic(kind_of, int (*)(int): 9, default: 10) == 9
? _Generic((char)1, signed char: 1, unsigned char: 2, char: 3) == 3
    _Static_assert(sizeof(struct s) == sizeof(int), "size");
? duff(11) == 11
? classify(1) == 3 && classify(2) == 2 && classify(15) == 1150 && classify(7) == 1100
? classify(-1) == 1000
? old(-1, 300, 5) == 48
? ({ int t = 3; t *= 2; t + 1; }) == 7
    int x = 4;
? (x ?: 9) == 4 && (0 ?: 9) == 9
    typeof(x) y = 1;
    __auto_type z = 2.5;
? y + (int)(z * 2) == 6
    int round = 0;
again:
    if (round < 3) { round++; goto again; }
? round == 3
    if (0) {
middle:
        round += 10;
    } else if (round == 3) {
        round++;
        goto middle;
    }
? round == 14
    return 0;
}
