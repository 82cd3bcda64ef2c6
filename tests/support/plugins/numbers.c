/* numbers.c -- a source and a sink that log the numbers of checkpoints.
 *
 *   source.numbers   rows of text, "0" to rows - 1; asks for a checkpoint every `every` rows
 *   sink.numbers     counts them; with `name` it commits, to nothing
 *
 * Both append lines to PATH: "source barrier 3", "source durable 3", "sink barrier 3", "sink commit
 * 3". */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <leat/plugin.h>

struct source_cfg {
    const char *path;
    int64_t rows, every;
};

struct sink_cfg {
    const char *path, *name;
};

struct source {
    uint64_t next;           /* next record */
    uint64_t asked, durable; /* checkpoints requested, and durable ones; earlier runs count */
};

static const struct leat_param source_params[] = {
    LEAT_PARAM(struct source_cfg, path, LEAT_STRING, .flags = LEAT_REQUIRED, .doc = "lines"),
    LEAT_PARAM(struct source_cfg, rows, LEAT_INT, .flags = LEAT_OPERATIONAL, .def = "1000",
               .min = 0, .max = 1e9, .doc = "records"),
    LEAT_PARAM(struct source_cfg, every, LEAT_INT, .def = "100", .min = 1, .max = 1e9,
               .doc = "records between two checkpoints"),
};
static const struct leat_param sink_params[] = {
    LEAT_PARAM(struct sink_cfg, path, LEAT_STRING, .flags = LEAT_REQUIRED, .doc = "lines"),
    LEAT_PARAM(struct sink_cfg, name, LEAT_STRING, .doc = "under which it commits"),
};

static int note(const char *path, const char *what, uint64_t checkpoint)
{
    FILE *f = fopen(path, "a");
    if (!f) return LEAT_EIO;
    fprintf(f, "%s %llu\n", what, (unsigned long long)checkpoint);
    return fclose(f) ? LEAT_EIO : LEAT_OK;
}

/* ---- the source ---- */

/* Waits for the end of each checkpoint that it requests. */
static int produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct source_cfg *cfg = ctx->cfg;
    struct source *st = self;
    if (ctx->host->stopping(ctx) || st->next == (uint64_t)cfg->rows) return LEAT_EOS;
    if (st->next / (uint64_t)cfg->every > st->asked) {
        st->asked++;
        ctx->host->checkpoint_soon(ctx);
    }
    if (st->asked > st->durable) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        return LEAT_AGAIN;
    }
    char text[24];
    uint32_t n = (uint32_t)snprintf(text, sizeof text, "%llu", (unsigned long long)st->next);
    uint32_t at = leat_add_bytes(b, n);
    memcpy(b->bytes + at, text, n);
    b->extent[b->n_extents++] = (struct leat_extent){.n = 1, .offset = st->next++};
    return leat_add_record(b, at, n) < 0 ? LEAT_EFULL : LEAT_OK;
}

static int source_barrier(struct leat_ctx *ctx, void *self, uint64_t checkpoint)
{
    return note(((const struct source_cfg *)ctx->cfg)->path, "source barrier", checkpoint);
}

static int durable(struct leat_ctx *ctx, void *self, uint64_t checkpoint)
{
    struct source *st = self;
    if (st->durable < st->asked) st->durable++;
    return note(((const struct source_cfg *)ctx->cfg)->path, "source durable", checkpoint);
}

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    return w->u64(w, "next", ((struct source *)self)->next);
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    const struct source_cfg *cfg = ctx->cfg;
    struct source *st = self;
    int status = r->u64(r, "next", &st->next);
    st->asked = st->durable = st->next / (uint64_t)cfg->every;
    return status;
}

/* ---- the sink ---- */

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b) { return LEAT_OK; }

static int sink_barrier(struct leat_ctx *ctx, void *self, uint64_t checkpoint)
{
    return note(((const struct sink_cfg *)ctx->cfg)->path, "sink barrier", checkpoint);
}

static const char *name(const void *cfg) { return ((const struct sink_cfg *)cfg)->name; }

static int fence(struct leat_ctx *ctx, void *self, uint64_t *checkpoint)
{
    char word[24], what[24];
    unsigned long long n;
    FILE *f = fopen(((const struct sink_cfg *)ctx->cfg)->path, "r");
    *checkpoint = 0;
    while (f && fscanf(f, "%23s %23s %llu", word, what, &n) == 3)
        if (what[0] == 'c') *checkpoint = n;
    if (f) fclose(f);
    return LEAT_OK;
}

static int commit(struct leat_ctx *ctx, void *self, uint64_t checkpoint,
                  const struct leat_position *position, uint32_t n)
{
    return note(((const struct sink_cfg *)ctx->cfg)->path, "sink commit", checkpoint);
}

static const struct leat_stage stage[] = {
    {.name = "source.numbers",
     .summary = "for tests",
     .kind = LEAT_SOURCE,
     .makes = LEAT_HAS_RECORDS,
     LEAT_PARAMS(source_params, struct source_cfg),
     .instance_size = sizeof(struct source),
     .barrier = source_barrier,
     .source = LEAT_ROLE(leat_source, .framings = LEAT_FRAMINGS_OF_MESSAGES, .produce = produce,
                         .durable = durable),
     .state = LEAT_ROLE(leat_state, .version = 1, .snapshot = snapshot, .restore = restore)},
    {.name = "sink.numbers",
     .summary = "for tests",
     .kind = LEAT_SINK,
     .needs = LEAT_HAS_RECORDS,
     LEAT_PARAMS(sink_params, struct sink_cfg),
     .instance_size = 1,
     .process = process,
     .barrier = sink_barrier,
     .transaction = LEAT_ROLE(leat_transaction, .name = name, .fence = fence, .commit = commit)}};

LEAT_PLUGIN("numbers", "1.0", "Apache-2.0", "for tests", &stage[0], &stage[1]);
