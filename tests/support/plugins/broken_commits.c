/* broken_commits.c -- committing sinks that each break one law of `leat plugin test`.
 *
 * whole.ledger breaks none. tests/system/plugin_test.sh names each law. A file has a line for each
 * commit: its checkpoint, the number of records, and the position. Another file has its owner. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <leat/plugin.h>

enum { CACHED = 8192, PATH_MAX_BYTES = 4096 };

struct cfg {
    const char *path;
};
static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, path, LEAT_PATH, .flags = LEAT_REQUIRED | LEAT_WRITES_FILE,
               .doc = "what it writes"),
};
struct ledger {
    uint64_t got, owner;
    char *cached[CACHED]; /* texts of the last records, as some libraries cache them */
    char text[200];
    struct leat_position position;
    uint64_t committed; /* of sinks that write more than commits */
};

static const char *name_of(const void *cfg) { return ((const struct cfg *)cfg)->path; }

static void close_ledger(struct leat_ctx *ctx, void *self)
{
    for (uint32_t i = 0; i < CACHED; i++)
        free(((struct ledger *)self)->cached[i]);
}

static FILE *open_owner(struct leat_ctx *ctx, const char *how)
{
    char path[PATH_MAX_BYTES];
    snprintf(path, sizeof path, "%s.owner", name_of(ctx->cfg));
    return fopen(path, how);
}

static uint64_t owner(struct leat_ctx *ctx)
{
    uint64_t n = 0;
    FILE *in = open_owner(ctx, "re");
    if (in && fscanf(in, "%" SCNu64, &n) != 1) n = 0;
    if (in) fclose(in);
    return n;
}

/* Reads the last line. Returns 0 if the file has none. */
static uint64_t read_last(struct leat_ctx *ctx, struct ledger *st)
{
    uint64_t checkpoint = 0;
    FILE *in = fopen(name_of(ctx->cfg), "re");
    st->text[0] = 0;
    while (in && fscanf(in, "%" SCNu64 " %*u %199[^\n]\n", &checkpoint, st->text) == 2) {
    }
    if (in) fclose(in);
    return checkpoint;
}

static int fence(struct leat_ctx *ctx, void *self, uint64_t *checkpoint)
{
    struct ledger *st = self;
    st->owner = owner(ctx) + 1;
    FILE *out = open_owner(ctx, "we");
    if (!out) return ctx->host->fail(ctx, LEAT_EIO, "no owner can be written");
    fprintf(out, "%" PRIu64, st->owner);
    fclose(out);
    *checkpoint = read_last(ctx, st);
    return LEAT_OK;
}

static int get(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct ledger *st = self;
    for (uint32_t k = 0; k < b->n_sel; k++) {
        char **at = &st->cached[st->got++ % CACHED];
        if (!*at) *at = malloc(64);
    }
    return LEAT_OK;
}

static int write_line(struct leat_ctx *ctx, struct ledger *st, uint64_t checkpoint,
                      const struct leat_position *p)
{
    FILE *out = fopen(name_of(ctx->cfg), "ae");
    if (!out) return ctx->host->fail(ctx, LEAT_EIO, "nothing can be written");
    fprintf(out, "%" PRIu64 " %" PRIu64 " %.*s\n", checkpoint, st->got, (int)p->n,
            (const char *)p->bytes);
    return fclose(out) ? ctx->host->fail(ctx, LEAT_EIO, "nothing can be written") : LEAT_OK;
}

static int commit_always(struct leat_ctx *ctx, void *self, uint64_t checkpoint,
                         const struct leat_position *p, uint32_t n)
{
    return write_line(ctx, self, checkpoint, p);
}

static int commit(struct leat_ctx *ctx, void *self, uint64_t checkpoint,
                  const struct leat_position *p, uint32_t n)
{
    if (owner(ctx) != ((struct ledger *)self)->owner)
        return ctx->host->fail(ctx, LEAT_EFENCED, "another run has the ledger");
    return write_line(ctx, self, checkpoint, p);
}

/* Repeats the last commit, with the records since. */
static int repeat_last(struct leat_ctx *ctx, struct ledger *st)
{
    const char *text = st->committed ? st->text : "the beginning";
    const struct leat_position last = {"", "leat.run/1", text, strlen(text)};
    return write_line(ctx, st, st->committed, &last);
}

static int commit_noted(struct leat_ctx *ctx, void *self, uint64_t checkpoint,
                        const struct leat_position *p, uint32_t n)
{
    struct ledger *st = self;
    int status = commit(ctx, self, checkpoint, p, n);
    st->committed = checkpoint;
    snprintf(st->text, sizeof st->text, "%.*s", (int)p->n, (const char *)p->bytes);
    return status;
}

/* Writes records that are visible before the commit. */
static int get_at_once(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    int status = get(ctx, self, b);
    return status == LEAT_OK ? repeat_last(ctx, self) : status;
}

/* Writes the records, then the checkpoint: a crash between leaves only one of them. */
static int commit_in_two(struct leat_ctx *ctx, void *self, uint64_t checkpoint,
                         const struct leat_position *p, uint32_t n)
{
    int status = repeat_last(ctx, self);
    return status == LEAT_OK ? commit_noted(ctx, self, checkpoint, p, n) : status;
}

static int commit_nothing(struct leat_ctx *ctx, void *self, uint64_t checkpoint,
                          const struct leat_position *p, uint32_t n)
{
    return LEAT_OK;
}

/* Commits one checkpoint late. */
static int commit_late(struct leat_ctx *ctx, void *self, uint64_t checkpoint,
                       const struct leat_position *p, uint32_t n)
{
    struct ledger *st = self;
    struct leat_position before = {"", "leat.run/1", st->text, strlen(st->text)};
    int status =
        *st->text ? commit(ctx, self, checkpoint, &before, 1) : commit(ctx, self, checkpoint, p, n);
    snprintf(st->text, sizeof st->text, "%.*s", (int)p->n, (const char *)p->bytes);
    return status;
}

static int positions(struct leat_ctx *ctx, void *self, const struct leat_position **list,
                     uint32_t *n)
{
    struct ledger *st = self;
    *n = read_last(ctx, st) > 0;
    st->position = (struct leat_position){"", "leat.run/1", st->text, strlen(st->text)};
    *list = &st->position;
    return LEAT_OK;
}

#define SINK(ID, NAME, COMMIT) SINK_OF(ID, NAME, COMMIT, get)
#define SINK_OF(ID, NAME, COMMIT, PROCESS)                                                         \
    static const struct leat_stage s_##ID = {                                                      \
        .name = NAME,                                                                              \
        .summary = "a sink for tests",                                                             \
        .doc = "It commits how many came.",                                                        \
        .example = "leat.stage(\"" NAME "\", { path = \"out.txt\" })",                             \
        .kind = LEAT_SINK,                                                                         \
        .needs = LEAT_HAS_RECORDS,                                                                 \
        LEAT_PARAMS(params, struct cfg),                                                           \
        .instance_size = sizeof(struct ledger),                                                    \
        .close = close_ledger,                                                                     \
        .process = PROCESS,                                                                        \
        .transaction = LEAT_ROLE(leat_transaction, .name = name_of, .fence = fence,                \
                                 .commit = COMMIT, .positions = positions),                        \
    }
SINK(ledger, "whole.ledger", commit);
SINK(commit_nothing, "broken.commit_nothing", commit_nothing);
SINK(commit_always, "broken.commit_always", commit_always);
SINK(commit_late, "broken.commit_late", commit_late);
SINK(commit_in_two, "broken.commit_in_two", commit_in_two);
SINK_OF(commit_each, "broken.commit_each", commit_noted, get_at_once);

LEAT_PLUGIN("broken_commits", "1.0", "Apache-2.0", "sinks that commit and break laws", &s_ledger,
            &s_commit_nothing, &s_commit_always, &s_commit_late, &s_commit_in_two, &s_commit_each);
