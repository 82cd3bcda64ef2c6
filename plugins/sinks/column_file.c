/* column_file.c -- see column_file.h. */
#include "column_file.h"

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
