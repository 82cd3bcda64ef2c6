/* lines.c -- parse.lines: one text column that is the record as it arrived. */
#include <stdbool.h>
#include <string.h>

#include <leat/plugin.h>

#include "parser.h"
#include "parsers/docs.h"

struct cfg {
    const char *column;
    int32_t skip_blank;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, column, LEAT_STRING, .flags = LEAT_POSITIONAL, .def = "text",
               .doc = "name of the column"),
    LEAT_PARAM(struct cfg, skip_blank, LEAT_BOOL, .def = "true",
               .doc = "leave out lines of blanks and tabs only"),
};

static int validate(const void *config, struct leat_diag *d)
{
    const struct cfg *cfg = config;
    if (!cfg->column[0]) d->error(d, "column", "is empty: give the column a name");
    return LEAT_OK;
}

static int negotiate(const void *config, struct leat_negotiation *n)
{
    const struct cfg *cfg = config;
    return n->add_column(n, cfg->column, strlen(cfg->column), LEAT_TEXT, NULL);
}

static bool is_blank(const char *text, uint32_t n)
{
    uint32_t i = 0;
    while (i < n && (text[i] == ' ' || text[i] == '\t'))
        i++;
    return i == n;
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct cfg *cfg = ctx->cfg;
    struct leat_str *cell = b->column[ctx->in->n_columns].text;
    for (LEAT_EACH_RECORD(b, r)) {
        cell[r] = b->raw[r];
        if (cfg->skip_blank && is_blank(leat_text(b, b->raw[r]), b->raw[r].len)) leat_filter(b, r);
    }
    return LEAT_OK;
}

const struct leat_stage parse_lines = {
    .name = "parse.lines",
    .summary = "a text column with each line as it is",
    .doc = lines_doc,
    .example = "leat.parse.lines { column = \"message\" }",
    PARSER_OF_COLUMNS,
    LEAT_PARAMS(params, struct cfg),
    .validate = validate,
    .negotiate = negotiate,
    .framing = parser_of_lines,
    .process = process,
};
