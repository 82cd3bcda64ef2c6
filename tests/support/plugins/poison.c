/* poison.c -- a stage that ends or stops the process at records that say so.
 *
 * A record that begins with "abort", "exit", "overrun" or "hang" makes it do that; so does one that
 * begins with "tally", if the stage has seen an odd number of records before. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <leat/plugin.h>

struct poison {
    uint64_t seen;
};

static void swallow(const char *text, uint32_t n, uint64_t seen)
{
    if (n >= 5 && !memcmp(text, "abort", 5)) abort();
    if (n >= 5 && !memcmp(text, "tally", 5) && seen % 2) abort();
    if (n >= 4 && !memcmp(text, "exit", 4)) exit(0);
    for (volatile char *at = malloc(1); n >= 7 && !memcmp(text, "overrun", 7); at++)
        *at = 1;
    while (n >= 4 && !memcmp(text, "hang", 4))
        pause();
}

static int on_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct poison *p = self;
    (void)ctx;
    for (LEAT_EACH_RECORD(b, r))
        swallow(leat_text(b, b->raw[r]), b->raw[r].len, p->seen++);
    return LEAT_OK;
}

static int on_open(struct leat_ctx *ctx, void *self)
{
    (void)ctx, (void)self;
    return LEAT_OK;
}

static void on_close(struct leat_ctx *ctx, void *self) { (void)ctx, (void)self; }

static int on_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct poison *p = self;
    (void)ctx;
    return w->u64(w, "seen", p->seen);
}

static int on_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct poison *p = self;
    (void)ctx, (void)version;
    return r->u64(r, "seen", &p->seen);
}

static const struct leat_stage stage = {
    .name = "feature.poison",
    .summary = "ends the process at some records",
    .kind = LEAT_TRANSFORM,
    LEAT_FLOW(LEAT_HAS_RECORDS, 0),
    LEAT_INSTANCE(struct poison, on_open, on_close),
    .process = on_process,
    .state = LEAT_ROLE(leat_state, .version = 1, .snapshot = on_snapshot, .restore = on_restore),
};
LEAT_PLUGIN("poison", "1", "MIT", "ends the process at some records", &stage);
