/* column_file.h -- the instance of a sink that writes columns of records to a file. */
#ifndef LEAT_SINKS_COLUMN_FILE_H
#define LEAT_SINKS_COLUMN_FILE_H

#include "common/cells/columns.h"
#include "common/output/out.h"

struct column_file {
    struct out out;
    struct columns columns;
};

/* In open. Without names: all columns when `all`, else none. */
int column_file_open(struct leat_ctx *ctx, struct column_file *f, const struct leat_strings *names,
                     bool all);
/* The call of a stage. */
void column_file_close(struct leat_ctx *ctx, void *self);

#endif
