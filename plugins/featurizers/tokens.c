/* tokens.c -- feature.tokens: makes an example of the tokens of a record's text, in their order.
 *
 * The name of a token is a slice of the text. If a token is changed, because it is cut or converted
 * to lower case, its new form is appended to the batch. kernels/text/tokens.c splits text, converts
 * case and handles Unicode. */
#include <leat/plugin.h>

#include "examples.h"
#include "featurizers/docs.h"
#include "kernels/base/feature_id.h"
#include "kernels/text/tokens.h"
#include "common/cells/columns.h"

struct tokens_cfg {
    const char *column, *separator;
    int32_t rule; /* enum tokens_rule */
    int32_t lower;
    int64_t max_bytes;
};

struct tokens_stage {
    struct tokens_options opt;
    uint32_t column;
    uint64_t tokens, cut; /* number of tokens in this run, and number of tokens that were cut */
};

enum { MAX_BYTES = 1024 }; /* largest number of bytes of a token */
static const char *const tokens_rules[] = {"whitespace", "words", NULL};

static const struct leat_param tokens_params[] = {
    LEAT_PARAM(struct tokens_cfg, column, LEAT_STRING, .flags = LEAT_POSITIONAL, .def = "text",
               .doc = "the column with the text"),
    LEAT_PARAM(struct tokens_cfg, rule, LEAT_CHOICE, .def = "whitespace", .choices = tokens_rules,
               .doc = "whitespace: parts between blanks; words: runs of letters, digits and marks"),
    LEAT_PARAM(struct tokens_cfg, separator, LEAT_STRING, .replaces = "rule",
               .doc = "a text that separates tokens, in place of the rule"),
    LEAT_PARAM(struct tokens_cfg, lower, LEAT_BOOL, .def = "false",
               .doc = "make tokens lower case"),
    LEAT_PARAM(
        struct tokens_cfg, max_bytes, LEAT_INT, .flags = LEAT_ADVANCED, .def = "64",
        .min = TOKENS_MIN_BYTES, .max = MAX_BYTES, .unit = "bytes",
        .doc =
            "longer tokens are cut to N bytes; tokens with the same first N bytes are one token"),
};

static int tokens_validate(const void *config, struct leat_diag *d)
{
    const struct tokens_cfg *cfg = config;
    if (cfg->separator && !cfg->separator[0])
        d->error(d, "separator", "is empty: give the text that separates tokens, or leave it out");
    return LEAT_OK;
}

static int tokens_negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct tokens_cfg *c = cfg;
    uint32_t column;
    examples_negotiate(n);
    int status = n->column(n, "column", c->column, LEAT_TAKES_TEXT, &column);
    if (status < 0) return status;
    /* n bytes contain at most (n + 1) / 2 tokens. Lower case is at most 1.5 times as long. */
    n->add_bounds(n, &(struct leat_bounds){.examples_per_record = 1,
                                           .entries_per_record = 1,
                                           .parts_per_record = 1,
                                           .entries_per_256_bytes = 128,
                                           .copies_text = c->lower ? 2 : 0});
    return status;
}

static int tokens_open_stage(struct leat_ctx *ctx, void *self)
{
    const struct tokens_cfg *c = ctx->cfg;
    struct tokens_stage *st = self;
    st->opt =
        (struct tokens_options){.rule = (enum tokens_rule)c->rule,
                                .separator = c->separator,
                                .n_separator = c->separator ? (uint32_t)strlen(c->separator) : 0,
                                .lower = c->lower,
                                .max_bytes = (uint32_t)c->max_bytes};
    st->column = columns_known(ctx, c->column, LEAT_TAKES_TEXT);
    return LEAT_OK;
}

/* Appends a changed token to the batch: its beginning, or its lower case. Returns false if there is
 * no room. */
static bool tokens_add_form(const struct tokens_options *o, struct leat_batch *b,
                            struct leat_str from, struct leat_str *to)
{
    char beginning[MAX_BYTES];
    if (!o->lower) {
        *to = (struct leat_str){from.off,
                                (uint32_t)tokens_form(o, leat_text(b, from), from.len, beginning)};
        return true;
    }
    uint32_t longest = from.len + from.len / 2;
    uint32_t off = leat_add_bytes(b, longest < o->max_bytes ? longest : o->max_bytes);
    if (off == LEAT_NULL) return false;
    *to = (struct leat_str){off,
                            (uint32_t)tokens_form(o, leat_text(b, from), from.len, b->bytes + off)};
    b->n_bytes = off + to->len;
    return true;
}

static bool tokens_add_token(const struct tokens_stage *st, struct leat_batch *b, struct leat_str s,
                             bool as_is)
{
    if (!as_is && !tokens_add_form(&st->opt, b, s, &s)) return false;
    uint32_t part = leat_add_part(b, LEAT_NO_FIELD, s);
    int i = part ? leat_add_entry(b, feature_id_name(leat_text(b, s), s.len), 1.0f) : -1;
    if (i >= 0) b->name[i] = (struct leat_name){{part}};
    return i >= 0;
}

/* Makes an example of the tokens of record r. Returns false if there is no room. */
static bool tokens_tokenise(struct tokens_stage *st, struct leat_batch *b, uint32_t r)
{
    struct leat_str text = b->column[st->column].text[r];
    struct token t;
    size_t at = 0;
    if (leat_add_example(b, r) < 0)
        return false; /* a record without tokens makes an example, too */
    if (text.len == LEAT_NULL) return true;
    while (tokens_next(&st->opt, leat_text(b, text), text.len, &at, &t)) {
        struct leat_str s = {text.off + (uint32_t)t.off, (uint32_t)t.len};
        if (!tokens_add_token(st, b, s, t.as_is)) return false;
        st->tokens++;
        st->cut += t.len > st->opt.max_bytes;
    }
    return true;
}

static int tokens_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct tokens_stage *st = self;
    for (LEAT_EACH_RECORD(b, r)) {
        struct examples_mark before = examples_mark(b);
        if (tokens_tokenise(st, b, r)) continue;
        examples_undo(b, before);
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                          "the batch has no room for the tokens of the record");
    }
    return LEAT_OK;
}

/* Warns if many tokens were cut, because features are then made of tokens that are not in the text.
 * A few cut tokens, such as long addresses or keys, are normal. */
static int tokens_stop(struct leat_ctx *ctx, void *self)
{
    const struct tokens_stage *st = self;
    if (st->cut * 1000 > st->tokens)
        ctx->host->log(ctx, LEAT_WARN,
                       "%llu of %llu tokens have more than max_bytes = %u bytes and are cut, so "
                       "tokens with the same beginning count as one: raise max_bytes",
                       (unsigned long long)st->cut, (unsigned long long)st->tokens,
                       (unsigned)st->opt.max_bytes);
    return LEAT_OK;
}

const struct leat_stage feature_tokens = {
    .name = "feature.tokens",
    .summary = "makes features of the words of a text, in their order",
    .doc = tokens_doc,
    .example = "leat.feature.tokens { column = \"text\", rule = \"words\", lower = true }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL,
    LEAT_FLOW(LEAT_HAS_COLUMNS, LEAT_HAS_EXAMPLES | LEAT_HAS_NAMES),
    LEAT_PARAMS(tokens_params, struct tokens_cfg),
    LEAT_INSTANCE(struct tokens_stage, tokens_open_stage, NULL),
    .validate = tokens_validate,
    .negotiate = tokens_negotiate,
    .process = tokens_process,
    .stop = tokens_stop,
};
