/* rows.c -- implementation of rows.h: the first columns, and the current answer. */
#include "rows.h"

#include "core/time/utc.h"

enum { LEARNER, EXAMPLES, TIME };

/* Largest number of bytes of a record: learner's id, time and two texts. */
enum { ROW_BYTES = 3 * ROWS_NAME + UTC_TEXT };

int rows_worse(int a, int b) { return a < 0 ? a : b < 0 ? b : a > b ? a : b; }

int rows_column(struct leat_negotiation *n, const char *name, enum leat_column_type type)
{
    return n->add_column(n, name, strlen(name), type, NULL);
}

static bool has_time(const struct leat_schema *s) { return (s->has & LEAT_HAS_TIMESTAMP) != 0; }

int rows_negotiate(struct leat_negotiation *n)
{
    n->out->has &= ~(uint32_t)LEAT_HAS_KEY;
    n->out->max_record_bytes = ROW_BYTES;
    int status = rows_column(n, "learner", LEAT_TEXT);
    status = rows_worse(status, rows_column(n, "examples", LEAT_NUMBER));
    return has_time(n->in) ? rows_worse(status, rows_column(n, "time", LEAT_TEXT)) : status;
}

uint32_t rows_first(const struct leat_ctx *ctx) { return has_time(ctx->out) ? TIME + 1 : TIME; }

struct leat_str rows_text(struct leat_batch *out, const char *text, size_t len)
{
    struct leat_str s = {out->n_bytes, (uint32_t)(len < ROWS_NAME ? len : ROWS_NAME)};
    memcpy(out->bytes + s.off, text, s.len);
    out->n_bytes += s.len;
    return s;
}

static struct leat_str rows_time_text(struct leat_batch *out, int64_t ns)
{
    struct leat_str s = {0, LEAT_NULL};
    if (ns < 0) return s;
    s = (struct leat_str){out->n_bytes, utc_write(out->bytes + out->n_bytes, ns)};
    out->n_bytes += s.len;
    return s;
}

/* Writes the texts of learner and time only once in a batch, because all its records come from one
 * answer. */
int rows_add(const struct leat_ctx *ctx, const struct leat_table *t, struct leat_batch *out)
{
    bool timed = has_time(ctx->out);
    if (!leat_has_space(out, ROW_BYTES)) return LEAT_EFULL;
    int r = leat_add_from(out, NULL, LEAT_NULL);
    if (r < 0) return r;
    struct leat_str *learner = out->column[LEARNER].text;
    learner[r] = r ? learner[r - 1] : rows_text(out, t->learner, strlen(t->learner));
    out->column[EXAMPLES].number[r] = (double)t->examples;
    if (!timed) return r;
    struct leat_str *time = out->column[TIME].text;
    time[r] = r ? time[r - 1] : rows_time_text(out, t->time);
    out->timestamp[r] = t->time;
    return r;
}

int rows_show(struct leat_ctx *ctx, void *self, const struct leat_table *t)
{
    *(struct rows *)self = (struct rows){.t = t};
    return LEAT_OK;
}
