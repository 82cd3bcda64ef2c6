/* libsvm.c -- parse.libsvm: "label index:value …" to examples.
 *
 * kernels/text/sparse_text.h defines the format. entries_per_256_bytes limits the number of entries
 * in a batch: the shortest entry, "1:1" with the blank before it, has 4 bytes; with names, "a" with
 * the blank before it has 2. */
#include <stdbool.h>

#include <string.h>

#include <leat/plugin.h>

#include "parser.h"
#include "sparse.h"
#include "kernels/text/sparse_text.h"
#include "parsers/docs.h"

#define BYTES_PER_ENTRY       4
#define BYTES_PER_NAMED_ENTRY 2

struct libsvm_cfg {
    struct sparse_cfg sparse;
    int32_t names;
    int32_t qid;
};

static const struct leat_param libsvm_params[] = {
    SPARSE_PARAMS,
    LEAT_PARAM(
        struct libsvm_cfg, names, LEAT_BOOL, .def = "false",
        .doc =
            "features may have names instead of numbers, and a feature without ':' has the value "
            "1"),
    LEAT_PARAM(struct libsvm_cfg, qid, LEAT_BOOL, .def = "false",
               .doc = "a record's key is its qid (ranking sets); otherwise qid:… is skipped"),
};

struct libsvm_parser {
    struct sparse sparse;
    uint64_t commented; /* records with a comment that looks like a name, if there are names */
};

static int libsvm_negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct libsvm_cfg *c = cfg;
    sparse_negotiate(n, c->names ? BYTES_PER_NAMED_ENTRY : BYTES_PER_ENTRY, c->names);
    if (c->qid) n->out->has |= LEAT_HAS_KEY;
    return LEAT_OK;
}

static void libsvm_name_entry(void *self, size_t entry, const char *name, size_t len)
{
    struct sparse_names *n = self;
    sparse_name(n, entry, sparse_slice(n->b, name, len));
}

enum { LIKE_CSV = LIBSVM_OK }; /* index in `complaints` for a label that is a whole line of CSV */

static const struct sparse_complaint complaints[] = {
    [LIBSVM_LABEL] = {LEAT_R_LABEL, "label '", "' is not a number"},
    [LIKE_CSV] = {LEAT_R_LABEL, "label '",
                  "' is not a number: if the line is CSV, use parse.csv (in an application --set "
                  "format=csv)"},
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

static void libsvm_parse_record(struct leat_ctx *ctx, struct libsvm_parser *st,
                                struct leat_batch *b, uint32_t r)
{
    const struct libsvm_cfg *c = ctx->cfg;
    struct sparse_names names = sparse_names_begin(b);
    struct libsvm_row row = {.id = b->id + b->n_entries,
                             .value = b->value + b->n_entries,
                             .cap = b->cap_entries - b->n_entries,
                             .name = c->names ? libsvm_name_entry : NULL,
                             .self = &names};
    const char *text = leat_text(b, b->raw[r]);
    enum libsvm_status status =
        libsvm_parse(text, text + b->raw[r].len, b->bytes + b->n_bytes, &row);
    if (status == LIBSVM_NOTHING) {
        leat_filter(b, r);
    } else if (status == LIBSVM_OK && sparse_take_label(ctx, &st->sparse, b, r, row.label)) {
        const char *after = row.comment ? row.comment + 1 : NULL;
        if (c->names && after && after < text + b->raw[r].len && (unsigned char)*after > ' ')
            st->commented++;
        if (c->qid)
            b->key[r] =
                row.qid ? sparse_slice(b, row.qid, row.qid_len) : (struct leat_str){0, LEAT_NULL};
        sparse_add_example(ctx, &names, r, row.n);
    } else {
        sparse_names_undo(&names);
        bool csv = status == LIBSVM_LABEL && memchr(row.at, ',', row.at_len);
        if (status != LIBSVM_OK)
            sparse_reject(ctx, b, r, &complaints[csv ? LIKE_CSV : status], row.at, row.at_len);
    }
}

static int libsvm_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (LEAT_EACH_RECORD(b, r))
        libsvm_parse_record(ctx, self, b, r);
    return LEAT_OK;
}

/* Warns of names that were taken for comments. */
static void libsvm_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    uint64_t commented = 0;
    for (uint32_t i = 0; i < lanes; i++)
        commented += ((const struct libsvm_parser *)self[i])->commented;
    if (commented)
        ctx->host->log(
            ctx, LEAT_WARN,
            "records with a word that begins with '#': %llu (it begins a comment, so the "
            "rest of the line was not read: let no name begin with '#')",
            (unsigned long long)commented);
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
    LEAT_PARAMS(libsvm_params, struct libsvm_cfg),
    LEAT_INSTANCE(struct libsvm_parser, sparse_open, NULL),
    .validate = sparse_validate,
    .negotiate = libsvm_negotiate,
    .framing = parser_of_lines,
    .process = libsvm_process,
    .finish = libsvm_finish,
};
