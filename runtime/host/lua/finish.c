/* finish.c -- what is said at the end of a run of lua.filter and lua.map: of conditions that were
 * unknown, or never changed, and of functions that return nothing. */
#include <stdio.h>

#include "column.h"
#include "run.h"

enum { FEWEST_RECORDS = 10 }; /* for which a condition that never changes is strange */
enum { ASKING_BYTES = 900, CURE_BYTES = LACKING_TEXT + 2 * ASKING_BYTES + 80 };

/* Each column as an expression has it, name or column["first name"], asked so: "a == nil or b ==
 * nil or ". */
static void write_asking(const struct lacking *l, const char *asked, char out[ASKING_BYTES])
{
    size_t n = 0;
    for (uint32_t i = 0; i < l->n && i < LACKING_SHOWN && n < ASKING_BYTES; i++) {
        const struct lacking_name *c = &l->name[i];
        bool plain = column_is_lua_name(c->text, c->len);
        n += (size_t)snprintf(out + n, ASKING_BYTES - n, plain ? "%.*s%s" : "column[\"%.*s\"]%s",
                              (int)c->len, c->text, asked);
    }
}

/* Which records are left out, and what can be written for them. */
static void write_cure(const struct lacking *lacks, char cure[CURE_BYTES])
{
    char text[LACKING_TEXT], either[ASKING_BYTES], both[ASKING_BYTES];
    if (!lacks->n) {
        snprintf(cure, CURE_BYTES, ": (x or 0) stands for an x that has no value");
        return;
    }
    write_asking(lacks, " == nil or ", either);
    write_asking(lacks, " ~= nil and ", both);
    snprintf(cure, CURE_BYTES, ", as where %s: '%s(…)' is true for such records, '%s(…)' false",
             lacking_text(lacks, text), either, both);
}

static void warn_of_unknown(struct leat_ctx *ctx, const struct lua_run *st)
{
    char cure[CURE_BYTES];
    if (!st->unknown) return;
    write_cure(&st->lacks, cure);
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
