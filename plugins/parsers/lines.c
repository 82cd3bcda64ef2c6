/* lines.c -- parse.lines: each record, unchanged, as a single text column. */
#include <stdbool.h>
#include <string.h>

#include <leat/plugin.h>

#include "parser.h"
#include "parsers/docs.h"

struct lines_cfg {
    const char *column;
    int32_t skip_blank;
};

static const struct leat_param lines_params[] = {
    LEAT_PARAM(struct lines_cfg, column, LEAT_STRING, .flags = LEAT_POSITIONAL, .def = "text",
               .doc = "name of the column"),
    LEAT_PARAM(struct lines_cfg, skip_blank, LEAT_BOOL, .def = "true",
               .doc = "leave out lines of blanks and tabs only"),
};

static int lines_validate(const void *config, struct leat_diag *d)
{
    const struct lines_cfg *cfg = config;
    if (!cfg->column[0]) d->error(d, "column", "is empty: give the column a name");
    return LEAT_OK;
}

static int lines_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct lines_cfg *cfg = config;
    return n->add_column(n, cfg->column, strlen(cfg->column), LEAT_TEXT, NULL);
}

static bool lines_is_blank(const char *text, uint32_t n)
{
    uint32_t i = 0;
    while (i < n && (text[i] == ' ' || text[i] == '\t'))
        i++;
    return i == n;
}

static int lines_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct lines_cfg *cfg = ctx->cfg;
    struct leat_str *cell = b->column[ctx->in->n_columns].text;
    for (LEAT_EACH_RECORD(b, r)) {
        cell[r] = b->raw[r];
        if (cfg->skip_blank && lines_is_blank(leat_text(b, b->raw[r]), b->raw[r].len))
            leat_filter(b, r);
    }
    return LEAT_OK;
}

const struct leat_stage parse_lines = {
    .name = "parse.lines",
    .summary = "a text column with each line as it is",
    .doc = lines_doc,
    .example = "leat.parse.lines { column = \"message\" }",
    PARSER_OF_COLUMNS,
    LEAT_PARAMS(lines_params, struct lines_cfg),
    .validate = lines_validate,
    .negotiate = lines_negotiate,
    .framing = parser_of_lines,
    .process = lines_process,
};
