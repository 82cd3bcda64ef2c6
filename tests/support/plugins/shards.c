/* shards.c -- source.shards: a source with a state for each of its inputs, which it moves.
 *
 * Records of input k depend only on k and their number: a number and three features, with that many
 * seconds as time. At every checkpoint it takes the states. With SHARDS_MOVES it then ends some
 * inputs, and begins them again from that state and place, as if another process continued them. It
 * delivers the records since the checkpoint again.
 *
 * Settings that must leave no trace in states are environment variables:
 *
 *   SHARDS_MOVES=1      moves inputs
 *   SHARDS_MOVES=early  inputs also end while their batch is being filled, and between a barrier
 *                       and the end of its checkpoint
 *   SHARDS_MOVES=late   as early; inputs without records left also end when a checkpoint is over
 *                       and not yet reported
 *   SHARDS_BATCH        records in a batch
 *   SHARDS_OUT          writes the states to files .0 to .4 at the end, and the places to files
 *                       .0.next to .4.next
 *   SHARDS_IN           reads the states and places from such files
 *   SHARDS_HOLD         records of each input; after them it asks the process to end, and waits
 *   SHARDS_SLOW=1       the first produce takes 2.5 s */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <leat/plugin.h>

enum { INPUTS = 5 };

struct cfg {
    int64_t rows, places;
};

struct input {
    int begun;
    int in_cut; /* begun at the last barrier */
    int owed;   /* ended, but its state at the present checkpoint is not yet written */
    uint32_t number;
    uint64_t next, cut;
    char *state;
    size_t n;
};

struct source {
    struct input input[INPUTS];
    uint32_t turn;
    uint64_t checkpoints, moved, batches;
    uint64_t asked; /* batches when the awaited checkpoint was requested; 0 without one */
    uint32_t per_batch;
    int moves, early, late, ended, stopped, told;
    int under_way; /* true between a checkpoint's barrier and its end */
    uint64_t hold;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, rows, LEAT_INT, .def = "1000", .max = 1e9),
    LEAT_PARAM(struct cfg, places, LEAT_INT, .def = "5", .max = 99),
};

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    p->shards = (uint32_t)((const struct cfg *)config)->places;
    return LEAT_OK;
}

static int open_source(struct leat_ctx *ctx, void *self)
{
    struct source *st = self;
    const char *batch = getenv("SHARDS_BATCH");
    st->per_batch = batch ? (uint32_t)atoi(batch) : 17;
    st->moves = getenv("SHARDS_MOVES") != NULL;
    st->late = st->moves && !strcmp(getenv("SHARDS_MOVES"), "late");
    st->early = st->late || (st->moves && !strcmp(getenv("SHARDS_MOVES"), "early"));
    st->hold = getenv("SHARDS_HOLD") ? (uint64_t)atoi(getenv("SHARDS_HOLD")) : UINT64_MAX;
    return LEAT_OK;
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static void add_row(struct leat_batch *b, uint32_t k, uint64_t number)
{
    char text[100];
    uint64_t h = mix(1000003 * k + number);
    int n = snprintf(
        text, sizeof text, "%d %d:1 %d:1 %d:1", (int)(h >> 40 & 1023) - (h & 1 ? 200 : 800),
        (int)(h >> 8 & 63) + (h & 1 ? 5 : 0), (int)(h >> 20 & 127) + 100, (int)k + 300);
    uint32_t off = leat_add_bytes(b, (uint32_t)n);
    memcpy(b->bytes + off, text, (size_t)n);
    int r = leat_add_record(b, off, (uint32_t)n);
    b->timestamp[r] = (int64_t)number * 1000000000;
}

static void read_state(const char *folder, uint32_t k, struct input *i)
{
    char path[500];
    snprintf(path, sizeof path, "%s.%u", folder, k);
    FILE *f = fopen(path, "r");
    if (!f) return;
    i->state = malloc(1 << 20);
    i->n = fread(i->state, 1, 1 << 20, f);
    fclose(f);
    snprintf(path, sizeof path, "%s.%u.next", folder, k);
    if (!(f = fopen(path, "r"))) return;
    i->next = fread(&i->next, sizeof i->next, 1, f) ? i->next : 0;
    fclose(f);
}

static int begin(struct leat_ctx *ctx, struct input *i, uint32_t k)
{
    char name[20];
    snprintf(name, sizeof name, "input %u", k);
    if (getenv("SHARDS_IN") && !i->state) read_state(getenv("SHARDS_IN"), k, i);
    i->number = LEAT_NEW_INPUT;
    int s = ctx->host->shard_begin(ctx, name, i->state, i->n, &i->number);
    i->begun = s == LEAT_OK;
    if (s == LEAT_EFULL) return ctx->host->fail(ctx, LEAT_EARG, "no place for %s", name);
    return s;
}

/* Ends an input. It begins again from its last state, and delivers the records since again. */
static void leave(struct leat_ctx *ctx, struct source *st, struct input *i)
{
    ctx->host->shard_end(ctx, i->number);
    i->begun = 0;
    i->owed = st->under_way && i->in_cut;
    i->next = i->cut;
    st->moved++;
}

/* True if every input has given all records of SHARDS_HOLD. */
static int is_held(const struct source *st)
{
    int held = 1;
    for (uint32_t j = 0; j < INPUTS; j++)
        held &= st->input[j].begun && st->input[j].next >= st->hold;
    return held;
}

static int produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct source *st = self;
    const struct cfg *cfg = ctx->cfg;
    if (!st->turn && getenv("SHARDS_SLOW")) nanosleep(&(struct timespec){2, 500000000}, NULL);
    /* Waits, because otherwise all data is read before an input moves. */
    if (st->asked && st->batches > st->asked + 9) {
        nanosleep(&(struct timespec){0, 200000}, NULL);
        return LEAT_AGAIN;
    }
    if (is_held(st)) {
        if (!st->told++) kill(getpid(), SIGTERM);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        return LEAT_AGAIN;
    }
    uint32_t k = st->turn++ % INPUTS, left = 0;
    struct input *i = &st->input[k];
    if (i->owed) return LEAT_OK;
    int s = i->begun ? LEAT_OK : begin(ctx, i, k);
    if (s != LEAT_OK) return s;
    if (++st->batches % 11 == 0) {
        ctx->host->checkpoint_soon(ctx);
        st->asked = st->moves ? st->batches : 0;
    }
    uint64_t end = st->hold < (uint64_t)cfg->rows ? st->hold : (uint64_t)cfg->rows;
    if (i->next < end)
        b->extent[b->n_extents++] = (struct leat_extent){.input = i->number, .offset = i->next};
    while (i->next < end && b->n < st->per_batch) {
        add_row(b, k, i->next++);
        b->extent[0].n++;
    }
    int late = st->late && st->under_way && i->in_cut && !b->n;
    if (late) nanosleep(&(struct timespec){0, 20000000}, NULL);
    if (late || (st->early && mix(st->batches) % 7 == 0)) leave(ctx, st, i);
    for (uint32_t j = 0; j < INPUTS; j++)
        left += !st->input[j].begun || st->input[j].next < (uint64_t)cfg->rows;
    st->ended = !left && !is_held(st);
    return st->ended ? LEAT_EOS : LEAT_OK;
}

static int barrier(struct leat_ctx *ctx, void *self, uint64_t checkpoint)
{
    struct source *st = self;
    for (uint32_t k = 0; k < INPUTS; k++) {
        st->input[k].cut = st->input[k].next;
        st->input[k].in_cut = st->input[k].begun;
    }
    st->under_way = 1;
    return LEAT_OK;
}

static void write_state(const char *folder, uint32_t k, const struct input *i)
{
    char path[500];
    snprintf(path, sizeof path, "%s.%u", folder, k);
    FILE *f = fopen(path, "w");
    fwrite(i->state, 1, i->n, f);
    fclose(f);
    snprintf(path, sizeof path, "%s.%u.next", folder, k);
    f = fopen(path, "w");
    fwrite(&i->cut, sizeof i->cut, 1, f);
    fclose(f);
}

static int durable(struct leat_ctx *ctx, void *self, uint64_t checkpoint)
{
    struct source *st = self;
    st->under_way = 0;
    for (uint32_t k = 0; k < INPUTS; k++) {
        struct input *i = &st->input[k];
        const void *state = NULL;
        size_t n = 0;
        int owed = i->owed;
        i->owed = 0;
        if ((!i->begun && !owed) || !i->cut) continue;
        ctx->host->shard_state(ctx, i->number, &state, &n);
        if (!n) return ctx->host->fail(ctx, LEAT_EDATA, "input %u has no state", k);
        free(i->state);
        i->state = memcpy(malloc(n), state, n);
        i->n = n;
        if (st->stopped && getenv("SHARDS_OUT")) write_state(getenv("SHARDS_OUT"), k, i);
        if (st->stopped || st->ended || owed || !st->moves || mix(st->checkpoints + 7 * k) % 3)
            continue;
        leave(ctx, st, i);
    }
    st->checkpoints++;
    st->asked = 0;
    return LEAT_OK;
}

static int stop(struct leat_ctx *ctx, void *self)
{
    struct source *st = self;
    st->stopped = 1;
    ctx->host->metric(ctx, "moved", (double)st->moved);
    return LEAT_OK;
}

static void close_source(struct leat_ctx *ctx, void *self)
{
    struct source *st = self;
    for (uint32_t k = 0; k < INPUTS; k++)
        free(st->input[k].state);
}

static const struct leat_figure figures[] = {
    {"moved", "1", "shards that were moved", LEAT_COUNTER}};

static const struct leat_stage stage[] = {
    {.name = "source.shards",
     .summary = "inputs with a state each",
     .kind = LEAT_SOURCE,
     .makes = LEAT_HAS_RECORDS | LEAT_HAS_TIMESTAMP,
     LEAT_PARAMS(params, struct cfg),
     LEAT_FIGURES(figures),
     .instance_size = sizeof(struct source),
     .plan = plan,
     .open = open_source,
     .barrier = barrier,
     .stop = stop,
     .close = close_source,
     .source = LEAT_ROLE(leat_source, .framings = LEAT_FRAMINGS_OF_MESSAGES, .produce = produce,
                         .durable = durable)}};

LEAT_PLUGIN("shards", "1.0", "Apache-2.0", "a source with a state for each input", &stage[0]);
