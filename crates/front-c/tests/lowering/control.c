int calls;
int bump(void) { return ++calls; }
int classify(int n) {
    switch (n) {
    case 0: return 10;
    case 1:
    case 2: n += 5;
    case 3: n++; break;
    case 10 ... 20: return 99;
    default: n = -1;
    }
    return n;
}
int main(void) {
    int i, sum = 0;
    for (i = 0; i < 10; i++) { if (i == 3) continue; if (i == 7) break; sum += i; }
? i == 7 && sum == 18
    while (sum > 0) { sum -= 5; if (sum == 3) goto out; }
    sum = 100;
out:
? sum == 3
    do { sum--; } while (sum > 0);
? sum == 0
? classify(0) == 10
? classify(1) == 7
? classify(2) == 8
? classify(3) == 4
? classify(15) == 99
? classify(21) == -1
    if (bump() == 1 || bump()) sum = 1;
? calls == 1
    if (bump() == 1 && bump()) sum = 2;
? calls == 2 && sum == 1
    if (!(bump() == 3 && (bump() == 4 || bump()))) return 1;
? calls == 4
    sum = bump() > 100 ? bump() : bump() + 100;
? calls == 6 && sum == 106
    sum = (bump() ?: 7) + (0 ?: bump());
? sum == 15
    int a = 3;
    { int a = 4; sum = a; }
? sum == 4 && a == 3
    int n = 0;
again:
    n++;
    if (n < 5) goto again;
? n == 5
    switch (n) { int hidden; case 5: hidden = 3; n = hidden; }
? n == 3
    for (int j = 0, k = 10; j < k; j++, k--) n++;
? n == 8
    sum = ({ int t = n; t * 2; });
? sum == 16
    sum = 0;
    for (;;) { switch (sum) { case 4: goto done; default: sum++; continue; } }
done:
? sum == 4
    i = 0;
    switch (3) { case 1: while (i < 5) { case 3: i++; } }
? i == 5
    sum = 0; i = 5;
    do switch (i % 4) { case 0: sum += 100; case 3: sum += 10; case 2: sum += 1; case 1: sum += 1000; } while (--i > 0);
? sum == 1000 * 5 + 1 * 3 + 10 * 2 + 100
    goto into;
    { int skipped = 5; into: skipped = 6; sum = skipped; }
? sum == 6
    return 0;
}
----
int f(int d) { int local[2] = { d, d + 1 }; if (d == 0) return local[1]; return f(d - 1) + local[0]; }
static int even(unsigned n);
static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
static int order;
__attribute__((constructor)) static void early(void) { order = 41; }
int main(void) {
? order++ == 41
? f(4) == 11
? even(10) && odd(7) && !even(3)
    int total = 0;
    for (int i = 0; i < 3; i++) { int block[4]; block[i] = i; total += block[i]; if (i == 1) continue; total += 10; }
? total == 23
    for (int i = 0; i < 5; i++) { int *p = &i; if (*p == 3) break; { char c[2]; c[0] = *p; if (c[0] == 2) goto next; } next: total++; }
? total == 26
    return 0;
}
