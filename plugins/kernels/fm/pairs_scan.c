/* pairs_scan.c -- all pairs of a low-rank form, by blocks of products; see pairs_scan.h. */
#include "pairs_scan.h"

#include <cblas.h>
#include <stddef.h>

void pairs_scan(struct pairs *p, uint32_t n, uint32_t plus, uint32_t minus, const double *columns,
                double scale, double *product)
{
    int ld = (int)(plus + minus), all = (int)n;
    for (uint32_t from = 0; from < n && ld; from += PAIRS_BLOCK) {
        int rows = (int)(n - from < PAIRS_BLOCK ? n - from : PAIRS_BLOCK);
        const double *block = columns + (size_t)from * (size_t)ld;
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, all, (int)plus, scale, block, ld,
                    columns, ld, 0, product, all); /* scale U_i' U_j */
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, all, (int)minus, -scale,
                    block + plus, ld, columns + plus, ld, 1, product, all); /* - scale V_i' V_j */
        for (uint32_t i = from; i < from + (uint32_t)rows; i++)
            for (uint32_t j = i + 1; j < n; j++)
                pairs_offer(p, i, j, product[(size_t)(i - from) * n + j]);
    }
}
