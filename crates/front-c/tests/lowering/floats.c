float f = 0.1f;
double d = 0.1;
long double ld = 0.1L;
double array[3] = { 1.5, -2.5 };
struct mix { float a; double b; long double c; } m = { 1, 2, 3 };
int main(void) {
? f != d
? (double)f == 0.100000001490116119384765625
? f * 10 == 1.0
? d + 0.2 != 0.3
? d + 0.2 == 0.30000000000000004
? array[0] + array[1] == -1
? 1.0 / 3 * 3 == 1.0
    double zero = 0, inf = 1 / zero, nan = zero / zero;
? inf > 1e308 && -inf < 0
? nan != nan && !(nan == nan) && !(nan < 1) && !(nan > 1)
? __builtin_isnan(nan) && !__builtin_isnan(inf)
? __builtin_isinf_sign(-inf) == -1
? !__builtin_isfinite(inf) && __builtin_isfinite(d)
? __builtin_signbit(-zero) != 0
? __builtin_isless(1.0, 2.0) && !__builtin_isless(nan, 2.0)
? __builtin_isunordered(nan, 1.0)
? __builtin_fpclassify(0, 1, 4, 3, 2, zero) == 2
    volatile double big = 1e20, neg = -3.7, small = 300.9, m1 = -1.5;
? (int)neg == -3
? (int)big == -2147483647 - 1
? (long long)big == -9223372036854775807ll - 1
? (unsigned char)small == 44
? (unsigned)3e9 == 3000000000u
    volatile double three = 3e9, huge = 1e19;
? (unsigned)three == 3000000000u
? (unsigned long long)huge == 10000000000000000000ull
? (signed char)neg == -3
? (_Bool)0.1 == 1
    volatile float ff = 16777217;
? ff == 16777216
? (float)16777217 == 16777216.0f
? (double)9007199254740993ll == 9007199254740992.0
? (float)-5 == -5.0f
? (double)18446744073709551615ull == 18446744073709551616.0
? ld * 10 == 1.0L
? (double)ld == 0.1
    long double x = ld;
    x += 1;
? x > 1.09L && x < 1.11L
    m.c = x;
    m.a += 0.5f;
? m.a == 1.5f && m.b == 2 && m.c == x
    long double third = 1.0L / 3;
? (double)third != third
? third * 3 == 1
    char bytes[sizeof(double)];
    *(double *)bytes = -2.0;
? bytes[7] == (char)0xc0 && bytes[6] == 0
    float *pf = &m.a;
    *pf *= 2;
? m.a == 3
    d = 5;
    d -= 0.5;
    int i = 7;
    i *= 0.5;
? i == 3
    i += 2.9;
? i == 5
    d++;
? d == 5.5
? -d == -5.5
? !d == 0
? (d ? 1 : 2) == 1
    float h = 1e-45f;
? h > 0 && h / 2 == 0
? (1e308 * 10) == inf
    unsigned u = 4000000000u;
? (float)u == 4e9f
? u * 1.0 == 4e9
? (int)(0.1f + 0.2f == 0.3f) + (0.1 + 0.2 == 0.3) >= 0
    unsigned long long none = 0;
? 1 / (0.0 - (double)none) > 0 && 1 / -(double)none < 0
    return 0;
}
