//! What is the same in all suites.

/// What it calls, and the vectors.
pub const HOOKS: &str = "\
extern int dprintf(int, const char *, ...);
extern void exit(int) __attribute__((noreturn));
extern int fork(void);
extern int waitpid(int, int *, int);
extern unsigned alarm(unsigned);

#define CAIRN_QUIET __attribute__((no_sanitize_thread))
/* Writes a value, also where the program may not. */
#define CAIRN_SET(to, value) \\
  do { \\
    __typeof__(value) cairn_new = (value); \\
    __builtin_memcpy((void *)&(to), &cairn_new, sizeof cairn_new); \\
  } while (0)
/* What is a pointer points to zeros. */
#define CAIRN_ALLOCATE(pointer, bytes) \\
  do { \\
    if (__builtin_classify_type(pointer) == 5) CAIRN_SET(pointer, __builtin_calloc(1, bytes)); \\
  } while (0)
struct cairn_value { int source; unsigned long long bits; int taken; };
struct cairn_expected { int cycle, variable; unsigned long long bits; };
struct cairn_vector {
  struct cairn_value *values;
  const int *cycles;
  const struct cairn_expected *expected;
  int count, refused, loose;
};

";

/// The values of a vector are taken.
pub const QUEUE: &str = "\
static const struct cairn_vector *cairn_now;
/* The first value that is not taken. */
static struct cairn_value *cairn_next;
static int cairn_number, cairn_cycle, cairn_failed, cairn_by_order;

CAIRN_QUIET static void cairn_compare(int variable, unsigned long long bits, double tolerance);
CAIRN_QUIET static int cairn_is_read(int source, volatile void *address);

CAIRN_QUIET static void cairn_end_cycle(void) {
  static const struct cairn_expected *left;
  if (!left)
    left = cairn_now->expected;
  for (++cairn_cycle; left->cycle && left->cycle <= cairn_cycle; left++)
    cairn_compare(left->variable, left->bits, cairn_now->loose ? 1e-3 : 0);
}

/* The next value of the cycle for this source, or for a read at an address. */
CAIRN_QUIET static unsigned long long cairn_find(int source, void *address) {
  while (cairn_by_order && cairn_cycle + 1 < cairn_now->count
         && cairn_next - cairn_now->values >= cairn_now->cycles[cairn_cycle])
    cairn_end_cycle();
  if (cairn_next->source < 0) {
    if (cairn_by_order)
      cairn_end_cycle();
    exit(cairn_failed);
  }
  struct cairn_value *end = cairn_now->values + cairn_now->cycles[cairn_cycle], *value = cairn_next;
  while (value < end && (value->taken || (address ? !cairn_is_read(value->source, address) : value->source != source)))
    value++;
  /* Where an assumption ends the vector, what comes before it may come in another order. */
  if (value >= end && cairn_now->refused && cairn_cycle + 1 >= cairn_now->count)
    exit(cairn_failed);
  if (value >= end) {
    dprintf(2, \"vector %d, cycle %d: a value is taken that the cycle does not have\\n\", cairn_number, cairn_cycle + 1);
    exit(2);
  }
  value->taken = 1;
  while (cairn_next->taken)
    cairn_next++;
  return value->bits;
}

static unsigned long long cairn_take(int source) {
  return cairn_find(source, 0);
}

/* What the next value is for; nothing at the end of the cycle. */
static int cairn_due(void) {
  int over = cairn_next - cairn_now->values >= cairn_now->cycles[cairn_cycle];
  return over && !cairn_by_order ? -1 : cairn_next->source;
}

static float cairn_float(unsigned long long bits) {
  union { unsigned bits; float value; } both = { (unsigned)bits };
  return both.value;
}

static double cairn_double(unsigned long long bits) {
  union { unsigned long long bits; double value; } both = { bits };
  return both.value;
}

static void cairn_wrong(const char *name) {
  dprintf(2, \"vector %d, cycle %d: %s is not as expected\\n\", cairn_number, cairn_cycle, name);
  cairn_failed = 1;
}

#define CAIRN_BITS(place, expected) \\
  do { \\
    unsigned long long cairn_mask = sizeof(place) >= 8 ? ~0ULL : (1ULL << 8 * sizeof(place)) - 1; \\
    if (((unsigned long long)(place) & cairn_mask) != ((expected) & cairn_mask)) cairn_wrong(#place); \\
  } while (0)
#define CAIRN_NUMBER(place, expected, tolerance) \\
  do { \\
    double cairn_is = (place), cairn_be = (expected); \\
    double cairn_off = cairn_is < cairn_be ? cairn_be - cairn_is : cairn_is - cairn_be; \\
    double cairn_size = cairn_be < 0 ? -cairn_be : cairn_be; \\
    int cairn_near = cairn_size < 1e300 && cairn_off <= (tolerance) * (1 + cairn_size); \\
    int cairn_both = cairn_be != cairn_be && cairn_is != cairn_is; \\
    if (cairn_is != cairn_be && !cairn_near && !cairn_both) cairn_wrong(#place); \\
  } while (0)

void cairn_assume(int holds) __asm__(\"__VERIFIER_assume\");
void cairn_assume(int holds) {
  if (!holds && cairn_now->refused && cairn_cycle + 1 >= cairn_now->count)
    exit(cairn_failed);
  if (!holds) {
    dprintf(2, \"vector %d, cycle %d: an assumption fails\\n\", cairn_number, cairn_cycle + 1);
    exit(2);
  }
}

";

/// Runs the vectors.
pub const MAIN: &str = "\
static int cairn_one(int number, char **arguments) {
  cairn_number = number;
  cairn_now = &cairn_vectors[number - 1];
  cairn_next = cairn_now->values;
  /* A vector is over when its values are: what goes on for ever without any is ended. */
  alarm(20);
  cairn_run(arguments);
  if (cairn_by_order && cairn_cycle < cairn_now->count)
    cairn_end_cycle();
  return cairn_failed;
}

int main(int count, char **arguments) {
  int all = sizeof cairn_vectors / sizeof cairn_vectors[0] - 1, failed = 0;
  if (count > 1) {
    int number = 0;
    for (const char *c = arguments[1]; *c >= '0' && *c <= '9' && number <= all; c++)
      number = 10 * number + (*c - '0');
    if (number < 1 || number > all) {
      dprintf(2, \"there are vectors 1 to %d\\n\", all);
      return 2;
    }
    exit(cairn_one(number, arguments));
  }
  for (int number = 1; number <= all; number++) {
    int status = 0, child = fork();
    if (child == 0)
      exit(cairn_one(number, arguments));
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) {
      dprintf(2, \"vector %d failed\\n\", number);
      failed++;
    }
  }
  dprintf(1, \"%d of %d vectors passed\\n\", all - failed, all);
  return failed != 0;
}
";
