/* vw.c -- parse.vw: Vowpal Wabbit's text to examples.
 *
 * kernels/text/sparse_text.h defines the format. BYTES_PER_ENTRY limits the number of entries in a
 * batch: the shortest feature, "a" with a blank before it, has 2 bytes.
 *
 * Namespace and name are not adjacent in the record, so "namespace^name" is appended to the batch.
 * If a long namespace has many short features, the bytes of these names grow with the square of the
 * record's length. So a record is rejected if its names take more than NAME_COPIES times its
 * bytes. */
#include <stdbool.h>
#include <string.h>

#include <leat/plugin.h>

#include "parser.h"
#include "sparse.h"
#include "kernels/text/sparse_text.h"
#include "parsers/docs.h"
#include "common/cells/strings.h"
#include "common/learners/examples.h"

enum {
    BYTES_PER_ENTRY = 2,
    NAME_COPIES = 4,
    WATCHED = 256 /* most namespaces in `keep` or `ignore` for which a warning is possible */
};

enum missing { MISSING_FILTER, MISSING_REJECT };
static const char *const missing_names[] = {"filter", "reject", NULL};

struct vw_cfg {
    struct sparse_cfg sparse;
    int32_t missing; /* enum missing */
    int32_t names;
    int32_t tag;
    int32_t skip_base;
    struct leat_strings keep, ignore;
};

struct vw_parser {
    struct sparse sparse;
    bool came[WATCHED];
};

/* Record that is being parsed. */
struct record {
    struct sparse_names names;
    struct vw_parser *st;
    const struct vw_cfg *cfg;
    uint32_t off;    /* b->n_bytes before the record */
    uint64_t room;   /* bytes left for the record's names */
    bool long_names; /* the names need more bytes than `room` */
};

static const struct leat_param vw_params[] = {
    SPARSE_PARAMS,
    LEAT_PARAM(struct vw_cfg, missing, LEAT_CHOICE, .def = "filter", .choices = missing_names,
               .doc = "what to do with a record without a label: filter it, or reject it as bad"),
    LEAT_PARAM(struct vw_cfg, keep, LEAT_STRINGS,
               .doc = "the namespaces whose features are taken; \"\" is the one without a name; by "
                      "default all"),
    LEAT_PARAM(struct vw_cfg, ignore, LEAT_STRINGS,
               .doc = "the namespaces whose features are left out"),
    LEAT_PARAM(struct vw_cfg, names, LEAT_BOOL, .def = "true",
               .doc = "features show as namespace^name; false: as the number of their id, which "
                      "takes less memory"),
    LEAT_PARAM(struct vw_cfg, tag, LEAT_BOOL, .def = "false",
               .doc = "a record's key is its tag; otherwise tags are skipped"),
    LEAT_PARAM(struct vw_cfg, skip_base, LEAT_BOOL, .def = "false",
               .doc =
                   "skip the base of a record; otherwise a record whose base is not 0 is rejected"),
};

static int vw_validate(const void *cfg, struct leat_diag *d)
{
    const struct vw_cfg *c = cfg;
    if (c->keep.n && c->ignore.n)
        d->error(d, "ignore", "cannot be set together with `keep`: leave out one of the two");
    return sparse_validate(cfg, d);
}

static int vw_negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct vw_cfg *c = cfg;
    sparse_negotiate(n, BYTES_PER_ENTRY, c->names);
    if (c->names) n->add_bounds(n, &(struct leat_bounds){.copies_text = NAME_COPIES});
    if (c->tag) n->out->has |= LEAT_HAS_KEY;
    return LEAT_OK;
}

/* ---- calls of the kernel ---- */

static bool keeps_space(void *self, struct vw_text space)
{
    struct record *x = self;
    const struct leat_strings *listed = x->cfg->keep.n ? &x->cfg->keep : &x->cfg->ignore;
    uint32_t i = strings_find(listed, space.at, space.len);
    bool found = i < listed->n;
    if (found && i < WATCHED) x->st->came[i] = true;
    return found == (listed == &x->cfg->keep);
}

/* Appends "space^name" to the batch. Returns {0, LEAT_NULL} if the name does not fit. */
static struct leat_str join(struct record *x, struct vw_text space, struct vw_text name)
{
    struct leat_batch *b = x->names.b;
    size_t len = space.len + 1 + name.len;
    x->long_names |= len > x->room;
    uint32_t off = x->long_names ? LEAT_NULL : leat_add_bytes(b, (uint32_t)len);
    if (off == LEAT_NULL) return (struct leat_str){0, LEAT_NULL};
    x->room -= len;
    memcpy(b->bytes + off, space.at, space.len);
    b->bytes[off + space.len] = '^';
    memcpy(b->bytes + off + space.len + 1, name.at, name.len);
    return (struct leat_str){off, (uint32_t)len};
}

static void vw_name_entry(void *self, size_t entry, struct vw_text space, struct vw_text name)
{
    struct record *x = self;
    struct leat_str text =
        space.len ? join(x, space, name) : sparse_slice(x->names.b, name.at, name.len);
    x->names.full |= text.len == LEAT_NULL;
    if (text.len != LEAT_NULL) sparse_name(&x->names, entry, text);
}

/* ---- a record ---- */

static const struct sparse_complaint complaints[] = {
    [VW_LABEL] = {LEAT_R_LABEL, "label '",
                  "' is not a number (a tag begins with ' or touches the first '|')"},
    [VW_LABEL_NONFINITE] = {LEAT_R_NONFINITE, "label '", "' is not finite"},
    [VW_LABEL_TOUCHES] = {LEAT_R_LABEL, "'",
                          "' touches the '|' (or ends a line without one) and so is a tag, "
                          "and the label is missing: write ' |' after a label, or ' before a tag"},
    [VW_IMPORTANCE] = {LEAT_R_NUMBER, "importance '", "' is not a number (features follow a '|')"},
    [VW_IMPORTANCE_NONFINITE] = {LEAT_R_NONFINITE, "importance '", "' is not finite"},
    [VW_IMPORTANCE_NEGATIVE] = {LEAT_R_NUMBER, "importance '", "' is below 0"},
    [VW_BASE] = {LEAT_R_NUMBER, "base '",
                 "' is not a number (a tag begins with ' or touches the first '|')"},
    [VW_BASE_NONFINITE] = {LEAT_R_NONFINITE, "base '", "' is not finite"},
    [VW_HEAD] = {LEAT_R_SYNTAX, "'",
                 "' comes after label, importance and base: a '|' must come first"},
    [VW_SCALE] = {LEAT_R_NUMBER, "scale '", "' of a namespace is not a number"},
    [VW_SCALE_NONFINITE] = {LEAT_R_NONFINITE, "scale '", "' of a namespace is not finite"},
    [VW_VALUE] = {LEAT_R_NUMBER, "value '", "' is not a number"},
    [VW_VALUE_NONFINITE] = {LEAT_R_NONFINITE, "value '",
                            "' is not finite, or not when it is multiplied by its namespace's "
                            "scale"},
    [VW_NO_NAME] = {LEAT_R_SYNTAX, "'", "' has nothing before its ':'"},
    [VW_FULL] = {LEAT_R_TOO_LARGE, "feature '",
                 "' does not fit: the batch has no room for more entries"},
};

/* Multiplies the weight of record r by the importance. Returns false if the record was rejected. */
static bool take_importance(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                            const struct vw_row *row)
{
    double weight = row->importance * (double)b->weight[r];
    if (weights_possible(weight)) {
        b->weight[r] = (float)weight;
        return true;
    }
    ctx->host->reject(ctx, b, r, LEAT_R_NUMBER,
                      "importance %g is not a weight: weights are 0, or %g to %g", weight,
                      WEIGHTS_MIN, WEIGHTS_MAX);
    return false;
}

static const struct leat_own_reason reasons[] = {
    {"base", "The record has a base prediction, and learners begin at 0 (`skip_base`)."},
};

/* Checks the base of record r. Returns false if the record was rejected. */
static bool take_base(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                      const struct vw_row *row)
{
    if (row->base == 0 || ((const struct vw_cfg *)ctx->cfg)->skip_base) return true;
    ctx->host->reject(
        ctx, b, r, LEAT_R_OWN(0),
        "the record has a base of %g, but learners begin at 0: set skip_base = true to skip bases",
        row->base);
    return false;
}

/* Sets the label of record r. If the record has no label, rejects or filters it. Returns false if
 * there is no label or it is wrong. */
static bool take_label(struct leat_ctx *ctx, const struct vw_parser *st, struct leat_batch *b,
                       uint32_t r, const struct vw_row *row)
{
    if (row->has_label) return sparse_take_label(ctx, &st->sparse, b, r, row->label);
    if (((const struct vw_cfg *)ctx->cfg)->missing == MISSING_FILTER)
        leat_filter(b, r);
    else
        ctx->host->reject(ctx, b, r, LEAT_R_LABEL, "the record has no label");
    return false;
}

static bool take_names(struct leat_ctx *ctx, const struct record *x, uint32_t r)
{
    if (!x->long_names) return true;
    ctx->host->reject(ctx, x->names.b, r, LEAT_R_TOO_LARGE,
                      "the names of features with their namespaces take more than %d times the "
                      "bytes of the record: set names = false",
                      NAME_COPIES);
    return false;
}

/* Makes the example of record r, which has been parsed. Returns false if the record was rejected or
 * filtered. */
static bool take_row(struct leat_ctx *ctx, struct record *x, uint32_t r, const struct vw_row *row)
{
    struct leat_batch *b = x->names.b;
    if (!take_label(ctx, x->st, b, r, row) || !take_importance(ctx, b, r, row) ||
        !take_base(ctx, b, r, row) || !take_names(ctx, x, r))
        return false;
    if (x->cfg->tag)
        b->key[r] = row->tag.len ? sparse_slice(b, row->tag.at, row->tag.len)
                                 : (struct leat_str){0, LEAT_NULL};
    sparse_add_example(ctx, &x->names, r, row->n);
    return true;
}

static void vw_parse_record(struct leat_ctx *ctx, struct vw_parser *st, struct leat_batch *b,
                            uint32_t r)
{
    const struct vw_cfg *c = ctx->cfg;
    struct record x = {.names = sparse_names_begin(b),
                       .st = st,
                       .cfg = c,
                       .off = b->n_bytes,
                       .room = (uint64_t)b->raw[r].len * NAME_COPIES};
    struct vw_row row = {.id = b->id + b->n_entries,
                         .value = b->value + b->n_entries,
                         .cap = b->cap_entries - b->n_entries,
                         .name = c->names ? vw_name_entry : NULL,
                         .keeps = c->keep.n || c->ignore.n ? keeps_space : NULL,
                         .self = &x};
    const char *text = leat_text(b, b->raw[r]);
    enum vw_status status = vw_parse(text, text + b->raw[r].len, b->bytes + b->n_bytes, &row);
    if (status == VW_OK && take_row(ctx, &x, r, &row)) return;
    if (status == VW_NOTHING)
        leat_filter(b, r);
    else if (status != VW_OK)
        sparse_reject(ctx, b, r, &complaints[status], row.wrong.at, row.wrong.len);
    sparse_names_undo(&x.names);
    b->n_bytes = x.off;
}

static int vw_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (LEAT_EACH_RECORD(b, r))
        vw_parse_record(ctx, self, b, r);
    return LEAT_OK;
}

/* ---- the end ---- */

static bool came_in_a_lane(void *const *self, uint32_t lanes, uint32_t i)
{
    bool came = false;
    for (uint32_t lane = 0; lane < lanes; lane++)
        came |= ((const struct vw_parser *)self[lane])->came[i];
    return came;
}

/* Warns of namespaces in `keep` or `ignore` that no record had: they may be misspelt. */
static void vw_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    const struct vw_cfg *c = ctx->cfg;
    const struct leat_strings *listed = c->keep.n ? &c->keep : &c->ignore;
    for (uint32_t i = 0; i < listed->n && i < WATCHED; i++)
        if (!came_in_a_lane(self, lanes, i))
            ctx->host->log(ctx, LEAT_WARN,
                           "%s: no record has a namespace '%s': compare the spelling",
                           c->keep.n ? "keep" : "ignore", listed->v[i]);
}

const struct leat_stage parse_vw = {
    .name = "parse.vw",
    .summary = "Vowpal Wabbit's text \"label |namespace name:value …\" to examples",
    .doc = vw_doc,
    .example = "leat.source.file { path = \"train.vw.gz\" },\n"
               "leat.parse.vw { ignore = { \"debug\" } },\n"
               "leat.learn.awm { budget = \"8KB\" },",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL | LEAT_PARSER,
    LEAT_FLOW(LEAT_HAS_RECORDS, LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL),
    LEAT_PARAMS(vw_params, struct vw_cfg),
    LEAT_REASONS(reasons),
    LEAT_INSTANCE(struct vw_parser, sparse_open, NULL),
    .validate = vw_validate,
    .negotiate = vw_negotiate,
    .framing = parser_of_lines,
    .process = vw_process,
    .finish = vw_finish,
};
