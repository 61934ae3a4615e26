//! What the translations share: standard blocks and functions in C, written down from the standard's
//! tables and timing diagrams.

/// The text before the programs.
pub const PRELUDE: &str = r#"
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <inttypes.h>
#include <string.h>
#include <math.h>

static void f32(float f) { uint32_t b; memcpy(&b, &f, 4); if (f != f) printf("nan "); else printf("%" PRIu32 " ", b); }
static void f64(double f) { uint64_t b; memcpy(&b, &f, 8); if (f != f) printf("nan "); else printf("%" PRIu64 " ", b); }

static int64_t rounded_s(double x, int width) {
    double beyond = ldexp(1, width - 1), r = rint(x);
    if (x != x) return 0;
    if (r < -beyond) return (int64_t)(-beyond);
    if (r >= beyond) return (int64_t)(((uint64_t)1 << (width - 1)) - 1);
    return (int64_t)r;
}
static uint64_t rounded_u(double x, int width) {
    double beyond = ldexp(1, width), r = rint(x);
    if (x != x || r < 0) return 0;
    if (r >= beyond) return width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
    return (uint64_t)r;
}

/* The clock, in milliseconds; timers know when they began. */
static int64_t now;
struct timer { bool before, running, q; int64_t start; int32_t et; };
static int32_t since(struct timer *t, int32_t pt) { int64_t e = now - t->start; return e < pt ? e : pt; }
static void ton(struct timer *t, bool in, int32_t pt) {
    if (in && !t->running) t->start = now;
    t->running = in;
    t->et = in ? since(t, pt) : 0;
    t->q = in && t->et >= pt;
}
static void tof(struct timer *t, bool in, int32_t pt) {
    if (in) { t->q = true; t->et = 0; t->running = false; return; }
    if (!t->q) return;
    if (!t->running) { t->running = true; t->start = now; }
    t->et = since(t, pt);
    t->q = t->et < pt;
}
static void tp(struct timer *t, bool in, int32_t pt) {
    if (t->running) {
        t->et = since(t, pt);
        t->running = t->et < pt;
    } else if (in && !t->before) {
        t->running = true; t->start = now; t->et = 0;
    }
    if (!t->running && !in) t->et = 0;
    t->before = in;
    t->q = t->running;
}

struct counter { bool up, down, qu, qd; int16_t cv; };
static void ctu(struct counter *c, bool cu, bool r, int16_t pv) {
    if (r) c->cv = 0; else if (cu && !c->up && c->cv < INT16_MAX) c->cv++;
    c->up = cu; c->qu = c->cv >= pv;
}
static void ctd(struct counter *c, bool cd, bool ld, int16_t pv) {
    if (ld) c->cv = pv; else if (cd && !c->down && c->cv > INT16_MIN) c->cv--;
    c->down = cd; c->qd = c->cv <= 0;
}
static void ctud(struct counter *c, bool cu, bool cd, bool r, bool ld, int16_t pv) {
    bool up = cu && !c->up, down = cd && !c->down;
    if (r) c->cv = 0; else if (ld) c->cv = pv;
    else if (up && !down) { if (c->cv < INT16_MAX) c->cv++; }
    else if (down && !up) { if (c->cv > INT16_MIN) c->cv--; }
    c->up = cu; c->down = cd; c->qu = c->cv >= pv; c->qd = c->cv <= 0;
}
struct bit { bool before, q; };
static void r_trig(struct bit *b, bool clk) { b->q = clk && !b->before; b->before = clk; }
static void f_trig(struct bit *b, bool clk) { b->q = !clk && b->before; b->before = clk; }
static void sr(struct bit *b, bool s, bool r) { if (s) b->q = true; else if (r) b->q = false; }
static void rs(struct bit *b, bool s, bool r) { if (r) b->q = false; else if (s) b->q = true; }

/* Strings: results go round in a ring of buffers. */
static char ring[64][256];
static char *fresh(void) { static int at; at = (at + 1) % 64; ring[at][0] = 0; return ring[at]; }
static int least(int a, int b) { return a < b ? a : b; }
static const char *from(const char *s, int at) { int n = strlen(s); return s + (at < n ? at : n); }
static char *left(const char *s, int l) { char *r = fresh(); strncat(r, s, l); return r; }
static char *right(const char *s, int l) { int n = strlen(s); char *r = fresh(); strcpy(r, s + n - least(l, n)); return r; }
static char *mid(const char *s, int l, int p) { return left(from(s, p - 1), l); }
static char *concat(const char *a, const char *b) { char *r = fresh(); strcpy(r, a); strcat(r, b); return r; }
static char *insert(const char *a, const char *b, int p) { return concat(concat(left(a, p), b), from(a, p)); }
static char *replace(const char *a, const char *b, int l, int p) { return concat(concat(left(a, p - 1), b), from(a, p - 1 + l)); }
static char *delete(const char *a, int l, int p) { return replace(a, "", l, p); }
static int find(const char *a, const char *b) { const char *at = strstr(a, b); return at && *b ? at - a + 1 : 0; }
static void set(char *to, int most, const char *s) { char *r = left(s, most); strcpy(to, r); }
"#;
