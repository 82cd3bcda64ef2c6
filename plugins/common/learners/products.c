/* products.c -- implementation of products.h. */
#include "products.h"

#include <string.h>

#include "kernels/dense/multiply.h"

void products_open(struct leat_ctx *ctx)
{
    struct multiply_library library = {NULL, NULL};
    void *dgemm = ctx->host->linalg(ctx, "cblas_dgemm");
    void *dsyrk = ctx->host->linalg(ctx, "cblas_dsyrk");
    if (dgemm && dsyrk) {
        memcpy(&library.dgemm, &dgemm, sizeof dgemm);
        memcpy(&library.dsyrk, &dsyrk, sizeof dsyrk);
    }
    multiply_use(&library);
}
