/* finish.c -- warnings at the end of a run about functions that return nothing, or pass nothing. */
#include "column.h"
#include "run.h"

enum { FEWEST_RECORDS = 10 }; /* for which it is strange */

void lua_run_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    const struct lua_run *st = self[0];
    if (st->silent >= FEWEST_RECORDS && st->silent == st->calls)
        ctx->host->log(ctx, LEAT_WARN,
                       "the function returned nothing for each of %llu records, and so none "
                       "passes: write return before the condition",
                       (unsigned long long)st->calls);
    if (st->truth && !st->passed && st->calls >= FEWEST_RECORDS)
        ctx->host->log(
            ctx, LEAT_WARN,
            "no record passes, and true and false of column '%.*s' come as texts: compare "
            "with \"true\", as in x == \"true\"",
            (int)st->truth->n_name, st->truth->name);
}
