/* record_lines.h -- records as lines: raw, JSON, CSV or TSV; a sink that writes columns to a
 * file. */
#ifndef LEAT_SINKS_RECORD_LINES_H
#define LEAT_SINKS_RECORD_LINES_H

#include "common/cells/columns.h"
#include "common/output/out.h"

struct column_file {
    struct out out;
    struct columns columns;
};

/* Opens the file in a stage's `open`. Without names it writes all columns if `all`, and none
 * otherwise. */
int column_file_open(struct leat_ctx *ctx, struct column_file *f, const struct leat_strings *names,
                     bool all);
/* Closes the file (leat_stage.close). */
void column_file_close(struct leat_ctx *ctx, void *self);

enum record_format { RECORD_RAW, RECORD_JSONL, RECORD_CSV, RECORD_TSV };
extern const char *const record_formats[];

/* Parameters. The configuration CFG begins with struct out_cfg and has a member `columns`. */
#define RECORD_LINES_PARAMS(CFG)                                                                   \
    LEAT_PARAM(struct out_cfg, format, LEAT_CHOICE, .choices = record_formats, .def = "raw",       \
               .doc = "raw: each record as it arrived; else its columns"),                         \
        LEAT_PARAM(CFG, columns, LEAT_STRINGS,                                                     \
                   .doc = "jsonl, csv, tsv: which columns, in this order; by default all")

/* Check format and columns, in validate and negotiate. */
void record_lines_validate(enum record_format format, const struct leat_strings *columns,
                           struct leat_diag *d);
int record_lines_negotiate(enum record_format format, const struct leat_strings *columns,
                           struct leat_negotiation *n);

/* Write the heading, or a record, without a line end. */
void record_lines_heading(struct text_out *o, const struct columns *c, enum record_format format);
void record_lines_record(struct text_out *o, const struct columns *c, enum record_format format,
                         const struct leat_batch *b, uint32_t r);

/* True if the format begins with a heading. */
static inline bool record_lines_headed(enum record_format format) { return format >= RECORD_CSV; }

#endif
