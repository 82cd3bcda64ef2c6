/* finish.c -- what is said at the end of a run of lua.filter and lua.map: of conditions that were
 * unknown, or never changed, and of functions that return nothing. */
#include <stdio.h>

#include "column.h"
#include "run.h"

enum { FEWEST_RECORDS = 10 }; /* for which a condition that never changes is strange */
enum { NAME_BYTES = 280, CURE_BYTES = 3 * NAME_BYTES + 120 };

/* The column as an expression has it: name, column["first name"]. */
static void write_name(const struct column *c, char name[NAME_BYTES])
{
    bool plain = column_is_lua_name(c->name, c->n_name);
    snprintf(name, NAME_BYTES, plain ? "%.*s" : "column[\"%.*s\"]", (int)c->n_name, c->name);
}

/* Which records are left out, and what can be written for them. */
static void write_cure(const struct column *c, char cure[CURE_BYTES])
{
    char name[NAME_BYTES];
    if (!c) {
        snprintf(cure, CURE_BYTES, ": (x or 0) stands for an x that has no value");
        return;
    }
    write_name(c, name);
    snprintf(cure, CURE_BYTES,
             ", as where column '%.*s' has no value: '%s == nil or (…)' is true for such records, "
             "'%s ~= nil and (…)' false",
             (int)c->n_name, c->name, name, name);
}

static void warn_of_unknown(struct leat_ctx *ctx, const struct lua_run *st)
{
    char cure[CURE_BYTES];
    if (!st->unknown) return;
    write_cure(st->lacks, cure);
    ctx->host->log(ctx, LEAT_WARN, "%s: unknown for %llu of %llu records, which are left out%s",
                   st->cfg->condition, (unsigned long long)st->unknown,
                   (unsigned long long)(st->unknown + st->asked), cure);
}

void lua_run_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    const struct lua_run *st = self[0];
    const struct lua_cfg *cfg = ctx->cfg;
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
    if (!cfg->condition) return;
    warn_of_unknown(ctx, st);
    if (st->asked < FEWEST_RECORDS) return;
    if (st->held && st->held < st->asked) return;
    ctx->host->log(ctx, LEAT_WARN,
                   "%s: this is true for %s of %llu records: compare the condition with the values "
                   "of its columns",
                   cfg->condition, st->held ? "each" : "none", (unsigned long long)st->asked);
}
