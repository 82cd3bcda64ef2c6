/* record_lines.h -- writes records as lines (raw, JSON, CSV, TSV), and columns to a file. */
#ifndef LEAT_SINKS_RECORD_LINES_H
#define LEAT_SINKS_RECORD_LINES_H

#include "common/cells/columns.h"
#include "common/output/out.h"

struct column_file {
    struct out out;
    struct columns columns;
};

/* Called by a stage's open. Opens the file, and finds the columns in `names`. If there are no
 * names, takes all columns if `all`, otherwise none. */
int column_file_open(struct leat_ctx *ctx, struct column_file *f, const struct leat_strings *names,
                     bool all);
/* Called by a stage's close. Closes the file. */
void column_file_close(struct leat_ctx *ctx, void *self);

enum record_format { RECORD_RAW, RECORD_JSONL, RECORD_CSV, RECORD_TSV };
extern const char *const record_formats[];

/* Parameters `format` and `columns`. The configuration CFG begins with struct out_cfg, and has a
 * member `columns`. */
#define RECORD_LINES_PARAMS(CFG)                                                                   \
    LEAT_PARAM(struct out_cfg, format, LEAT_CHOICE, .choices = record_formats, .def = "raw",       \
               .doc = "raw: each record as it arrived; else its columns"),                         \
        LEAT_PARAM(CFG, columns, LEAT_STRINGS,                                                     \
                   .doc = "jsonl, csv, tsv: columns to write, in this order; by default all")

/* Check format and columns. Called by a stage's validate and negotiate. */
void record_lines_validate(enum record_format format, const struct leat_strings *columns,
                           struct leat_diag *d);
int record_lines_negotiate(enum record_format format, const struct leat_strings *columns,
                           struct leat_negotiation *n);

/* Write the heading or a record, without the line end. */
void record_lines_heading(struct text_out *o, const struct columns *c, enum record_format format);
void record_lines_record(struct text_out *o, const struct columns *c, enum record_format format,
                         const struct leat_batch *b, uint32_t r);

/* True if files in this format begin with a heading. */
static inline bool record_lines_headed(enum record_format format) { return format >= RECORD_CSV; }

#endif
