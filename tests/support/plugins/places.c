/* places.c -- source.places: 40 records "r"; it rejects every third, and tells its place by
 * `how`. */
#include <stdio.h>

#include <leat/plugin.h>

enum { RECORDS = 40 };
enum how { NUMBERED, GAPS, LATE };
static const char *const hows[] = {"numbered", "gaps", "late", NULL};

struct cfg {
    int32_t how; /* enum how */
    int64_t extents;
};
static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, how, LEAT_CHOICE, .def = "numbered", .choices = hows,
               .doc = "records that follow each other, with gaps, or told after their rejection"),
    LEAT_PARAM(struct cfg, extents, LEAT_INT, .def = "0", .max = 100, .doc = "more extents"),
};

struct places {
    uint32_t made;
};

static int negotiate(const void *config, struct leat_negotiation *n)
{
    const struct cfg *c = config;
    n->out->max_record_bytes = 1;
    n->add_bounds(n, &(struct leat_bounds){.extents = (uint32_t)c->extents});
    return LEAT_OK;
}

static int add(const struct cfg *c, struct leat_batch *b, uint32_t off, uint64_t number)
{
    if (c->how == LATE) return leat_add_record(b, off, 1);
    return leat_add_record_at(b, off, 1, 0, c->how == GAPS ? 10 * number : number, 0);
}

static int produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct cfg *c = ctx->cfg;
    struct places *st = self;
    for (; st->made < RECORDS; st->made++) {
        int r = add(c, b, b->n_bytes, st->made);
        if (r == LEAT_EFULL) return LEAT_OK;
        b->bytes[b->n_bytes++] = 'r';
        if (st->made % 3 == 0) ctx->host->reject(ctx, b, (uint32_t)r, LEAT_R_OTHER, "%u", st->made);
    }
    if (c->how == LATE) {
        b->extent[0] = (struct leat_extent){.n = RECORDS, .offset = 100};
        b->n_extents = 1;
    }
    return LEAT_EOS;
}

static int open_places(struct leat_ctx *ctx, void *self)
{
    return ctx->host->name_input(ctx, 0, "places");
}

static const struct leat_stage source_places = {
    .name = "source.places",
    .summary = "records with places",
    .doc = "Records whose places are told in several ways.",
    .example = "leat.source.places {}",
    .kind = LEAT_SOURCE,
    .makes = LEAT_HAS_RECORDS,
    LEAT_PARAMS(params, struct cfg),
    LEAT_INSTANCE(struct places, open_places, NULL),
    .negotiate = negotiate,
    .source = LEAT_ROLE(leat_source, .framings = LEAT_FRAMINGS_OF_MESSAGES, .produce = produce),
};
LEAT_PLUGIN("places", "1.0", "Apache-2.0", "test: where records came from", &source_places);
