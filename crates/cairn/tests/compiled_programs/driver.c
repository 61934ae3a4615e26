/* Runs the programs of a batch on all their inputs, or on given ones, and prints what each run did.
 *
 * Without an argument, inputs are enumerated: `choose` hands out the values of a sequence, and after
 * the run the last value that can grow grows. With an argument, the sequences come from that file,
 * a line each: the program's number, how many values, and the values.
 *
 * A line is printed for each run: the program's number, how it ended (`.`: it ended, `U`: it died),
 * its inputs, and behind each `;` a probe with the two values that it saw; `X` instead of the ending
 * says that the program has too many runs, inputs or probes, or a run that takes too long. Runs go
 * on in one child until it dies, which is what instrumented programs do when a run is undefined;
 * what a run knows lies in memory that is shared with the parent. Static objects are set back after
 * each run.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern int (*const programs[])(void);
extern const int program_count;

enum { RUNS = 600, INPUTS = 24, EVENTS = 48, SECONDS = 3, CAPACITY = 1 << 28 };

struct sequence {
    int program, length, value[INPUTS];
};

struct shared {
    int done, excess, runs;
    /* The inputs of the run: how many were asked for, and the last value of each. */
    struct sequence inputs;
    int asked, last[INPUTS];
    /* The next of the given sequences. */
    int next;
    int events;
    struct { int probe; long left, right; } event[EVENTS];
    size_t used;
    char text[CAPACITY];
};

static struct shared *shared;
static struct sequence *given;
static int given_count;
static jmp_buf end;

/* Writable static memory, as linkers call it, and a copy of it. */
extern char __data_start[], _edata[], __bss_start[], _end[];
static char *copy_of_data, *copy_of_bss;

/* Not by `memcpy`, which the address sanitizer would look at. */
static void move(char *to, const char *from, size_t length)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(length) : : "memory");
}

static void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    shared->used += vsnprintf(shared->text + shared->used, CAPACITY - shared->used, format, arguments);
    va_end(arguments);
}

/* Ends a run that can't be told. */
static void exceed(void)
{
    shared->excess = 1;
    longjmp(end, 1);
}

long choose(long first, long last)
{
    int at = shared->asked;
    if (at == INPUTS)
        exceed();
    if (at >= shared->inputs.length) {
        shared->inputs.value[at] = 0;
        shared->inputs.length = at + 1;
    }
    shared->last[at] = last - first;
    shared->asked++;
    return shared->inputs.value[at] <= last - first ? first + shared->inputs.value[at] : first;
}

void probe(int number, long left, long right)
{
    if (shared->events == EVENTS)
        exceed();
    shared->event[shared->events].probe = number;
    shared->event[shared->events].left = left;
    shared->event[shared->events++].right = right;
}

void __VERIFIER_assume(int condition)
{
    if (!condition)
        longjmp(end, 1);
}

/* Called by the address sanitizer before it reports. */
void __asan_on_error(void)
{
    _exit(1);
}

/* A block without bytes has one for the address sanitizers, which is taken back. */
void __asan_poison_memory_region(const volatile void *, size_t) __attribute__((weak));

static void *without_bytes(void *block)
{
    if (block && __asan_poison_memory_region)
        __asan_poison_memory_region(block, 1);
    return block;
}

/* What the programs call as `malloc` and `calloc`, by the linker's option `--wrap`. */
void *__real_malloc(size_t), *__real_calloc(size_t, size_t);

void *__wrap_malloc(size_t size)
{
    void *block = __real_malloc(size);
    return size ? block : without_bytes(block);
}

void *__wrap_calloc(size_t count, size_t size)
{
    void *block = __real_calloc(count, size);
    return count && size ? block : without_bytes(block);
}

static void record(int program, char ending)
{
    say("%d %c", program, ending);
    for (int i = 0; i < shared->asked; i++)
        say(" %d", shared->inputs.value[i]);
    for (int i = 0; i < shared->events; i++)
        say(" ; %d %ld %ld", shared->event[i].probe, shared->event[i].left, shared->event[i].right);
    say("\n");
}

static void take_given(int program)
{
    if (shared->next == given_count || given[shared->next].program != program)
        shared->done = 1;
    else
        shared->inputs = given[shared->next++];
}

static void advance(int program)
{
    struct sequence *inputs = &shared->inputs;
    int length = shared->asked;
    if (++shared->runs > RUNS)
        shared->excess = 1;
    shared->asked = shared->events = 0;
    if (given) {
        take_given(program);
        return;
    }
    while (length > 0 && inputs->value[length - 1] == shared->last[length - 1])
        length--;
    inputs->length = length;
    if (length > 0)
        inputs->value[length - 1]++;
    else
        shared->done = 1;
}

static void run_in_child(int program)
{
    while (!shared->done && !shared->excess) {
        alarm(SECONDS);
        if (!setjmp(end))
            programs[program]();
        record(program, '.');
        move(__data_start, copy_of_data, _edata - __data_start);
        move(__bss_start, copy_of_bss, _end - __bss_start);
        advance(program);
    }
    _exit(0);
}

static void run_all(int program)
{
    size_t before = shared->used;
    shared->done = shared->excess = shared->runs = 0;
    shared->inputs.length = shared->asked = shared->events = 0;
    if (given)
        take_given(program);
    while (!shared->done && !shared->excess) {
        int status;
        pid_t child = fork();
        if (child == 0)
            run_in_child(program);
        waitpid(child, &status, 0);
        if (status == 0)
            break;
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
            shared->excess = 1;
        record(program, 'U');
        advance(program);
    }
    if (shared->excess) {
        shared->used = before;
        say("%d X\n", program);
        while (given && !shared->done)
            take_given(program);
    }
}

static int read_given(const char *name)
{
    struct sequence one;
    FILE *file = fopen(name, "r");
    int room = 1024;
    if (!file)
        return 0;
    given = malloc(room * sizeof *given);
    while (fscanf(file, "%d %d", &one.program, &one.length) == 2 && one.length <= INPUTS) {
        for (int i = 0; i < one.length; i++)
            if (fscanf(file, "%d", &one.value[i]) != 1)
                return 0;
        if (given_count == room)
            given = realloc(given, (room *= 2) * sizeof *given);
        given[given_count++] = one;
    }
    return 1;
}

int main(int count, char **arguments)
{
    size_t data = _edata - __data_start, bss = _end - __bss_start;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (shared == MAP_FAILED || (count > 1 && !read_given(arguments[1])))
        return 1;
    copy_of_data = malloc(data + 1);
    copy_of_bss = malloc(bss + 1);
    move(copy_of_data, __data_start, data);
    move(copy_of_bss, __bss_start, bss);
    for (int program = 0; program < program_count; program++)
        run_all(program);
    fwrite(shared->text, 1, shared->used, stdout);
    return 0;
}
