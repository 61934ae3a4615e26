typedef __typeof__(sizeof 0) size_t;
void *malloc(size_t);
void *calloc(size_t, size_t);
void free(void *);
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);
size_t strlen(const char *);
int strcmp(const char *, const char *);

static unsigned long long checksum;
/* Every loop of an impure function and every call of one takes some, so that all ends soon. */
static int fuel;

static void mix(unsigned long long value)
{
    checksum = (checksum ^ value) * 0x100000001b3ull;
    checksum ^= checksum >> 29;
}

/* All NaNs are one: their sign and payload depend on the machine. */
static void mix_double(double value)
{
    union { double number; unsigned long long bits; } both;
    if (value != value) {
        mix(0x7ff8000000000000ull);
        return;
    }
    both.number = value;
    mix(both.bits);
}

static void mix_float(float value)
{
    union { float number; unsigned bits; } both;
    if (value != value) {
        mix(0x7fc00000u);
        return;
    }
    both.number = value;
    mix(both.bits);
}

/* Conversions that are defined for every number. */
static int to_int(double value)
{
    return value > -2e9 && value < 2e9 ? (int)value : 3;
}

static signed char to_char(float value)
{
    return value >= -128 && value <= 127 ? (signed char)value : 4;
}

static long long to_long(double value)
{
    return value > -9e18 && value < 9e18 ? (long long)value : 5;
}

static unsigned long long to_unsigned(double value)
{
    return value > -0.5 && value < 1.8e19 ? (unsigned long long)value : 6;
}

static float float_of(unsigned bits)
{
    union { unsigned bits; float number; } both;
    both.bits = (bits >> 23 & 255) == 255 ? bits ^ 0x20000000u : bits;
    return both.number;
}

static double double_of(unsigned long long bits)
{
    double number;
    if ((bits >> 52 & 2047) == 2047)
        bits ^= 1ull << 60;
    memcpy(&number, &bits, sizeof number);
    return number;
}
