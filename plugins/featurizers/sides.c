/* sides.c -- feature.sides: splits the features of an example into two sides.
 *
 * Two examples are added after each example: its left side, then its right side. The original
 * example is no longer selected. Entries keep their order, ids, names and values. A stage that
 * needs two sides (learn.product) expects two examples per record. Stages between may treat the
 * sides like other examples. */
#include <stdbool.h>
#include <string.h>

#include <leat/plugin.h>

#include "featurizers/docs.h"

enum { MARK_BYTES = 256 };

struct sides_cfg {
    struct leat_strings left;
    int64_t below;
    const char *mark;
    int32_t halves;
};

struct sides_stage {
    uint8_t *left;     /* 1 for each field on the left side; NULL: fields do not decide */
    uint32_t mark_len; /* length of cfg.mark */
};

static const struct leat_param sides_params[] = {
    LEAT_PARAM(struct sides_cfg, left, LEAT_STRINGS, .flags = LEAT_POSITIONAL,
               .doc = "columns whose features are on the left; the others are on the right"),
    LEAT_PARAM(struct sides_cfg, below, LEAT_INT, .def = "0", .min = 0, .max = 9e15,
               .doc = "features with smaller ids are on the left (libsvm); 0: not by id"),
    LEAT_PARAM(
        struct sides_cfg, mark, LEAT_STRING,
        .doc = "features before the one of this name are on the left, those after it on the right"),
    LEAT_PARAM(struct sides_cfg, halves, LEAT_BOOL, .def = "false",
               .doc = "the first half of the features is on the left, the second half on the "
                      "right; the middle one of an odd number is left out"),
};

static int sides_validate(const void *cfg, struct leat_diag *d)
{
    const struct sides_cfg *c = cfg;
    if (c->mark && (!*c->mark || strlen(c->mark) > MARK_BYTES))
        d->error(d, "mark", "the mark has %zu bytes: it must have 1 to %d", strlen(c->mark),
                 MARK_BYTES);
    int ways = (c->left.n > 0) + (c->below > 0) + (c->mark != NULL) + (c->halves != 0);
    if (ways == 1) return LEAT_OK;
    d->error(d, NULL, "%s: set one of left, below, mark and halves",
             ways ? "several parameters say how to split the sides"
                  : "nothing says how to split the sides");
    return LEAT_EARG;
}

static struct leat_strings sides_fields_of(const struct leat_schema *s)
{
    return (struct leat_strings){.v = s->fields, .n = s->n_fields};
}

/* True if features of a field are of a column: "humid", or "humid >= 60", "humid < 60" and
 * "humid is missing" (feature.columns). */
static bool sides_is_of(const char *field, const char *column)
{
    size_t n = strlen(column);
    if (strncmp(field, column, n)) return false;
    const char *more = field + n;
    return !*more || !strncmp(more, " >= ", 4) || !strncmp(more, " < ", 3) ||
           !strcmp(more, " is missing");
}

/* True if features of a field are of one of the columns. */
static bool sides_is_of_any(const char *field, const struct leat_strings *columns)
{
    for (uint32_t i = 0; i < columns->n; i++)
        if (sides_is_of(field, columns->v[i])) return true;
    return false;
}

/* Returns the number of fields on the left. */
static uint32_t sides_count_left(const struct leat_strings *fields, const struct leat_strings *left)
{
    uint32_t n = 0;
    for (uint32_t f = 0; f < fields->n; f++)
        n += sides_is_of_any(fields->v[f], left);
    return n;
}

static int sides_negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct sides_cfg *c = cfg;
    struct leat_strings fields = sides_fields_of(n->in);
    for (uint32_t i = 0; i < c->left.n; i++)
        if (!sides_count_left(&fields, &(struct leat_strings){.v = c->left.v + i, .n = 1}))
            n->diag->error(n->diag, "left", "no earlier stage makes features from a column '%s'",
                           c->left.v[i]);
    if (c->left.n && fields.n && sides_count_left(&fields, &c->left) == fields.n)
        n->diag->error(n->diag, "left",
                       "all columns are on the left: leave out the columns of the right side");
    if (c->mark && !(n->in->has & LEAT_HAS_NAMES))
        n->diag->error(n->diag, "mark", "the features have no names to compare with '%s'", c->mark);
    if (n->in->examples_per_record > 1)
        n->diag->error(n->diag, NULL, "a record makes %u examples: this stage needs one a record",
                       n->in->examples_per_record);
    n->add_bounds(n, &(struct leat_bounds){.examples_per_record = 2, .copies_entries = 1});
    return LEAT_OK;
}

static int sides_plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                      struct leat_plan *p)
{
    p->work_bytes = ((const struct sides_cfg *)cfg)->left.n ? in->n_fields : 0;
    return LEAT_OK;
}

static int sides_open_stage(struct leat_ctx *ctx, void *self)
{
    const struct sides_cfg *c = ctx->cfg;
    struct sides_stage *st = self;
    struct leat_strings fields = sides_fields_of(ctx->in);
    st->mark_len = c->mark ? (uint32_t)strlen(c->mark) : 0;
    if (!c->left.n) return LEAT_OK;
    st->left = ctx->host->alloc(ctx, ctx->in->n_fields);
    if (!st->left)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %u fields",
                               ctx->in->n_fields);
    for (uint32_t f = 0; f < fields.n; f++)
        st->left[f] = sides_is_of_any(fields.v[f], &c->left);
    return LEAT_OK;
}

static void sides_close_stage(struct leat_ctx *ctx, void *self)
{
    ctx->host->free(ctx, ((struct sides_stage *)self)->left);
}

/* True if the entry is on the left side. A conjunction is on the left if all its parts are. */
static bool sides_is_left_by_field(const struct sides_stage *st, const struct leat_batch *b,
                                   uint32_t i)
{
    uint32_t k = 0;
    if (!b->name || !b->name[i].part[0]) return false;
    for (; k < 3 && b->name[i].part[k]; k++) {
        uint32_t field = b->part[b->name[i].part[k] - 1].field;
        if (field == LEAT_NO_FIELD || !st->left[field]) return false;
    }
    return true;
}

static bool sides_is_mark(const struct sides_cfg *c, const struct sides_stage *st,
                          const struct leat_batch *b, uint32_t i)
{
    char text[MARK_BYTES];
    size_t n = leat_name_text(b, i, text, sizeof text);
    return n == st->mark_len && !memcmp(text, c->mark, n);
}

/* Finds the two sides of the entries [start, end): [start, *left) is the left side, and [*right,
 * end) the right side. Returns false if no mark separates them. */
static bool find_sides(const struct sides_cfg *c, const struct sides_stage *st,
                       const struct leat_batch *b, uint32_t start, uint32_t end, uint32_t *left,
                       uint32_t *right)
{
    if (c->halves) {
        *left = start + (end - start) / 2;
        *right = end - (end - start) / 2;
        return true;
    }
    for (*left = start; *left < end; ++*left)
        if (sides_is_mark(c, st, b, *left)) break;
    *right = *left + 1;
    return *left < end;
}

static void sides_copy_entry(struct leat_batch *b, uint32_t i)
{
    uint32_t to = (uint32_t)leat_add_entry(b, b->id[i], b->value[i]);
    if (b->name) b->name[to] = b->name[i];
}

/* Begins a new example for a side of example e. The batch must have room for it. */
static void sides_begin_side(struct leat_batch *b, uint32_t e)
{
    uint32_t side = (uint32_t)leat_add_example(b, b->ex_record[e]);
    b->ex_label[side] = b->ex_label[e];
    b->ex_weight[side] = b->ex_weight[e];
}

/* Adds both sides of example e. Returns false if the example has no mark. */
static bool add_sides(const struct sides_cfg *c, const struct sides_stage *st, struct leat_batch *b,
                      uint32_t e)
{
    uint32_t start = b->ex_start[e], end = b->ex_start[e + 1], left = end, right = end;
    bool by_location = c->halves || c->mark;
    if (by_location && !find_sides(c, st, b, start, end, &left, &right)) return false;
    for (int side = 0; side < 2; side++) {
        sides_begin_side(b, e);
        for (uint32_t i = start; i < end; i++) {
            bool here = by_location ? (side ? i >= right : i < left)
                        : st->left  ? sides_is_left_by_field(st, b, i) != side
                                    : (b->id[i] < (uint64_t)c->below) != side;
            if (here) sides_copy_entry(b, i);
        }
    }
    return true;
}

static int sides_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct sides_cfg *c = ctx->cfg;
    const struct sides_stage *st = self;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t n = b->ex_start[e + 1] - b->ex_start[e], r = b->ex_record[e];
        if (b->cap_examples - b->n_examples < 2 || b->cap_entries - b->n_entries < n)
            ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                              "the batch has no room for two sides of %u entries", n);
        else if (!add_sides(c, st, b, e))
            ctx->host->reject(ctx, b, r, LEAT_R_FIELDS, "the record has no '%s' between its sides",
                              c->mark);
    }
    b->n_ex_sel = 0; /* unselects the original examples; the caller then selects the sides */
    return LEAT_OK;
}

const struct leat_stage feature_sides = {
    .name = "feature.sides",
    .summary = "splits the features of each example into a left and a right side",
    .doc = sides_doc,
    .example = "leat.feature.sides { left = { \"office\" } }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL | LEAT_REWRITES,
    .needs = LEAT_HAS_EXAMPLES,
    LEAT_PARAMS(sides_params, struct sides_cfg),
    LEAT_INSTANCE(struct sides_stage, sides_open_stage, sides_close_stage),
    .validate = sides_validate,
    .negotiate = sides_negotiate,
    .plan = sides_plan,
    .process = sides_process,
};
