/* libsvm.c -- parse.libsvm: "label index:value …" to examples. The format: kernels/text/libsvm.h.
 *
 * A record makes one example, or none when it is blank, only a comment, or wrong. The kernel writes
 * ids and values into the batch where the next example's belong; they become an example only when
 * the whole record was correct, so a rejected record leaves nothing in the batch.
 *
 * How many entries a batch can get: an entry "1:1" with its blank has 4 bytes, a name "a" with its
 * blank has 2; the label makes up for the first blank. Hence bytes_per_entry.
 *
 * Labels: binary data come as -1/+1, 0/1 or 1/2, and 1/2 looks like ratings. So a label other than
 * -1, 0 and +1 is rejected until the script says what it means. */
#include <stdbool.h>

#include <leat/plugin.h>

#include "parser.h"
#include "kernels/text/decimal.h"
#include "kernels/text/libsvm.h"
#include "parsers/docs.h"

#define BYTES_PER_ENTRY       4
#define BYTES_PER_NAMED_ENTRY 2
#define SHOWN                 40 /* bytes of a wrong word in a message */

enum label_mode { LABEL_BINARY, LABEL_RAW };
static const char *const label_modes[] = {"binary", "raw", NULL};

struct cfg {
    int32_t label; /* enum label_mode */
    int32_t names;
    int32_t qid;
    const char *positive;
};

struct parser {
    double positive;
    bool has_positive;
};

/* Where the kernel's names go. */
struct naming {
    struct leat_batch *b;
    uint32_t named; /* entries of b that have a name, or show their number */
    bool full;      /* a name did not fit */
};

static const struct leat_param params[] = {
    LEAT_PARAM(
        struct cfg, label, LEAT_CHOICE, .def = "binary", .choices = label_modes,
        .doc = "binary: -1 and 0 are the negative class, +1 the positive; raw: any finite number"),
    LEAT_PARAM(
        struct cfg, positive, LEAT_STRING,
        .doc = "the label (a number) that is the positive class; all others are the negative one"),
    LEAT_PARAM(
        struct cfg, names, LEAT_BOOL, .def = "false",
        .doc =
            "features may have names instead of numbers, and a feature without ':' has the value "
            "1"),
    LEAT_PARAM(struct cfg, qid, LEAT_BOOL, .def = "false",
               .doc = "a record's key is its qid (ranking sets); otherwise qid:… is skipped"),
};

static bool read_positive(const struct cfg *c, double *value)
{
    return decimal_whole(c->positive, c->positive + strlen(c->positive), value) == DECIMAL_OK;
}

static int validate(const void *cfg, struct leat_diag *d)
{
    const struct cfg *c = cfg;
    double value;
    if (!c->positive) return LEAT_OK;
    if (c->label == LABEL_RAW)
        d->error(d, "positive", "has no meaning with label = \"raw\": leave one of the two out");
    if (!read_positive(c, &value))
        d->error(d, "positive",
                 "'%s' is not a number: give the label as it is in the data, such as \"2\"",
                 c->positive);
    return LEAT_OK;
}

static int negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct cfg *c = cfg;
    n->out->has |= LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL;
    n->out->examples_per_record = 1;
    n->out->entries_per_record = 0;
    n->out->parts_per_record = 0;
    n->out->bytes_per_entry = c->names ? BYTES_PER_NAMED_ENTRY : BYTES_PER_ENTRY;
    if (c->names) n->out->has |= LEAT_HAS_NAMES;
    if (c->qid) n->out->has |= LEAT_HAS_KEY;
    return LEAT_OK;
}

static int open_parser(struct leat_ctx *ctx, void *self)
{
    struct parser *st = self;
    const struct cfg *c = ctx->cfg;
    st->has_positive = c->positive && read_positive(c, &st->positive);
    return LEAT_OK;
}

static struct leat_str slice(const struct leat_batch *b, const char *p, size_t len)
{
    return (struct leat_str){(uint32_t)(p - b->bytes), (uint32_t)len};
}

/* Entries up to `end` without a name show their number. */
static void leave_unnamed(struct naming *n, uint32_t end)
{
    if (end > n->named) memset(&n->b->name[n->named], 0, (end - n->named) * sizeof *n->b->name);
    n->named = end;
}

static void name_entry(void *self, size_t entry, const char *name, size_t len)
{
    struct naming *n = self;
    uint32_t i = n->b->n_entries + (uint32_t)entry;
    uint32_t part = leat_add_part(n->b, LEAT_NO_FIELD, slice(n->b, name, len));
    leave_unnamed(n, i);
    n->b->name[i] = (struct leat_name){{part}};
    n->named = i + 1;
    n->full |= part == 0;
}

/* Why a record is rejected: the wrong word comes between `before` and `after`. */
static const struct complaint {
    int reason;
    const char *before, *after;
} complaints[] = {
    [LIBSVM_LABEL] = {LEAT_R_LABEL, "label '", "' is not a number"},
    [LIBSVM_LABEL_NONFINITE] = {LEAT_R_NONFINITE, "label '", "' is not finite"},
    [LIBSVM_VALUE] = {LEAT_R_NUMBER, "value '", "' is not a number"},
    [LIBSVM_VALUE_NONFINITE] = {LEAT_R_NONFINITE, "value '", "' is not finite"},
    [LIBSVM_NAME] = {LEAT_R_SYNTAX, "feature '",
                     "' is not a number: set names = true to read names"},
    [LIBSVM_NO_COLON] = {LEAT_R_SYNTAX, "entry '",
                         "' has no ':' (index:value): set names = true to give it the value 1"},
    [LIBSVM_NO_NAME] = {LEAT_R_SYNTAX, "entry '", "' has nothing before its ':'"},
    [LIBSVM_FULL] = {LEAT_R_TOO_LARGE, "entry '",
                     "' does not fit: the batch has no room for more entries"},
};

static void reject_record(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                          enum libsvm_status status, const struct libsvm_row *row)
{
    const struct complaint *c = &complaints[status];
    size_t column = (size_t)(row->at - leat_text(b, b->raw[r])) + 1;
    ctx->host->reject(ctx, b, r, c->reason, "%s%.*s%s%s, at byte %zu", c->before,
                      (int)(row->at_len < SHOWN ? row->at_len : SHOWN), row->at,
                      row->at_len > SHOWN ? "…" : "", c->after, column);
}

/* Sets the label of record r as the script wants it. false: the record was rejected. */
static bool take_label(struct leat_ctx *ctx, const struct parser *st, struct leat_batch *b,
                       uint32_t r, double label)
{
    if (((const struct cfg *)ctx->cfg)->label == LABEL_RAW) {
        b->label[r] = (float)label;
    } else if (st->has_positive) {
        b->label[r] = label == st->positive ? 1.0f : -1.0f;
    } else if (label == 1 || label == 0 || label == -1) {
        b->label[r] = label > 0 ? 1.0f : -1.0f;
    } else {
        ctx->host->reject(
            ctx, b, r, LEAT_R_LABEL,
            "label %.9g is not -1, 0 or +1: set positive = \"%.9g\" (or another label) "
            "for two classes, or label = \"raw\" for ratings and regression",
            label, label);
        return false;
    }
    return true;
}

/* The entries that the kernel wrote after the last example become record r's example. */
static void add_example(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, size_t n)
{
    if (leat_add_example(b, r) < 0) {
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE, "the batch has no room for more examples");
        return;
    }
    b->n_entries += (uint32_t)n;
    b->ex_start[b->n_examples] = b->n_entries;
}

static void parse_record(struct leat_ctx *ctx, const struct parser *st, struct leat_batch *b,
                         uint32_t r)
{
    const struct cfg *c = ctx->cfg;
    struct naming naming = {.b = b, .named = b->n_entries};
    struct libsvm_row row = {.id = b->id + b->n_entries,
                             .value = b->value + b->n_entries,
                             .cap = b->cap_entries - b->n_entries,
                             .name = c->names ? name_entry : NULL,
                             .self = &naming};
    const char *text = leat_text(b, b->raw[r]);
    uint32_t parts = b->n_parts;
    enum libsvm_status status =
        libsvm_parse(text, text + b->raw[r].len, b->bytes + b->n_bytes, &row);
    if (status == LIBSVM_NOTHING) {
        leat_filter(b, r);
    } else if (status != LIBSVM_OK || naming.full) {
        b->n_parts = parts;
        if (status == LIBSVM_OK)
            ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                              "the batch has no room for more feature names");
        else
            reject_record(ctx, b, r, status, &row);
    } else if (take_label(ctx, st, b, r, row.label)) {
        if (b->name) leave_unnamed(&naming, b->n_entries + (uint32_t)row.n);
        if (c->qid)
            b->key[r] = row.qid ? slice(b, row.qid, row.qid_len) : (struct leat_str){0, LEAT_NULL};
        add_example(ctx, b, r, row.n);
    } else {
        b->n_parts = parts;
    }
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (LEAT_EACH_RECORD(b, r))
        parse_record(ctx, self, b, r);
    return LEAT_OK;
}

const struct leat_stage parse_libsvm = {
    .name = "parse.libsvm",
    .summary = "sparse text \"label index:value …\" to examples",
    .doc = libsvm_doc,
    .example = "leat.source.file { path = \"train.libsvm.zst\" },\n"
               "leat.parse.libsvm { },\n"
               "leat.learn.awm { budget = \"8KB\" },",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL | LEAT_PARSER,
    LEAT_FLOW(LEAT_HAS_RECORDS, LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL),
    LEAT_PARAMS(params, struct cfg),
    LEAT_INSTANCE(struct parser, open_parser, NULL),
    .validate = validate,
    .negotiate = negotiate,
    .framing = parser_of_lines,
    .process = process,
};
