/* stumble.c -- source.stumble: a source whose progress falls.
 *
 * The progress of a compressed file falls when the file is longer than it seemed. Records are
 * "NAME,NUMBER". The source's total is `rows`, but `rows` times two after `falls_at` records. With
 * `forgets` it cannot save its state, and gives no reason. With `endless` it does not know its
 * total, and sleeps a little now and then. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <leat/plugin.h>

struct cfg {
    const char *name;
    int64_t rows, falls_at;
    int32_t forgets, endless;
};

struct source {
    uint64_t next, rows, falls_at;
    bool endless;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, name, LEAT_STRING, .flags = LEAT_REQUIRED),
    LEAT_PARAM(struct cfg, rows, LEAT_INT, .def = "3000", .min = 1, .max = 1e6),
    LEAT_PARAM(struct cfg, falls_at, LEAT_INT, .def = "0", .max = 1e6),
    LEAT_PARAM(struct cfg, forgets, LEAT_BOOL, .def = "false"),
    LEAT_PARAM(struct cfg, endless, LEAT_BOOL, .def = "false"),
};

static int open_source(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    *(struct source *)self =
        (struct source){0, (uint64_t)cfg->rows, (uint64_t)cfg->falls_at, cfg->endless};
    return LEAT_OK;
}

static int produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct source *s = self;
    if (s->endless && s->next % 50 == (uint64_t) * ((const struct cfg *)ctx->cfg)->name % 50)
        usleep(2000);
    for (; b->n < b->cap && s->next < s->rows; s->next++) {
        char text[64];
        int n = snprintf(text, sizeof text, "%.40s,%llu", ((const struct cfg *)ctx->cfg)->name,
                         (unsigned long long)s->next);
        uint32_t off = leat_add_bytes(b, (uint32_t)n);
        if (off == LEAT_NULL) return LEAT_OK;
        memcpy(b->bytes + off, text, (size_t)n);
        leat_add_record(b, off, (uint32_t)n);
    }
    return s->next < s->rows ? LEAT_OK : LEAT_EOS;
}

static void progress(void *self, uint64_t *done, uint64_t *total)
{
    const struct source *s = self;
    *done = s->next;
    *total = s->endless ? 0 : s->falls_at && s->next >= s->falls_at ? 2 * s->rows : s->rows;
}

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    if (((const struct cfg *)ctx->cfg)->forgets) return LEAT_ENOMEM;
    return w->u64(w, "next", ((struct source *)self)->next);
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    return r->u64(r, "next", &((struct source *)self)->next);
}

static const struct leat_stage stumble = {
    .name = "source.stumble",
    .summary = "a source whose place falls",
    .kind = LEAT_SOURCE,
    .makes = LEAT_HAS_RECORDS,
    LEAT_PARAMS(params, struct cfg),
    .instance_size = sizeof(struct source),
    .open = open_source,
    .source = LEAT_ROLE(leat_source, .framings = LEAT_FRAMINGS_OF_MESSAGES, .produce = produce,
                        .progress = progress),
    .state = LEAT_ROLE(leat_state, .version = 1, .snapshot = snapshot, .restore = restore),
};

LEAT_PLUGIN("stumble", "1.0", "Apache-2.0", "a fixture of the tests", &stumble);
