typedef __builtin_va_list va_list;
int twice(int x) { return 2 * x; }
int thrice(int x) { return 3 * x; }
int apply(int (*f)(int), int x) { return f(x); }
int (*table[2])(int) = { twice, thrice };
struct ops { int (*run)(int); int extra; } ops = { thrice, 4 };
int add(int count, ...) {
    va_list list;
    __builtin_va_start(list, count);
    int sum = 0;
    for (int i = 0; i < count; i++) sum += __builtin_va_arg(list, int);
    __builtin_va_end(list);
    return sum;
}
struct pair { long long a; int b; };
struct big { int v[10]; };
double mixed(const char *kinds, ...) {
    va_list list, again;
    __builtin_va_start(list, kinds);
    __builtin_va_copy(again, list);
    double sum = 0;
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'i': sum += __builtin_va_arg(list, int); break;
        case 'd': sum += __builtin_va_arg(list, double); break;
        case 'l': sum += __builtin_va_arg(list, long long); break;
        case 'p': sum += *__builtin_va_arg(list, int *); break;
        case 's': { struct pair p = __builtin_va_arg(list, struct pair); sum += p.a + p.b; break; }
        case 'b': sum += __builtin_va_arg(list, struct big).v[9]; break;
        }
    sum += __builtin_va_arg(again, int);
    return sum;
}
int forward(int n, va_list list) { int s = 0; while (n--) s += __builtin_va_arg(list, int); return s; }
int outer(int n, ...) { va_list l; __builtin_va_start(l, n); int r = forward(n, l); __builtin_va_end(l); return r; }
int old(a, c, f) int a; char c; float f; { return a + c + (int)(f * 2); }
struct pair make(int a, int b) { struct pair p = { a, b }; return p; }
struct big fill(int x) { struct big b; for (int i = 0; i < 10; i++) b.v[i] = x + i; return b; }
int total(struct big b) { int s = 0; for (int i = 0; i < 10; i++) { s += b.v[i]; b.v[i] = 0; } return s; }
int escape(struct pair p) { long long *q = &p.a; *q += 1; return p.a + p.b; }
int narrow(char c, short s, unsigned char u) { return c + s + u; }
void nothing(void) {}
int global = 1;
int next(void) { return global++; }
int order(int a, int b) { return a * 10 + b; }
int main(void) {
? apply(twice, 4) == 8
? apply(&thrice, 4) == 12
? table[1](5) == 15
? (*table[0])(5) == 10
? ops.run(ops.extra) == 12
    struct ops *o = &ops;
? o->run(2) == 6
? (global ? twice : thrice)(3) == 6
    int (*f)(int) = twice;
? f == table[0] && f != thrice
    f = thrice;
? f(1) == 3
? add(3, 10, 20, 30) == 60
? add(0) == 0
    int five = 5;
    struct pair p = { 1000000000000ll, 7 };
    struct big b = fill(3);
? mixed("idlpsb", 1, 2.5, 4ll, &five, p, b) == 1 + 2.5 + 4 + 5 + 1000000000007.0 + 12 + 1
? outer(2, 40, 2) == 42
? old(1, 2, 1.5f) == 6
    int (*k)() = old;
? k(1, 2, 1.5) == 6
? make(3, 4).b == 4
? total(b) == 75 && b.v[0] == 3
? fill(7).v[2] == 9
? total(fill(0)) == 45
? escape(make(1, 2)) == 4
? narrow(300, 70000, 257) == 44 + 4464 + 1
    nothing();
    struct pair ps[2] = { make(1, 2), make(3, 4) };
? ps[1].a == 3
    ps[0] = make(8, 9);
? ps[0].b == 9
    struct big (*fb)(int) = fill;
? fb(1).v[1] == 2
    int x = next();
    x = x * 10 + next();
? x == 12
    const char *name = __func__;
? name[0] == 'm' && name[4] == 0
    return 0;
}
