/* averaged.c -- implementation of averaged.h. */
#include "averaged.h"

#include "common/state/state_fields.h"

bool averaged_open(struct leat_ctx *ctx, bool on, uint64_t n, struct averages *a)
{
    *a = (struct averages){0};
    if (on) a->of = ctx->host->alloc(ctx, averaged_bytes(true, n + 1));
    return a->of || !on;
}

void averaged_close(struct leat_ctx *ctx, struct averages *a)
{
    ctx->host->free(ctx, a->of);
    a->of = NULL;
}

int averaged_validate(bool on, const struct leat_interval *half_life, struct leat_diag *d)
{
    if (!on || !(half_life->examples || half_life->ns)) return LEAT_OK;
    d->error(
        d, "averaged",
        "an average over all records would show what half_life forgets: leave one of them out");
    return LEAT_EARG;
}

/* ---- state ---- */

/* A state has the averages one after the other, and not in blocks. */
struct averaged_state {
    struct averages a;
    const struct average *rows;
    uint32_t n;
};

#define AT(member) STATE_MEMBER(struct averaged_state, member)
static const struct state_field fields[] = {
    {"averages_taken", STATE_VALUE, .at = AT(a.taken), .max = COUNT_MAX},
    {"averages_entries", STATE_VALUE, .at = AT(a.entries), .max = COUNT_MAX},
    {"averages", STATE_LENT, .at = STATE_MEMBER_OF(struct averaged_state, rows, LEAT_F32),
     .each = AVERAGES_NUMBERS, .count = {AT(n)}},
};
#undef AT
enum { ROWS = 2 }; /* the field of the averages, the last one */

int averaged_write(const struct averages *a, uint32_t n, struct leat_writer *w)
{
    struct averaged_state s = {*a, NULL, n};
    if (!a->of) return LEAT_OK;
    int status = state_write(w, fields, ROWS, &s);
    if (status != LEAT_OK) return status;
    struct average *rows =
        w->reserve(w, fields[ROWS].name, LEAT_F32, (uint64_t)n * AVERAGES_NUMBERS);
    if (!rows) return LEAT_ENOMEM;
    for (uint32_t f = 0; f < n; f++)
        rows[f] = averages_get(a, f);
    return LEAT_OK;
}

int averaged_read(struct averages *a, uint32_t n, struct leat_reader *r)
{
    struct averaged_state s = {*a, NULL, n};
    if (!a->of) return LEAT_OK;
    if (state_read(r, STATE_TABLE(fields), &s) != LEAT_OK) return LEAT_EDATA;
    for (uint32_t f = 0; f < n; f++)
        averages_set(a, f, s.rows[f]);
    a->taken = s.a.taken;
    a->entries = s.a.entries;
    const char *wrong = averages_check(a, n);
    return wrong ? r->refuse(r, "%s", wrong) : LEAT_OK;
}
