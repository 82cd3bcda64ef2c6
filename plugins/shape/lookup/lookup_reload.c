/* lookup_reload.c -- shape.lookup: another file during the run, see lookup_inside.h. */
#include <time.h>

#include "core/time/clock.h"
#include "lookup_inside.h"

/* SETTLED_MS: a file that has not changed for so long is whole. REST: a database that changes all
 * the time is read for one part of the time in so many. */
enum { SETTLED_MS = 1000, REST = 10 };

/* A file that is still being written has changed a moment ago. */
static bool lookup_reload_is_settled(const struct lookup_file *file)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t age = (now.tv_sec - file->modified.tv_sec) * (int64_t)1000 +
                  (now.tv_nsec - file->modified.tv_nsec) / 1000000;
    return age < 0 || age >= SETTLED_MS;
}

static void lookup_reload_take_next(struct leat_ctx *ctx, struct lookup *st)
{
    struct lookup_table old = st->table;
    st->table = st->next;
    st->next = old;
    st->reloaded++;
    if (!ctx->lane)
        ctx->host->log(ctx, LEAT_INFO, "path = '%s' has changed, and was read again: %u rows",
                       ((const struct lookup_cfg *)ctx->cfg)->path, st->table.rows);
    lookup_warn(ctx, st);
}

static void lookup_reload_keep_table(struct leat_ctx *ctx, struct lookup *st)
{
    char line[40];
    st->unusable++;
    if (!ctx->lane)
        ctx->host->log(ctx, LEAT_WARN,
                       "path = '%s'%s: %s; the table that was read before stays in use",
                       ((const struct lookup_cfg *)ctx->cfg)->path, lookup_line(&st->next, line),
                       st->next.why);
}

static void lookup_reload_take_csv(struct leat_ctx *ctx, struct lookup *st,
                                   const struct lookup_file *file)
{
    if (!lookup_reload_is_settled(file) && file->inode) return;
    bool good = lookup_read_csv(ctx, &st->next, &st->reading, &st->file);
    struct lookup_file now = lookup_file_now(((const struct lookup_cfg *)ctx->cfg)->path, false);
    if (good && !lookup_same_file(&now, &st->file)) return; /* changed while it was read */
    if (good)
        lookup_reload_take_next(ctx, st);
    else if (!ctx->host->stopping(ctx))
        lookup_reload_keep_table(ctx, st);
}

static void lookup_reload_tell_locked(struct leat_ctx *ctx, struct lookup *st)
{
    if (!st->told_locked && !ctx->lane)
        ctx->host->log(ctx, LEAT_WARN,
                       "path = '%s' %s; it is tried again each second, and the table that was read "
                       "before stays in use",
                       ((const struct lookup_cfg *)ctx->cfg)->path, st->next.why);
    st->told_locked = true;
}

/* What is read is whole, so it need not have come to rest. */
static void lookup_reload_take_database(struct leat_ctx *ctx, struct lookup *st)
{
    struct lookup_file file;
    bool locked;
    uint64_t from = clock_ns();
    if (from < st->rest_until_ns) return;
    bool good = lookup_read_database(ctx, &st->next, 0, &file, &locked);
    st->rest_until_ns = clock_ns() + REST * (clock_ns() - from);
    if (!good && ctx->host->stopping(ctx)) return;
    if (locked) {
        lookup_reload_tell_locked(ctx, st);
        return;
    }
    st->file = file;
    st->told_locked = false;
    if (good)
        lookup_reload_take_next(ctx, st);
    else
        lookup_reload_keep_table(ctx, st);
}

int lookup_tick(struct leat_ctx *ctx, void *self, int64_t now)
{
    const struct lookup_cfg *cfg = ctx->cfg;
    struct lookup *st = self;
    if (!cfg->reload) return LEAT_OK;
    struct lookup_file file = lookup_file_now(cfg->path, st->is_database);
    if (lookup_same_file(&file, &st->file)) return LEAT_OK;
    if (st->is_database)
        lookup_reload_take_database(ctx, st);
    else
        lookup_reload_take_csv(ctx, st, &file);
    return LEAT_OK;
}
