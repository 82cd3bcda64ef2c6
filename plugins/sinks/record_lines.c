/* record_lines.c -- implementation of record_lines.h: files of columns, headings and records. */
#include "record_lines.h"

int column_file_open(struct leat_ctx *ctx, struct column_file *f, const struct leat_strings *names,
                     bool all)
{
    int status = columns_open(ctx, &f->columns, names, all, LEAT_TAKES_ANY);
    if (status < 0) return status;
    status = out_open(ctx, f);
    if (status < 0) columns_close(ctx, &f->columns);
    return status;
}

void column_file_close(struct leat_ctx *ctx, void *self)
{
    struct column_file *f = self;
    out_close(ctx, self);
    columns_close(ctx, &f->columns);
}

const char *const record_formats[] = {"raw", "jsonl", "csv", "tsv", NULL};

void record_lines_validate(enum record_format format, const struct leat_strings *columns,
                           struct leat_diag *d)
{
    if (format == RECORD_RAW && columns->n)
        d->error(d, "columns",
                 "has a meaning only for jsonl, csv and tsv: raw writes records as they arrived");
}

int record_lines_negotiate(enum record_format format, const struct leat_strings *columns,
                           struct leat_negotiation *n)
{
    if (format != RECORD_RAW && !(n->in->has & LEAT_HAS_COLUMNS))
        n->diag->error(n->diag, "format",
                       "%s needs columns: put a parser that makes columns before this sink",
                       record_formats[format]);
    else if (format == RECORD_RAW)
        columns_check_raw(n, "\"csv\" or \"jsonl\"");
    else
        columns_ask(n, "columns", columns, true, LEAT_TAKES_ANY);
    return LEAT_OK;
}

static char record_lines_delimiter(enum record_format format)
{
    return format == RECORD_TSV ? '\t' : ',';
}

void record_lines_heading(struct text_out *o, const struct columns *c, enum record_format format)
{
    for (uint32_t i = 0; i < c->n; i++) {
        if (i) text_char(o, record_lines_delimiter(format));
        columns_heading(o, c, i, record_lines_delimiter(format));
    }
}

void record_lines_record(struct text_out *o, const struct columns *c, enum record_format format,
                         const struct leat_batch *b, uint32_t r)
{
    if (format == RECORD_RAW) {
        if (b->raw[r].len != LEAT_NULL) text_bytes(o, leat_text(b, b->raw[r]), b->raw[r].len);
        return;
    }
    if (format == RECORD_JSONL) {
        columns_object(o, c, b, r);
        return;
    }
    for (uint32_t i = 0; i < c->n; i++) {
        if (i) text_char(o, record_lines_delimiter(format));
        columns_cell(o, c, i, b, r, record_lines_delimiter(format));
    }
}
