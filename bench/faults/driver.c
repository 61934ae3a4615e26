/* The environment of the programs in this directory, for runs on a machine: C and C++.
 *
 * Inputs are the numbers of FAULT_INPUT in order, and 0 when there are no more. With FAULT_SEED they
 * are random instead: mostly small, some negative, some as large as can be. The allocation that
 * FAULT_MALLOC names (1 is the first) fails; with a seed, every fourth does. The linker puts the
 * functions `__wrap_…` in the place of the library's (`-Wl,--wrap=malloc` …).
 *
 * A call through a null pointer has lost its caller when the signal comes: sanitizers and valgrind do
 * not name it. So the call is made one of `null_was_called`, which ends the run with its calls.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

static const char *rest;
static unsigned long long state;
static int begun;

static unsigned long long draw(void)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return state >> 33 | state << 31;
}

static void begin(void)
{
    if (begun)
        return;
    begun = 1;
    rest = getenv("FAULT_INPUT");
    const char *seed = getenv("FAULT_SEED");
    if (seed) {
        state = strtoull(seed, 0, 10) * 2 + 1;
        draw();
        draw();
    }
}

static long long input(void)
{
    begin();
    if (!state) {
        char *end;
        long long value = rest ? strtoll(rest, &end, 0) : 0;
        if (rest)
            rest = end;
        return value;
    }
    unsigned long long value = draw(), choice = draw() % 16;
    if (choice < 8)
        return (long long)(value % 12);
    if (choice < 10)
        return -(long long)(value % 12);
    if (choice < 12)
        return (long long)(value % 256);
    if (choice == 12)
        return 0x7fffffff - (long long)(value % 2);
    if (choice == 13)
        return -0x7fffffffLL - 1 + (long long)(value % 2);
    return (long long)value;
}

static int fails(void)
{
    static int count;
    begin();
    if (state)
        return draw() % 4 == 0;
    const char *which = getenv("FAULT_MALLOC");
    return which && ++count == atoi(which);
}

#ifdef __cplusplus
extern "C" {
#endif
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
    return fails() ? 0 : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? 0 : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? 0 : __real_realloc(old, size);
}
#ifdef __cplusplus
}
#endif

int __VERIFIER_nondet_int(void)
{
    return (int)input();
}

unsigned __VERIFIER_nondet_uint(void)
{
    return (unsigned)input();
}

short __VERIFIER_nondet_short(void)
{
    return (short)input();
}

unsigned short __VERIFIER_nondet_ushort(void)
{
    return (unsigned short)input();
}

char __VERIFIER_nondet_char(void)
{
    return (char)input();
}

unsigned char __VERIFIER_nondet_uchar(void)
{
    return (unsigned char)input();
}

long __VERIFIER_nondet_long(void)
{
    return (long)input();
}

unsigned long __VERIFIER_nondet_ulong(void)
{
    return (unsigned long)input();
}

long long __VERIFIER_nondet_longlong(void)
{
    return input();
}

void __VERIFIER_assume(int holds)
{
    if (!holds) {
        fputs("an assumption does not hold\n", stderr);
        exit(0);
    }
}

void reach_error(void)
{
    fputs("reach_error was called\n", stderr);
    abort();
}

static void null_was_called(void)
{
    fputs("null was called\n", stderr);
    abort();
}

static struct sigaction before;

static void invalid(int number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    (void)info;
    if (registers[REG_RIP] == 0)
        registers[REG_RIP] = (greg_t)null_was_called;
    else
        sigaction(number, &before, 0);
}

__attribute__((constructor)) static void prepare(void)
{
    struct sigaction action = {};
    action.sa_sigaction = invalid;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, &before);
}
