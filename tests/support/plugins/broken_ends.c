/* broken_ends.c -- sources and sinks that each break one law of `leat plugin test`.
 *
 * Four break none: whole.count gives numbers; whole.lines writes records to a file, whole.examples
 * examples, and whole.show answers. broken_commits.c has the committing sinks. plugin_test.sh names
 * each law. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <leat/plugin.h>

/* ---- sources ---- */

struct source_cfg {
    int64_t records;
};
static const struct leat_param source_params[] = {
    LEAT_PARAM(struct source_cfg, records, LEAT_INT, .def = "100", .min = 1, .max = 1e6,
               .doc = "how many it gives"),
};
struct count {
    uint64_t next, batches;
    bool stopped;
};

static void give(struct leat_batch *b, uint64_t number)
{
    char text[32];
    int n = snprintf(text, sizeof text, "record %llu", (unsigned long long)number);
    uint32_t off = leat_add_bytes(b, (uint32_t)n);
    memcpy(b->bytes + off, text, (size_t)n);
    leat_add_record(b, off, (uint32_t)n);
}

static void say_where(struct leat_batch *b, uint64_t first, uint32_t n)
{
    if (n) b->extent[b->n_extents++] = (struct leat_extent){.n = n, .offset = first};
}

static int counts_to(struct leat_ctx *ctx, struct count *st, struct leat_batch *b, int at_end)
{
    uint64_t end = (uint64_t)((const struct source_cfg *)ctx->cfg)->records, first = st->next;
    while (b->n < b->cap && st->next < end)
        give(b, st->next++);
    say_where(b, first, b->n);
    st->batches++;
    return st->next < end ? LEAT_OK : at_end;
}

static int count(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    return counts_to(ctx, self, b, LEAT_EOS);
}

static int returns_5(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    return count(ctx, self, b) ? LEAT_EOS : 5;
}

static int by_batch(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct count *st = self;
    int status = count(ctx, self, b);
    if (b->n) b->raw[0].len = st->batches % 2 ? 6 : b->raw[0].len;
    return status;
}

static int wrong_extent(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    int status = count(ctx, self, b);
    if (b->n_extents) b->extent[0].n--;
    return status;
}

static int blocks(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct count *st = self;
    uint64_t before = st->next;
    int status = counts_to(ctx, self, b, LEAT_AGAIN);
    if (st->next == before) usleep(400000);
    return status;
}

static int waits(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    usleep(300000);
    return count(ctx, self, b);
}

static void progress(void *self, uint64_t *done, uint64_t *total)
{
    *done = ((struct count *)self)->next;
    *total = 0;
}

static void progress_of_clock(void *self, uint64_t *done, uint64_t *total)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    *done = (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
    *total = 0;
}

static int stop(struct leat_ctx *ctx, void *self)
{
    ((struct count *)self)->stopped = true;
    return LEAT_OK;
}

static int durable(struct leat_ctx *ctx, void *self, uint64_t checkpoint) { return LEAT_OK; }

static int durable_before_stop(struct leat_ctx *ctx, void *self, uint64_t checkpoint)
{
    bool stopped = ((struct count *)self)->stopped;
    return stopped ? ctx->host->fail(ctx, LEAT_EIO, "the file is closed") : LEAT_OK;
}

static int save_next(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    return w->u64(w, "next", ((struct count *)self)->next);
}

static int restore_next(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    return r->u64(r, "next", &((struct count *)self)->next);
}

static int restore_earlier(struct leat_ctx *ctx, void *self, struct leat_reader *r,
                           uint32_t version)
{
    struct count *st = self;
    int status = restore_next(ctx, self, r, version);
    if (st->next) st->next--;
    return status;
}

#define SOURCE_OF(ID, NAME, PRODUCE, PROGRESS, DURABLE, RESTORE)                                   \
    static const struct leat_stage s_##ID = {                                                      \
        .name = NAME,                                                                              \
        .summary = "a source for tests",                                                           \
        .doc = "It gives numbers.",                                                                \
        .example = "leat.stage(\"" NAME "\", {})",                                                 \
        .kind = LEAT_SOURCE,                                                                       \
        .makes = LEAT_HAS_RECORDS,                                                                 \
        .instance_size = sizeof(struct count),                                                     \
        LEAT_PARAMS(source_params, struct source_cfg),                                             \
        .stop = stop,                                                                              \
        .source =                                                                                  \
            LEAT_ROLE(leat_source, .produce = PRODUCE, .progress = PROGRESS, .durable = DURABLE),  \
        .state = LEAT_ROLE(leat_state, .version = 1, .snapshot = save_next, .restore = RESTORE),   \
    }
#define SOURCE(ID) SOURCE_OF(ID, "broken." #ID, ID, progress, durable, restore_next)
SOURCE_OF(count, "whole.count", count, progress, durable, restore_next);
SOURCE(returns_5);
SOURCE(by_batch);
SOURCE(wrong_extent);
SOURCE(blocks);
SOURCE(waits);
SOURCE_OF(by_clock, "broken.by_clock", count, progress_of_clock, durable, restore_next);
SOURCE_OF(not_after_stop, "broken.not_after_stop", count, progress, durable_before_stop,
          restore_next);
SOURCE_OF(earlier, "broken.earlier", count, progress, durable, restore_earlier);

/* ---- sinks ---- */

struct sink_cfg {
    const char *path;
};
static const struct leat_param sink_params[] = {
    LEAT_PARAM(struct sink_cfg, path, LEAT_PATH, .flags = LEAT_REQUIRED | LEAT_WRITES_FILE,
               .doc = "what it writes"),
};
struct lines {
    FILE *out;
};

static int open_file(struct leat_ctx *ctx, void *self)
{
    const char *path = ((const struct sink_cfg *)ctx->cfg)->path;
    struct lines *st = self;
    st->out = fopen(path, "ae");
    return st->out ? LEAT_OK : ctx->host->fail(ctx, LEAT_EIO, "%s cannot be opened", path);
}

static void close_file(struct leat_ctx *ctx, void *self) { fclose(((struct lines *)self)->out); }

static int write_lines(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct lines *st = self;
    for (LEAT_EACH_RECORD(b, r))
        fprintf(st->out, "%.*s\n", (int)b->raw[r].len, leat_text(b, b->raw[r]));
    return LEAT_OK;
}

/* Writes each example as if the examples of successive records were contiguous. */
static int write_groups(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct lines *st = self;
    uint32_t k = 0;
    for (LEAT_EACH_RECORD(b, r))
        for (; k < b->n_ex_sel && b->ex_record[b->ex_sel[k]] == r; k++)
            fprintf(st->out, "%.*s %g\n", (int)b->raw[r].len, leat_text(b, b->raw[r]),
                    (double)b->ex_label[b->ex_sel[k]]);
    return LEAT_OK;
}

/* Writes the k-th example as if it came from the k-th record. */
static int write_pairs(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct lines *st = self;
    for (LEAT_EACH_EXAMPLE(b, e))
        fprintf(st->out, "%.*s %g\n", (int)b->raw[b->sel[e_k]].len,
                leat_text(b, b->raw[b->sel[e_k]]), (double)b->ex_label[e]);
    return LEAT_OK;
}

static int write_examples(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct lines *st = self;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        const struct leat_str raw = b->raw[b->ex_record[e]];
        fprintf(st->out, "%.*s %g\n", (int)raw.len, leat_text(b, raw), (double)b->ex_label[e]);
    }
    return LEAT_OK;
}

static int flush(struct leat_ctx *ctx, void *self, uint64_t checkpoint)
{
    return fflush(((struct lines *)self)->out) ? LEAT_EIO : LEAT_OK;
}

static int flush_never(struct leat_ctx *ctx, void *self, uint64_t checkpoint) { return LEAT_OK; }

static int save_length(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    return w->u64(w, "length", (uint64_t)ftell(((struct lines *)self)->out));
}

static int restore_length(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    uint64_t length;
    struct lines *st = self;
    int status = r->u64(r, "length", &length);
    if (status != LEAT_OK) return status;
    if (ftruncate(fileno(st->out), (off_t)length)) return r->refuse(r, "length cannot be");
    return fseek(st->out, 0, SEEK_END) ? r->refuse(r, "length cannot be") : LEAT_OK;
}

static int restore_no_length(struct leat_ctx *ctx, void *self, struct leat_reader *r,
                             uint32_t version)
{
    uint64_t length;
    return r->u64(r, "length", &length);
}

/* ---- a sink that shows answers ---- */

static int ask(const void *cfg, struct leat_ask *a)
{
    a->kind = LEAT_QUERY_TOP;
    a->k = 10;
    return LEAT_OK;
}

static int show_first(struct leat_ctx *ctx, void *self, const struct leat_table *t)
{
    fprintf(((struct lines *)self)->out, "%s\n", t->n_rows ? t->names[0] : "none");
    return LEAT_OK;
}

static int show_some(struct leat_ctx *ctx, void *self, const struct leat_table *t)
{
    if (!t->n_rows) return ctx->host->fail(ctx, LEAT_EDATA, "the answer is empty");
    return show_first(ctx, self, t);
}

#define SINK_OF(ID, NAME, NEEDS, ...)                                                              \
    static const struct leat_stage s_##ID = {.name = NAME,                                         \
                                             .summary = "a sink for tests",                        \
                                             .doc = "It writes what comes.",                       \
                                             .example = "leat.stage(\"" NAME "\", "                \
                                                        "{ path = \"out.txt\" })",                 \
                                             .kind = LEAT_SINK,                                    \
                                             .needs = LEAT_HAS_RECORDS | (NEEDS),                  \
                                             LEAT_PARAMS(sink_params, struct sink_cfg),            \
                                             LEAT_INSTANCE(struct lines, open_file, close_file),   \
                                             __VA_ARGS__}
#define KEEPS(RESTORE)                                                                             \
    .state = LEAT_ROLE(leat_state, .version = 1, .snapshot = save_length, .restore = RESTORE)
SINK_OF(lines, "whole.lines", 0, .process = write_lines, .barrier = flush, KEEPS(restore_length));
SINK_OF(flush_never, "broken.flush_never", 0, .process = write_lines, .barrier = flush_never,
        KEEPS(restore_length));
SINK_OF(not_cut, "broken.not_cut", 0, .process = write_lines, .barrier = flush,
        KEEPS(restore_no_length));
SINK_OF(show_first, "whole.show", 0,
        .asker = LEAT_ROLE(leat_asker, .ask = ask, .show = show_first));
SINK_OF(show_some, "broken.show_some", 0,
        .asker = LEAT_ROLE(leat_asker, .ask = ask, .show = show_some));

#define EXAMPLES_TO(ID, NAME, PROCESS)                                                             \
    SINK_OF(ID, NAME, LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL, .process = PROCESS, .barrier = flush,    \
            KEEPS(restore_length))
EXAMPLES_TO(examples, "whole.examples", write_examples);
EXAMPLES_TO(groups, "broken.groups", write_groups);
EXAMPLES_TO(pairs, "broken.pairs", write_pairs);

LEAT_PLUGIN("broken_ends", "1.0", "Apache-2.0", "sources and sinks that break laws", &s_count,
            &s_returns_5, &s_by_batch, &s_wrong_extent, &s_blocks, &s_waits, &s_by_clock,
            &s_not_after_stop, &s_earlier, &s_lines, &s_flush_never, &s_not_cut, &s_show_first,
            &s_show_some, &s_examples, &s_groups, &s_pairs);
