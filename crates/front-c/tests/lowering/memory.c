typedef unsigned long size;
struct point { int x, y; };
struct line { struct point from, to; char name[6]; };
union word { int i; unsigned char b[4]; short h; float f; };
int table[3][4] = { { 1, 2 }, [2] = { [1] = 5, 6 } };
struct line fixed = { .to = { 3, 4 }, .name = "abcde" };
int *where = &table[2][1];
char *words[] = { "zero", "one", "two" };
struct point points[] = { { 1, 2 }, { 3, 4 }, { .y = 9 } };
int spread[10] = { [2 ... 5] = 7, [4] = 8 };
const char text[] = "text";
struct node { int value; struct node *next; };
struct node third = { 3 }, second = { 2, &third }, first = { 1, &second };
char *inner = &fixed.name[2];
long difference = sizeof(struct line);
int sum(int *p, int n) { int s = 0; while (n--) s += *p++; return s; }
void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
struct point mirrored(struct point p) { struct point q = { p.y, p.x }; return q; }
struct line longer(struct line l, int by) { l.to.x += by; l.name[0] = 'Z'; return l; }
int main(void) {
? table[0][1] == 2 && table[1][0] == 0 && table[2][2] == 6
? *where == 5
    *where = 50;
? table[2][1] == 50
? fixed.to.y == 4 && fixed.name[4] == 'e' && fixed.name[5] == 0
? words[1][2] == 'e'
? points[2].x == 0 && points[2].y == 9
? spread[1] == 0 && spread[3] == 7 && spread[4] == 8 && spread[5] == 7 && spread[6] == 0
? sizeof text == 5 && text[3] == 't'
? first.next->next->value == 3
? *inner == 'c'
? sum(table[0], 12) == 59
    int a = 1, b = 2;
    swap(&a, &b);
? a == 2 && b == 1
    struct point p = { 10, 20 }, q;
    q = mirrored(p);
? q.x == 20 && q.y == 10
    p = (struct point){ q.y + 1, q.x + 1 };
? p.x == 11 && p.y == 21
    p = (struct point){ p.y, p.x };
? p.x == 21 && p.y == 11
? mirrored(mirrored(p)).x == 21
    struct line l = longer(fixed, 5);
? l.to.x == 8 && l.name[0] == 'Z' && fixed.to.x == 3 && fixed.name[0] == 'a'
? longer(l, 2).to.x == 10
    struct line *pl = &l;
    pl->from = p;
? l.from.x == 21
    l.to = pl->from;
? l.to.y == 11
    union word w;
    w.i = 0x01020304;
? w.b[0] == 4 && w.b[3] == 1 && w.h == 0x0304
    w.b[1] = 0xff;
? w.i == 0x0102ff04
    w.f = 1.0f;
? w.i == 0x3f800000
    int local[5] = { 1, 2, 3 };
? local[2] == 3 && local[4] == 0
    int *end = local + 5;
? end - local == 5
? &local[4] > &local[1]
? *(end - 3) == 3
? end[-5] == 1
    char buffer[8] = "hi";
? buffer[1] == 'i' && buffer[2] == 0 && buffer[7] == 0
    char longtext[40] = "a text of more than sixteen characters";
? longtext[37] == 's' && longtext[38] == 0
    *(short *)(buffer + 2) = 0x4142;
? buffer[2] == 'B' && buffer[3] == 'A'
    int n = 4;
    int vla[n][n + 1];
    vla[3][4] = 77;
    vla[0][0] = 1;
? sizeof vla == 4 * 5 * sizeof(int)
? vla[3][4] + vla[0][0] == 78
    int *row = vla[3];
? row[4] == 77
    for (int i = 1; i < 4; i++) { char temporary[i]; temporary[i - 1] = i; n += temporary[i - 1]; }
? n == 10
    int *lit = (int[]){ 4, 5, 6 };
    lit[1]++;
? lit[0] + lit[1] + lit[2] == 16
    struct point *heap = __builtin_malloc(3 * sizeof *heap);
    heap[2] = p;
    heap->x = heap[2].y;
? heap->x == 11
    __builtin_free(heap);
    int i = 0;
    local[i++] = i + 10;
? i == 1
    i = 1;
    local[i] += local[i + 1];
? local[1] == 5
? local[1]++ == 5 && local[1] == 6
? (&points[0])->y == 2
? ((struct point *)&l)->x == 21
    void *v = &a;
? *(int *)v == 2
? *(unsigned char *)v == 2
    char **pp = words;
    pp++;
? **pp == 'o'
    struct { char c; struct point in; } nested = { 'x', { 5, 6 } };
? nested.in.y == 6
    nested.in = p;
? nested.in.x == 21 && nested.c == 'x'
    static int kept = 3;
    static struct point kept2 = { 4, 5 };
    kept++; kept2.x += kept;
? kept2.x == 8
    _Bool truths[2] = { 0 };
    truths[1] = 9;
? truths[1] == 1 && *(char *)&truths[1] == 1
    long long wide[2] = { -1, 1LL << 40 };
? ((int *)wide)[3] == 256
? n ? p.x == 21 : q.x
    struct line chosen = n > 5 ? l : fixed;
? chosen.name[0] == 'Z'
    struct point either = n > 50 ? p : (struct point){ 1, 2 };
? either.y == 2
    return 0;
}
----
struct flexible { int n; int data[]; };
struct flexible f = { 3, { 1, 2, 3 } };
struct outer { struct { int a; union { int b; float c; }; }; int d[2]; } o = { { 1, { 2 } }, { 3, 4 } };
int shared = 4;
int *pick(int which) { static int own[2] = { 5, 6 }; return which ? &own[1] : &shared; }
int main(void) {
? f.data[2] == 3
? o.a == 1 && o.b == 2 && o.d[1] == 4
    struct outer copy = o;
    copy.b = 9;
? o.b == 2 && copy.b == 9 && copy.d[0] == 3
    *pick(0) = 8; *pick(1) += 2;
? shared == 8 && *pick(1) == 8
    int x = 5, *p = &x, **q = &p;
    **q = 7;
? x == 7
    *p++;
    p--;
    (*p)++;
? x == 8
    int a[3] = { 1, 2, 3 }, *e = a;
    *e++ = 10; *++e = 30;
? a[0] == 10 && a[1] == 2 && a[2] == 30
? e - a == 2
    struct flexible *h = __builtin_malloc(sizeof *h + 4 * sizeof(int));
    h->n = 4;
    for (int i = 0; i < h->n; i++) h->data[i] = i * i;
? h->data[3] == 9
    __builtin_free(h);
    int m = 1;
    int r = __sync_fetch_and_add(&m, 5);
? r == 1 && m == 6
? __sync_bool_compare_and_swap(&m, 6, 10) && m == 10
? __sync_val_compare_and_swap(&m, 7, 11) == 10 && m == 10
? __atomic_add_fetch(&m, 1, 5) == 11
? __atomic_exchange_n(&m, 3, 5) == 11 && m == 3
    int want = 3;
? __atomic_compare_exchange_n(&m, &want, 4, 0, 5, 5) && m == 4
? !__atomic_compare_exchange_n(&m, &want, 9, 0, 5, 5) && want == 4
    return 0;
}
