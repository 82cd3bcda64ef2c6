/* views.c -- source.views: shows states that source.shards has left, and changes some of them.
 *
 * learn.merges adds up examples, and tells how many states it has merged in this process.
 *
 *   VIEWS_IN   the states are files .0 to .4 of this name (SHARDS_OUT)
 *
 * A step takes 100 ms. Step 0 begins all inputs. Step 15 gives input 0 the state of input 1. At
 * step 30 input 2 ends, and input 3 begins with a state that is damaged. Step `ends` ends the
 * run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <leat/plugin.h>

enum { INPUTS = 5, STATE_BYTES = 1 << 20 };

struct views_cfg {
    int64_t ends;
};

struct views {
    uint32_t number[INPUTS];
    int step;
};

static const struct leat_param views_params[] = {
    LEAT_PARAM(struct views_cfg, ends, LEAT_INT, .def = "45", .max = 45),
};

static int views_plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                      struct leat_plan *p)
{
    p->shards = INPUTS;
    return LEAT_OK;
}

static int views_open(struct leat_ctx *ctx, void *self)
{
    struct views *v = self;
    for (int k = 0; k < INPUTS; k++)
        v->number[k] = LEAT_NEW_INPUT;
    return LEAT_OK;
}

/* Begins input k with the state of input `from`, whose last bytes are changed if `damaged`. */
static int views_begin(struct leat_ctx *ctx, struct views *v, int k, int from, int damaged)
{
    char name[20], path[500];
    snprintf(name, sizeof name, "input %d", k);
    snprintf(path, sizeof path, "%s.%d", getenv("VIEWS_IN"), from);
    FILE *f = fopen(path, "r");
    char *state = malloc(STATE_BYTES);
    size_t n = f ? fread(state, 1, STATE_BYTES, f) : 0;
    if (f) fclose(f);
    for (size_t i = n - n / 4; damaged && i < n; i++)
        state[i] ^= 1;
    int status = ctx->host->shard_begin(ctx, name, state, n, &v->number[k]);
    free(state);
    return damaged ? status != LEAT_EDATA : status;
}

static int views_produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct views *v = self;
    int status = LEAT_OK;
    for (int k = 0; v->step == 0 && k < INPUTS && status == LEAT_OK; k++)
        status = views_begin(ctx, v, k, k, 0);
    if (v->step == 15) status = views_begin(ctx, v, 0, 1, 0);
    if (v->step == 30) ctx->host->shard_end(ctx, v->number[2]);
    if (v->step == 30) status = views_begin(ctx, v, 3, 3, 1);
    if (status != LEAT_OK) return ctx->host->fail(ctx, LEAT_EARG, "step %d fails", v->step);
    nanosleep(&(struct timespec){0, 100000000}, NULL);
    return v->step++ == ((const struct views_cfg *)ctx->cfg)->ends ? LEAT_EOS : LEAT_AGAIN;
}

/* ---- learn.merges ---- */

struct merges {
    uint64_t sum;
};
static uint64_t merges_done;

static int merges_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    ((struct merges *)self)->sum += b->n_ex_sel;
    return LEAT_OK;
}

static int merges_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    return w->u64(w, "sum", ((struct merges *)self)->sum);
}

static int merges_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    return r->u64(r, "sum", &((struct merges *)self)->sum);
}

static int merges_merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight)
{
    uint64_t sum;
    int status = r->u64(r, "sum", &sum);
    if (status != LEAT_OK) return status;
    ((struct merges *)self)->sum += sum;
    merges_done++;
    return LEAT_OK;
}

static int merges_query(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                        struct leat_result *r)
{
    static const char *const columns[] = {"sum", "merges"};
    const double values[] = {(double)((struct merges *)self)->sum, (double)merges_done};
    int status = r->columns(r, columns, 2);
    return status == LEAT_OK ? r->row(r, "all", 3, values) : status;
}

static const struct leat_stage stage[] = {
    {.name = "source.views",
     .summary = "states of inputs, shown",
     .kind = LEAT_SOURCE,
     .makes = LEAT_HAS_RECORDS | LEAT_HAS_TIMESTAMP,
     LEAT_PARAMS(views_params, struct views_cfg),
     LEAT_INSTANCE(struct views, views_open, NULL),
     .plan = views_plan,
     .source =
         LEAT_ROLE(leat_source, .framings = LEAT_FRAMINGS_OF_MESSAGES, .produce = views_produce)},
    {.name = "learn.merges",
     .summary = "a sum that tells how often it was merged",
     .kind = LEAT_LEARNER,
     LEAT_FLOW(LEAT_HAS_EXAMPLES, 0),
     LEAT_INSTANCE(struct merges, NULL, NULL),
     .process = merges_process,
     .learner = LEAT_ROLE(leat_learner, .query = merges_query),
     .state = LEAT_ROLE(leat_state, .version = 1, .snapshot = merges_snapshot,
                        .restore = merges_restore, .merge = merges_merge)}};

LEAT_PLUGIN("views", "1.0", "Apache-2.0", "states that are shown, and merges that are counted",
            &stage[0], &stage[1]);
