/* record_lines.h -- records as lines: the bytes that arrived, or their columns as JSON, CSV or
 * TSV; and the instance of a sink that writes columns to a file. */
#ifndef LEAT_SINKS_RECORD_LINES_H
#define LEAT_SINKS_RECORD_LINES_H

#include "common/cells/columns.h"
#include "common/output/out.h"

struct column_file {
    struct out out;
    struct columns columns;
};

/* Opens it in `open`. Without names: all columns if `all`, else none. */
int column_file_open(struct leat_ctx *ctx, struct column_file *f, const struct leat_strings *names,
                     bool all);
/* The call of a stage. */
void column_file_close(struct leat_ctx *ctx, void *self);

enum record_format { RECORD_RAW, RECORD_JSONL, RECORD_CSV, RECORD_TSV };
extern const char *const record_formats[];

/* For a configuration that begins with struct out_cfg and has a member `columns`. */
#define RECORD_LINES_PARAMS(CFG)                                                                   \
    LEAT_PARAM(struct out_cfg, format, LEAT_CHOICE, .choices = record_formats, .def = "raw",       \
               .doc = "raw: each record as it arrived; else its columns"),                         \
        LEAT_PARAM(CFG, columns, LEAT_STRINGS,                                                     \
                   .doc = "jsonl, csv, tsv: which columns, in this order; by default all")

/* In validate and negotiate. */
void record_lines_validate(enum record_format format, const struct leat_strings *columns,
                           struct leat_diag *d);
int record_lines_negotiate(enum record_format format, const struct leat_strings *columns,
                           struct leat_negotiation *n);

/* Each without its line end. */
void record_lines_heading(struct text_out *o, const struct columns *c, enum record_format format);
void record_lines_record(struct text_out *o, const struct columns *c, enum record_format format,
                         const struct leat_batch *b, uint32_t r);

/* csv and tsv begin with a heading. */
static inline bool record_lines_headed(enum record_format format) { return format >= RECORD_CSV; }

#endif
