/* deltoids.c -- eval.deltoids: how many of the features that set two groups apart did a learner find?
 *
 * For evaluation only: it counts every feature exactly, so its memory grows with them (24 bytes a
 * feature in tables at most half full). Features are counted by id; what the learner shows are
 * names, so the hash of each feature's name is worked out when it is first seen, and the answer's
 * names are looked up among those hashes.
 *
 * A feature seen c1 times in N1 records labelled +1, and c0 times in N0 others, has the exact ratio
 * (c1 / N1) / (c0 / N0), with a half added to both counts when one is 0.
 *
 * Not here: how a learner estimates. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdio.h>

#include "support/out.h"
#include "kernels/base/names.h"
#include "base/mix64.h"

enum { TABLE, JSONL, CSV };
static const char *const formats[] = {"table", "jsonl", "csv", NULL};

enum { THRESHOLDS = 6, FIRST_ROOM = 4096, LONGEST_NAME = 512 };

struct cfg {
    const char *path;
    int32_t append;
    int32_t format;
    int64_t k, min_count, name_bytes;
    const char *of;
    struct leat_interval every;
};

struct feature {
    uint64_t id, name; /* name: hash of the text as the learner keeps it */
    uint32_t count[2]; /* label -1, +1; both 0: an empty place           */
};

struct deltoids {
    struct out out;
    struct feature *feature; /* room places, found by id */
    uint64_t room, n;        /* room: a power of two, at least 2 n */
    uint64_t records[2];
    uint64_t *found; /* hashes of the answer's names: 2^k >= 2 x rows places, 0 is empty */
    uint64_t found_room;
    int reports;
};

static const struct leat_param params[] = {
    {.name = "k",
     .type = LEAT_INT,
     .flags = LEAT_POSITIONAL,
     .offset = offsetof(struct cfg, k),
     .def = "2048",
     .min = 1,
     .max = 1e6,
     .unit = "features",
     .doc = "how many the learner is asked for; it may hold fewer"},
    {.name = "min_count",
     .type = LEAT_INT,
     .offset = offsetof(struct cfg, min_count),
     .def = "10",
     .min = 1,
     .max = 4e9,
     .unit = "examples",
     .doc = "only features seen at least so often are to be found"},
    {.name = "of",
     .type = LEAT_STRING,
     .offset = offsetof(struct cfg, of),
     .doc = "id of the learner; by default the nearest one upstream"},
    {.name = "every",
     .type = LEAT_INTERVAL,
     .offset = offsetof(struct cfg, every),
     .doc = "how often: a time (\"10s\") or a number of examples; by default once, at the end"},
    {.name = "format",
     .type = LEAT_CHOICE,
     .offset = offsetof(struct cfg, format),
     .choices = formats,
     .def = "table",
     .doc = "table: for people; jsonl: one object a report; csv: one line a threshold"},
    {.name = "name_bytes",
     .type = LEAT_INT,
     .flags = LEAT_ADVANCED,
     .offset = offsetof(struct cfg, name_bytes),
     .def = "120",
     .min = 8,
     .max = LONGEST_NAME - 1,
     .unit = "bytes",
     .doc = "longest name that the learner keeps: its own name_bytes"},
    OUT_PARAMS(struct cfg),
};

static int validate(const void *config, struct leat_diag *d)
{
    const struct cfg *cfg = config;
    out_validate(cfg->path, d);
    return LEAT_OK;
}

static uint64_t places_for(uint64_t n)
{
    uint64_t room = 16;
    while (room < 2 * n)
        room *= 2;
    return room;
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct cfg *cfg = config;
    (void)in;
    (void)out;
    p->state_bytes = FIRST_ROOM * sizeof(struct feature);
    p->work_bytes = OUT_BUFFER + places_for((uint64_t)cfg->k) * sizeof(uint64_t);
    snprintf(p->note, sizeof p->note,
             "grows with the features seen: 48 to 96 bytes each; for evaluation");
    return LEAT_OK;
}

static int ask(const void *config, struct leat_ask *a)
{
    const struct cfg *cfg = config;
    a->kind = LEAT_QUERY_TOP;
    a->of = cfg->of;
    a->k = (uint32_t)cfg->k;
    a->every = cfg->every;
    return LEAT_OK;
}

static void close_deltoids(struct leat_ctx *ctx, void *self)
{
    struct deltoids *st = self;
    ctx->host->free(ctx, st->found);
    ctx->host->free(ctx, st->feature);
    out_close(ctx, &st->out);
}

static int open_deltoids(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    struct deltoids *st = self;
    int s = out_open(ctx, &st->out, cfg->path, cfg->append);
    if (s != LEAT_OK) return s;
    st->room = FIRST_ROOM;
    st->found_room = places_for((uint64_t)cfg->k);
    st->feature = ctx->host->alloc(ctx, st->room * sizeof *st->feature);
    st->found = ctx->host->alloc(ctx, st->found_room * sizeof *st->found);
    if (st->feature && st->found) return LEAT_OK;
    close_deltoids(ctx, self);
    return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory to count features");
}

/* ---- counting ---- */

static struct feature *place_of(struct feature *all, uint64_t room, uint64_t id)
{
    uint64_t h = id * MIX64_GOLDEN;
    uint64_t at = (h ^ (h >> 32)) & (room - 1);
    while ((all[at].count[0] | all[at].count[1]) && all[at].id != id)
        at = (at + 1) & (room - 1);
    return &all[at];
}

static int grow(struct leat_ctx *ctx, struct deltoids *st)
{
    uint64_t room = 2 * st->room;
    struct feature *all = ctx->host->alloc(ctx, room * sizeof *all);
    if (!all)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory to count more than %llu features",
                               (unsigned long long)st->n);
    for (uint64_t i = 0; i < st->room; i++) {
        const struct feature *f = &st->feature[i];
        if (f->count[0] | f->count[1]) *place_of(all, room, f->id) = *f;
    }
    ctx->host->free(ctx, st->feature);
    st->feature = all;
    st->room = room;
    return LEAT_OK;
}

static uint64_t hash_name(const char *name, size_t len)
{
    uint64_t h = XXH3_64bits(name, len);
    return h ? h : 1;
}

/* Cut as the learner cuts. */
static uint64_t entry_name(const struct leat_batch *b, uint32_t i, uint32_t most)
{
    char text[LONGEST_NAME + 1], cut[LONGEST_NAME];
    size_t len = leat_name_text(b, i, text, most + 1);
    return hash_name(cut, name_cut(text, len < most + 1 ? len : most + 1, most, cut));
}

static int count_entry(struct leat_ctx *ctx, struct deltoids *st, const struct leat_batch *b,
                       uint32_t i, int positive)
{
    const struct cfg *cfg = ctx->cfg;
    struct feature *f = place_of(st->feature, st->room, b->id[i]);
    if (!(f->count[0] | f->count[1])) {
        if (2 * (st->n + 1) > st->room) {
            int s = grow(ctx, st);
            if (s < 0) return s;
            f = place_of(st->feature, st->room, b->id[i]);
        }
        f->id = b->id[i];
        f->name = entry_name(b, i, (uint32_t)cfg->name_bytes);
        st->n++;
    }
    if (f->count[positive] != UINT32_MAX) f->count[positive]++;
    return LEAT_OK;
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct deltoids *st = self;
    uint32_t record = UINT32_MAX;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        int positive = b->ex_label[e] > 0;
        st->records[positive] += b->ex_record[e] != record;
        record = b->ex_record[e];
        for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++) {
            int s = count_entry(ctx, st, b, i, positive);
            if (s < 0) return s;
        }
    }
    return LEAT_OK;
}

/* ---- what was found ---- */

struct score {
    uint64_t features, found;
};

static double log_ratio(const struct deltoids *st, const struct feature *f)
{
    double half = f->count[0] && f->count[1] ? 0.0 : 0.5;
    double N1 = (double)st->records[1], N0 = (double)st->records[0];
    return log((f->count[1] + half) / (f->count[0] + half)) - log(N1 / N0);
}

static int is_found(const struct deltoids *st, uint64_t name)
{
    uint64_t at = name & (st->found_room - 1);
    while (st->found[at] && st->found[at] != name)
        at = (at + 1) & (st->found_room - 1);
    return st->found[at] != 0;
}

static void take_answer(struct deltoids *st, const struct leat_table *t)
{
    memset(st->found, 0, st->found_room * sizeof *st->found);
    for (uint32_t r = 0; r < t->n_rows && 2 * (uint64_t)r < st->found_room; r++) {
        uint64_t name = hash_name(t->names[r], t->name_len[r]);
        uint64_t at = name & (st->found_room - 1);
        while (st->found[at] && st->found[at] != name)
            at = (at + 1) & (st->found_room - 1);
        st->found[at] = name;
    }
}

/* score[t - 1]: of the features with |log ratio| >= t. With one group only there are no ratios. */
static void judge(const struct deltoids *st, int64_t min_count, struct score score[THRESHOLDS])
{
    memset(score, 0, THRESHOLDS * sizeof *score);
    if (!st->records[0] || !st->records[1]) return;
    for (uint64_t i = 0; i < st->room; i++) {
        const struct feature *f = &st->feature[i];
        if (!(f->count[0] | f->count[1])) continue;
        if ((int64_t)f->count[0] + f->count[1] < min_count) continue;
        double size = fabs(log_ratio(st, f));
        int found = is_found(st, f->name);
        for (int t = 0; t < THRESHOLDS && size >= t + 1; t++) {
            score[t].features++;
            score[t].found += (uint64_t)found;
        }
    }
}

static double recall_of(const struct score *s)
{
    return s->features ? (double)s->found / (double)s->features : (double)NAN;
}

/* ---- reports ---- */

static void put_grouped(struct text_out *o, uint64_t v, size_t width)
{
    char text[TEXT_NUMBER];
    size_t n = text_format_grouped(text, v);
    text_pad(o, width > n ? width - n : 0);
    text_bytes(o, text, n);
}

static int show_table(struct leat_ctx *ctx, struct deltoids *st, const struct leat_table *t,
                      const struct score *score)
{
    const struct cfg *cfg = ctx->cfg;
    struct text_out *o = &st->out.text;
    if (st->reports) text_char(o, '\n');
    text_str(o, "Recall (");
    text_str(o, t->learner);
    text_str(o, ", ");
    put_grouped(o, t->examples, 0);
    text_str(o, " examples, ");
    put_grouped(o, st->n, 0);
    text_str(o, " features, ");
    put_grouped(o, t->n_rows, 0);
    text_str(o, " retrieved, min_count ");
    put_grouped(o, (uint64_t)cfg->min_count, 0);
    text_char(o, ')');
    out_line(ctx, &st->out);
    text_str(o, "|log ratio|  features     found  recall");
    out_line(ctx, &st->out);
    for (int i = 0; i < THRESHOLDS; i++) {
        char text[16] = "     -";
        if (score[i].features) snprintf(text, sizeof text, "%6.3f", recall_of(&score[i]));
        text_str(o, "       >= ");
        text_uint(o, (uint64_t)i + 1);
        put_grouped(o, score[i].features, 10);
        put_grouped(o, score[i].found, 10);
        text_str(o, "  ");
        text_str(o, text);
        out_line(ctx, &st->out);
    }
    return LEAT_OK;
}

static int show_jsonl(struct leat_ctx *ctx, struct deltoids *st, const struct leat_table *t,
                      const struct score *score)
{
    const struct cfg *cfg = ctx->cfg;
    struct text_out *o = &st->out.text;
    out_json_head(o, t);
    text_str(o, t->last ? ",\"last\":true,\"features\":" : ",\"last\":false,\"features\":");
    text_uint(o, st->n);
    text_str(o, ",\"retrieved\":");
    text_uint(o, t->n_rows);
    text_str(o, ",\"min_count\":");
    text_uint(o, (uint64_t)cfg->min_count);
    text_str(o, ",\"recall\":[");
    for (int i = 0; i < THRESHOLDS; i++) {
        text_str(o, i ? ",{\"log_ratio\":" : "{\"log_ratio\":");
        text_uint(o, (uint64_t)i + 1);
        text_str(o, ",\"features\":");
        text_uint(o, score[i].features);
        text_str(o, ",\"found\":");
        text_uint(o, score[i].found);
        text_str(o, ",\"recall\":");
        text_json_double(o, recall_of(&score[i]));
        text_char(o, '}');
    }
    text_str(o, "]}");
    return out_line(ctx, &st->out);
}

static int show_csv(struct leat_ctx *ctx, struct deltoids *st, const struct leat_table *t,
                    const struct score *score)
{
    struct text_out *o = &st->out.text;
    if (st->out.fresh && !st->reports) {
        text_str(o, "learner,examples,log_ratio,features,found,recall");
        out_line(ctx, &st->out);
    }
    for (int i = 0; i < THRESHOLDS; i++) {
        text_csv(o, t->learner, strlen(t->learner), ',');
        text_char(o, ',');
        text_uint(o, t->examples);
        text_char(o, ',');
        text_uint(o, (uint64_t)i + 1);
        text_char(o, ',');
        text_uint(o, score[i].features);
        text_char(o, ',');
        text_uint(o, score[i].found);
        text_char(o, ',');
        if (score[i].features) text_double(o, recall_of(&score[i]));
        out_line(ctx, &st->out);
    }
    return LEAT_OK;
}

static int show(struct leat_ctx *ctx, void *self, const struct leat_table *t)
{
    const struct cfg *cfg = ctx->cfg;
    struct deltoids *st = self;
    struct score score[THRESHOLDS];
    take_answer(st, t);
    judge(st, cfg->min_count, score);
    int s = cfg->format == TABLE   ? show_table(ctx, st, t, score)
            : cfg->format == JSONL ? show_jsonl(ctx, st, t, score)
                                   : show_csv(ctx, st, t, score);
    st->reports = 1;
    return s < 0 ? s : out_flush(ctx, &st->out);
}

const struct leat_stage eval_deltoids = {
    .name = "eval.deltoids",
    .summary = "evaluation: which share of the true relative deltoids a learner has found",
    .doc =
        "Counts every feature of the examples that pass, exactly, among those labelled +1 and the "
        "others; asks the learner for its k heaviest features; and shows, for t = 1 … 6, how many "
        "features have |log(p(x|+)/p(x|-))| >= t and at least min_count occurrences, and the "
        "share of them among the answer. Where one count is 0 a half is added to both. "
        "Frequencies are shares of the records of each label.\n"
        "Place it behind the learner: what the learner rejects is then not counted either. When "
        "all examples have one label, there are no ratios and recall is empty.\n"
        "  csv    learner, examples, log_ratio, features, found, recall\n"
        "  jsonl  {\"learner\", \"examples\", \"last\", \"features\", \"retrieved\", "
        "\"min_count\", \"recall\": [{\"log_ratio\", \"features\", \"found\", \"recall\"}]}\n"
        "Memory grows with the features, 48 to 96 bytes each: this is for evaluation, not for a "
        "stream without end.",
    .example = "leat.eval.deltoids { k = 2048, min_count = 10, of = \"model\" }",
    .kind = LEAT_SINK,
    .caps = LEAT_STATEFUL,
    .needs = LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL,
    LEAT_PARAMS(params),
    .cfg_size = sizeof(struct cfg),
    .instance_size = sizeof(struct deltoids),
    .validate = validate,
    .plan = plan,
    .ask = ask,
    .open = open_deltoids,
    .close = close_deltoids,
    .process = process,
    .start = out_start_call,
    .stop = out_stop,
    .show = show,
};
