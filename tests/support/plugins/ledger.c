/* ledger.c -- a committing sink in place of a cluster: a file that is replaced as a whole.
 *
 *   PATH           the first line is the last committed checkpoint, then all records so far
 *   PATH.aborts    number of commits that still end with LEAT_EROLLBACK, in turn before and after
 *                  they took place, because a run cannot know which
 *   PATH.never     if not 0: all commits end with LEAT_EROLLBACK before they take place
 *   PATH.away      if not 0: a commit waits until it is 0, or fails once the run is stopping
 *   PATH.owner     if someone else changes it, the next commit is fenced off */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <leat/plugin.h>

struct cfg {
    const char *path;
    int32_t columns, reserved;
};

struct ledger {
    char *text; /* text of this checkpoint */
    size_t n, cap;
    long owner;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, path, LEAT_STRING, .flags = LEAT_REQUIRED, .doc = "the ledger"),
    LEAT_PARAM(struct cfg, columns, LEAT_BOOL, .def = "false",
               .doc = "write the columns of a record, not what arrived"),
};

static const char *transaction(const void *cfg) { return ((const struct cfg *)cfg)->path; }

static void path_of(struct leat_ctx *ctx, const char *suffix, char path[600])
{
    snprintf(path, 600, "%s%s", ((const struct cfg *)ctx->cfg)->path, suffix);
}

static long number_in(struct leat_ctx *ctx, const char *suffix)
{
    char path[600];
    long n = 0;
    path_of(ctx, suffix, path);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%ld", &n) != 1) n = 0;
    if (f) fclose(f);
    return n;
}

static int put_number(struct leat_ctx *ctx, const char *suffix, long n)
{
    char path[600];
    path_of(ctx, suffix, path);
    FILE *f = fopen(path, "w");
    if (!f) return LEAT_EIO;
    fprintf(f, "%ld\n", n);
    return fclose(f) ? LEAT_EIO : LEAT_OK;
}

static void put(struct ledger *l, const char *text, size_t n)
{
    if (l->n + n > l->cap) l->text = realloc(l->text, l->cap = 2 * (l->n + n));
    if (!l->text) abort();
    memcpy(l->text + l->n, text, n);
    l->n += n;
}

static void put_slice(struct ledger *l, const struct leat_batch *b, struct leat_str s)
{
    if (s.len && s.len != LEAT_NULL) put(l, leat_text(b, s), s.len);
}

static void put_cell(struct ledger *l, const struct leat_batch *b, uint32_t type,
                     union leat_cells cells, uint32_t r)
{
    char digits[40];
    if (type == LEAT_TEXT)
        put_slice(l, b, cells.text[r]);
    else if (type == LEAT_INT64)
        put(l, digits, (size_t)snprintf(digits, sizeof digits, "%lld", (long long)cells.int64[r]));
    else
        put(l, digits, (size_t)snprintf(digits, sizeof digits, "%.17g", cells.number[r]));
    put(l, ",", 1);
}

static int negotiate(const void *config, struct leat_negotiation *n)
{
    uint32_t index;
    for (uint32_t i = 0; ((const struct cfg *)config)->columns && i < n->in->n_columns; i++)
        n->column(n, NULL, n->in->column[i].name,
                  LEAT_TAKES_TEXT | LEAT_TAKES_NUMBER | LEAT_TAKES_INT64, &index);
    return LEAT_OK;
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct ledger *l = self;
    bool columns = ((const struct cfg *)ctx->cfg)->columns;
    for (LEAT_EACH_RECORD(b, r)) {
        for (uint32_t i = 0; columns && i < b->n_columns; i++)
            put_cell(l, b, ctx->in->column[i].type, b->column[i], r);
        if (!columns) put_slice(l, b, b->raw[r]);
        put(l, "\n", 1);
    }
    return LEAT_OK;
}

static int fence(struct leat_ctx *ctx, void *self, uint64_t *checkpoint)
{
    struct ledger *l = self;
    *checkpoint = (uint64_t)number_in(ctx, "");
    l->owner = number_in(ctx, ".owner") + 1;
    return put_number(ctx, ".owner", l->owner);
}

static void copy_rows(const char *path, FILE *to)
{
    char buf[65536];
    FILE *from = fopen(path, "r");
    if (!from) return;
    if (fscanf(from, "%*d%*1[\n]") != EOF)
        for (size_t n; (n = fread(buf, 1, sizeof buf, from));)
            fwrite(buf, 1, n, to);
    fclose(from);
}

static int append(struct leat_ctx *ctx, struct ledger *l, uint64_t checkpoint)
{
    char path[600], next[600];
    path_of(ctx, "", path);
    path_of(ctx, ".next", next);
    FILE *to = fopen(next, "w");
    if (!to) return LEAT_EIO;
    fprintf(to, "%llu\n", (unsigned long long)checkpoint);
    copy_rows(path, to);
    if (l->n) fwrite(l->text, 1, l->n, to);
    l->n = 0;
    return fclose(to) || rename(next, path) ? LEAT_EIO : LEAT_OK;
}

static int commit(struct leat_ctx *ctx, void *self, uint64_t checkpoint,
                  const struct leat_position *position, uint32_t n)
{
    struct ledger *l = self;
    long aborts = number_in(ctx, ".aborts");
    if (number_in(ctx, ".owner") != l->owner)
        return ctx->host->fail(ctx, LEAT_EFENCED, "the ledger is another's");
    ctx->host->fault(ctx, "transaction_offsets_sent");
    for (; number_in(ctx, ".away"); usleep(10000))
        if (ctx->host->stopping(ctx)) return ctx->host->fail(ctx, LEAT_EIO, "the ledger is away");
    if (number_in(ctx, ".never"))
        return ctx->host->fail(ctx, LEAT_EROLLBACK, "the ledger is closed");
    if (aborts && put_number(ctx, ".aborts", aborts - 1) != LEAT_OK) return LEAT_EIO;
    if (aborts % 2 == 0 && append(ctx, l, checkpoint) != LEAT_OK) return LEAT_EIO;
    return aborts ? ctx->host->fail(ctx, LEAT_EROLLBACK, "the ledger was not there") : LEAT_OK;
}

static void close_ledger(struct leat_ctx *ctx, void *self) { free(((struct ledger *)self)->text); }

static const struct leat_stage stage[] = {
    {.name = "sink.ledger",
     .summary = "for tests",
     .kind = LEAT_SINK,
     .needs = LEAT_HAS_RECORDS,
     LEAT_PARAMS(params, struct cfg),
     .instance_size = sizeof(struct ledger),
     .negotiate = negotiate,
     .process = process,
     .close = close_ledger,
     .transaction =
         LEAT_ROLE(leat_transaction, .name = transaction, .fence = fence, .commit = commit)}};

LEAT_PLUGIN("ledger", "1.0", "Apache-2.0", "for tests", &stage[0]);
