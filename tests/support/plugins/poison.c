/* poison.c -- stages that end or stop the process at records that say so.
 *
 * A record that begins with "abort", "exit", "overrun", "kill", "spin" or "hang" makes them do
 * that; so does one that begins with "tally", if the stage has seen an odd number of records
 * before, and one that begins with "elsewhere", except in a child process. shape.poison makes two
 * records of each. Each call in a child process adds a byte to the file `trials`. */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <leat/plugin.h>

struct poison {
    uint64_t seen;
    uint32_t at; /* records made from the batch so far */
};

static pid_t opened_by;

static void swallow(const char *text, uint32_t n, uint64_t seen)
{
    if (n >= 5 && !memcmp(text, "abort", 5)) abort();
    if (n >= 5 && !memcmp(text, "tally", 5) && seen % 2) abort();
    if (n >= 4 && !memcmp(text, "exit", 4)) exit(0);
    if (n >= 4 && !memcmp(text, "kill", 4)) raise(SIGKILL);
    if (n >= 9 && !memcmp(text, "elsewhere", 9) && getpid() == opened_by) abort();
    if (n >= 7 && !memcmp(text, "overrun", 7))
        for (volatile char *at = malloc(1);; at++)
            *at = 1;
    while (n >= 4 && !memcmp(text, "hang", 4))
        pause();
    for (volatile bool on = true; on && n >= 4 && !memcmp(text, "spin", 4);)
        continue;
}

static void count_trial(void)
{
    int fd = getpid() == opened_by ? -1 : open("trials", O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (fd < 0) return;
    (void)!write(fd, ".", 1);
    close(fd);
}

static int on_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct poison *p = self;
    (void)ctx;
    count_trial();
    for (LEAT_EACH_RECORD(b, r))
        swallow(leat_text(b, b->raw[r]), b->raw[r].len, p->seen++);
    return LEAT_OK;
}

static int on_expand(struct leat_ctx *ctx, void *self, struct leat_batch *in,
                     struct leat_batch *out)
{
    struct poison *p = self;
    (void)ctx;
    for (; p->at < 2 * in->n_sel; p->at++) {
        uint32_t r = in->sel[p->at / 2];
        if (p->at % 2) swallow(leat_text(in, in->raw[r]), in->raw[r].len, p->seen++);
        if (leat_add_from(out, in, r) < 0) return LEAT_AGAIN;
    }
    p->at = 0;
    return LEAT_OK;
}

static int on_open(struct leat_ctx *ctx, void *self)
{
    (void)ctx, (void)self;
    opened_by = getpid();
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
static const struct leat_stage many = {
    .name = "shape.poison",
    .summary = "ends the process at some records",
    .kind = LEAT_TRANSFORM,
    LEAT_FLOW(LEAT_HAS_RECORDS, 0),
    LEAT_INSTANCE(struct poison, on_open, on_close),
    .expand = on_expand,
    .state = LEAT_ROLE(leat_state, .version = 1, .snapshot = on_snapshot, .restore = on_restore),
};
LEAT_PLUGIN("poison", "1", "MIT", "end the process at some records", &stage, &many);
