typedef __int128 wide;
typedef unsigned __int128 uwide;
wide power(int n) { wide r = 1; while (n--) r *= 10; return r; }
struct holder { char c; wide w; } held = { 1, -5 };
int main(void) {
? sizeof(wide) == 16 && sizeof held == 32
    wide a = (wide)1 << 100;
? a >> 98 == 4
? (long long)(a >> 64) == 1LL << 36
? (unsigned long)a == 0
? held.w + 5 == 0
? (uwide)-1 / 3 > (uwide)1 << 120
? -power(30) / power(29) == -10
? -power(30) % 7 == -(power(30) % 7)
    uwide u = (uwide)0xffffffffffffffffULL * 0xffffffffffffffffULL;
? (unsigned long)u == 1 && (unsigned long)(u >> 64) == 0xfffffffffffffffeULL
    double d = a;
? d == 1267650600228229401496703205376.0
? (wide)-2.75 == -2
? (wide)(int)-1 == -1 && (wide)(unsigned)-1 == 4294967295LL
    struct holder copy = held;
    copy.w *= copy.w;
? copy.w == 25 && copy.c == 1
    long big = 0x7fffffffffffffffL;
? (wide)big + 1 > big
? (_Bool)((wide)1 << 90) == 1
    return 0;
}
