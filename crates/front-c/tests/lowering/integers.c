int g = 5;
unsigned char uc = 250;
static long long counter;
_Bool flag;
enum colour { RED, GREEN = 7, BLUE } paint = BLUE;
int main(void) {
    int a = 7, b = -2;
    unsigned u = 3000000000u;
    signed char c = -100;
    short s = 30000;
? a / b == -3
? a % b == 1
? -7 / 2 == -3
? -7 % 2 == -1
? u / 7 == 428571428u
? (int)(u >> 3) == 375000000
? (b >> 1) == -1
? (a << 3) == 56
? (signed char)(c - 100) == 56
? (short)(s + 10000) == -25536
    uc += 10;
? uc == 4
    uc++;
    uc = uc << 6;
? uc == 64
? g++ + g == 11
? g-- == 6
? --g == 4
    flag = 17;
? flag == 1
    flag = 0.25;
? flag
    flag += 5;
? flag == 1
    flag--;
? flag == 0
? paint == 8
    paint = GREEN;
? paint == 7
? sizeof(paint) == 4
    counter = 1LL << 40;
? (counter >> 38) == 4
? (a < b) + (b < a) == 1
? ((a < b) | (a != b)) == 1
? (a > 0 && b > 0) == 0
? (a > 0 || b > 0) == 1
? !a == 0
? ~a == -8
? -b == 2
? (a, b) == -2
? (a > 3 ? 10 : 20) == 10
? (a ?: 3) == 7
? (0 ?: 3) == 3
? (unsigned char)300 == 44
? (unsigned)-1 > 0
? -1 < (long long)0
? (u > -1) == 0
? (char)200 == -56
? 1u << 31 == 2147483648u
? (a ^ 3) == 4
? (a & -2 | 8) == 14
    a = b = 9;
? a == 9 && b == 9
    a += b *= 2;
? a == 27 && b == 18
    a -= 7; a /= 3; a %= 4;
? a == 2
    int x = 1;
    x = x++ + 1;
? (unsigned long long)-1 == 18446744073709551615ull
? (long long)(unsigned)-1 == 4294967295ll
? __builtin_popcount(0xF0F0u) == 8
? __builtin_clz(1) == 31
? __builtin_ctz(8) == 3
? __builtin_ffs(0) == 0
? __builtin_ffs(16) == 5
? __builtin_parity(7) == 1
? __builtin_clrsb(-1) == 31
? __builtin_bswap32(0x01020304) == 0x04030201
? __builtin_bswap16(0x0102) == 0x0201
    int r;
? __builtin_add_overflow(2147483647, 1, &r)
? r == -2147483647 - 1
? !__builtin_mul_overflow(46340, 46340, &r)
? r == 2147395600
? __builtin_sub_overflow(0u, 1u, &u)
? u == 4294967295u
    unsigned char small;
? __builtin_add_overflow(200, 100, &small)
? small == 44
    return 0;
}
----
struct bits { int a : 3; unsigned b : 5; _Bool c : 1; long long d : 40; unsigned e : 32; } s;
struct odd { unsigned char x : 4, y : 4; unsigned z : 17; } __attribute__((packed));
int main(void) {
    s.a = 3;
? s.a == 3
    s.a = 5;
? s.a == -3
    s.b = 37;
? s.b == 5
    s.c = 4;
? s.c == 1
    s.d = -5;
? s.d == -5
    s.d = 0x7fffffffffll;
? s.d + 1 == -0x8000000000ll || s.d + 1 == 0x8000000000ll
? s.e == 0
    s.e = 0xdeadbeef;
? s.a == -3 && s.b == 5 && s.c == 1 && s.e == 0xdeadbeef
? s.b++ == 5
? s.b == 6
? (s.a = 6) == -2
? (s.b += 30) == 4
    struct odd o = { 9, 10, 70000 };
? o.x == 9 && o.y == 10 && o.z == 70000
    o.x = 1;
    o.z = o.z + 1;
? *(unsigned char *)&o == 0xa1
? o.z == 70001
    struct odd p = o;
? p.z == 70001 && p.y == 10
    static struct bits t = { -1, 9, 1, 3, 4 };
? t.a == -1 && t.b == 9 && t.c && t.d == 3 && t.e == 4
    struct { signed int one : 1; } q = { 0 };
    q.one = 1 == 1;
? q.one == -1
    return 0;
}
