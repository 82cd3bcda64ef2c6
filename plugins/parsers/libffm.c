/* libffm.c -- parse.libffm: "label field:index:value …" to examples.
 *
 * kernels/text/sparse_text.h defines the format. BYTES_PER_ENTRY limits the number of entries in a
 * batch: the shortest entry, "1:1:1" with the blank before it, has 6 bytes. */
#include <leat/plugin.h>

#include "parser.h"
#include "sparse.h"
#include "kernels/text/sparse_text.h"
#include "parsers/docs.h"

enum { BYTES_PER_ENTRY = 6 };

static const struct leat_param libffm_params[] = {SPARSE_PARAMS};

static int libffm_negotiate(const void *cfg, struct leat_negotiation *n)
{
    sparse_negotiate(n, BYTES_PER_ENTRY, true);
    return LEAT_OK;
}

static void libffm_name_entry(void *self, size_t entry, const char *name, size_t len)
{
    struct sparse_names *n = self;
    sparse_name(n, entry, sparse_slice(n->b, name, len));
}

static const struct sparse_complaint complaints[] = {
    [LIBFFM_LABEL] = {LEAT_R_LABEL, "label '", "' is not a number"},
    [LIBFFM_LABEL_NONFINITE] = {LEAT_R_NONFINITE, "label '", "' is not finite"},
    [LIBFFM_FIELD] = {LEAT_R_SYNTAX, "entry '",
                      "' does not begin with the number of a field (field:index:value)"},
    [LIBFFM_INDEX] = {LEAT_R_SYNTAX, "'",
                      "' after the field is not an index and a value (field:index:value); "
                      "parse.libsvm reads records of index:value"},
    [LIBFFM_VALUE] = {LEAT_R_NUMBER, "value '", "' is not a number"},
    [LIBFFM_VALUE_NONFINITE] = {LEAT_R_NONFINITE, "value '", "' is not finite"},
    [LIBFFM_FULL] = {LEAT_R_TOO_LARGE, "entry '",
                     "' does not fit: the batch has no room for more entries"},
};

static void libffm_parse_record(struct leat_ctx *ctx, const struct sparse *st, struct leat_batch *b,
                                uint32_t r)
{
    struct sparse_names names = sparse_names_begin(b);
    struct libffm_row row = {.id = b->id + b->n_entries,
                             .value = b->value + b->n_entries,
                             .cap = b->cap_entries - b->n_entries,
                             .name = libffm_name_entry,
                             .self = &names};
    const char *text = leat_text(b, b->raw[r]);
    enum libffm_status status = libffm_parse(text, text + b->raw[r].len, &row);
    if (status == LIBFFM_NOTHING) {
        leat_filter(b, r);
    } else if (status == LIBFFM_OK && sparse_take_label(ctx, st, b, r, row.label)) {
        sparse_add_example(ctx, &names, r, row.n);
    } else {
        sparse_names_undo(&names);
        if (status != LIBFFM_OK) sparse_reject(ctx, b, r, &complaints[status], row.at, row.at_len);
    }
}

static int libffm_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (LEAT_EACH_RECORD(b, r))
        libffm_parse_record(ctx, self, b, r);
    return LEAT_OK;
}

const struct leat_stage parse_libffm = {
    .name = "parse.libffm",
    .summary = "libffm's text \"label field:index:value …\" to examples",
    .doc = libffm_doc,
    .example = "leat.source.file { path = \"train.ffm.gz\" },\n"
               "leat.parse.libffm { },\n"
               "leat.learn.sftrl { loss = \"logistic\" },",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL | LEAT_PARSER,
    LEAT_FLOW(LEAT_HAS_RECORDS, LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL),
    LEAT_PARAMS(libffm_params, struct sparse_cfg),
    LEAT_INSTANCE(struct sparse, sparse_open, NULL),
    .validate = sparse_validate,
    .negotiate = libffm_negotiate,
    .framing = parser_of_lines,
    .process = libffm_process,
};
