/* multiply.c -- implementation of multiply.h
 *
 * C is computed in tiles of up to 6 x 8 numbers, which stay in registers while k runs over a block
 * of 64. The tiles of one block and eight columns share a panel: these columns of alpha B, one row
 * after the other. Blocks, tiles and panels change no order of summation. */
#include "multiply.h"

#include <limits.h>
#include <string.h>

#include "core/wide.h"
#include "vectors.h"

enum {
    TILE_ROWS = 6,
    TILE_COLUMNS = 8,
    BLOCK_INNER = 64,    /* rows of a panel                                             */
    BLOCK_ROWS = 96,     /* rows of A for which a panel is used, a multiple of 6        */
    BLOCK_COLUMNS = 256, /* columns of C for which a block of A stays in the cache      */
    MIN_PACKED_ROWS = 13 /* fewer rows of C do not pay for the copy of rows of B        */
};

/* A library gets products of at least LIBRARY_WORK multiplications, if no side is shorter than
 * LIBRARY_SIDE. */
enum { LIBRARY_WORK = 32 * 32 * 32, LIBRARY_SIDE = 16 };

/* Product C = alpha A B. Number (i, k) of A is a[i * a_row + k * a_inner]; number (k, j) of B is
 * b[k * b_inner + j * b_column]. */
struct multiply {
    size_t m, n, k;
    double alpha;
    const double *a, *b;
    size_t a_row, a_inner, b_inner, b_column;
    bool add, lower; /* lower: only the lower triangle of C is computed */
    double *c;
    size_t ldc;
};

/* ---- tiles ---- */

/* Sets s to 8 numbers of C, or to 0 if not `add`. */
WIDE_INLINE void multiply_start(double *restrict s, bool add, const double *restrict c)
{
    if (add)
        for (size_t j = 0; j < TILE_COLUMNS; j++)
            s[j] = c[j];
    else
        for (size_t j = 0; j < TILE_COLUMNS; j++)
            s[j] = 0;
}

WIDE_INLINE void multiply_copy(double *restrict to, const double *restrict from)
{
    for (size_t j = 0; j < TILE_COLUMNS; j++)
        to[j] = from[j];
}

WIDE_INLINE void multiply_add(double s[restrict TILE_COLUMNS], double x, const double *restrict y)
{
    for (size_t j = 0; j < TILE_COLUMNS; j++)
        s[j] += x * y[j];
}

/* Adds a block of k to a tile of C, or to 0, with 1 .. 6 rows. Sums are separate arrays, because
 * compilers keep these in registers. */
WIDE_INLINE void multiply_tile_rows(int rows, size_t k, const double *a, size_t a_row,
                                    size_t a_inner, const double *b, size_t ldb, bool add,
                                    double *c, size_t ldc)
{
    double s0[TILE_COLUMNS], s1[TILE_COLUMNS], s2[TILE_COLUMNS];
    double s3[TILE_COLUMNS], s4[TILE_COLUMNS], s5[TILE_COLUMNS];
    multiply_start(s0, add, c);
    if (rows > 1) multiply_start(s1, add, c + ldc);
    if (rows > 2) multiply_start(s2, add, c + 2 * ldc);
    if (rows > 3) multiply_start(s3, add, c + 3 * ldc);
    if (rows > 4) multiply_start(s4, add, c + 4 * ldc);
    if (rows > 5) multiply_start(s5, add, c + 5 * ldc);
    for (; k--; a += a_inner, b += ldb) {
        multiply_add(s0, a[0], b);
        if (rows > 1) multiply_add(s1, a[a_row], b);
        if (rows > 2) multiply_add(s2, a[2 * a_row], b);
        if (rows > 3) multiply_add(s3, a[3 * a_row], b);
        if (rows > 4) multiply_add(s4, a[4 * a_row], b);
        if (rows > 5) multiply_add(s5, a[5 * a_row], b);
    }
    multiply_copy(c, s0);
    if (rows > 1) multiply_copy(c + ldc, s1);
    if (rows > 2) multiply_copy(c + 2 * ldc, s2);
    if (rows > 3) multiply_copy(c + 3 * ldc, s3);
    if (rows > 4) multiply_copy(c + 4 * ldc, s4);
    if (rows > 5) multiply_copy(c + 5 * ldc, s5);
}

/* Adds a block of k to a tile of C. */
WIDE_INLINE void multiply_tile(size_t rows, size_t k, const double *a, size_t a_row, size_t a_inner,
                               const double *b, size_t ldb, bool add, double *c, size_t ldc)
{
    if (rows == 6)
        multiply_tile_rows(6, k, a, a_row, a_inner, b, ldb, add, c, ldc);
    else if (rows == 5)
        multiply_tile_rows(5, k, a, a_row, a_inner, b, ldb, add, c, ldc);
    else if (rows == 4)
        multiply_tile_rows(4, k, a, a_row, a_inner, b, ldb, add, c, ldc);
    else if (rows == 3)
        multiply_tile_rows(3, k, a, a_row, a_inner, b, ldb, add, c, ldc);
    else if (rows == 2)
        multiply_tile_rows(2, k, a, a_row, a_inner, b, ldb, add, c, ldc);
    else
        multiply_tile_rows(1, k, a, a_row, a_inner, b, ldb, add, c, ldc);
}

/* Returns how many of the 8 numbers from (i, j) on in row i of C are to be computed. */
WIDE_INLINE size_t multiply_width(const struct multiply *p, size_t i, size_t j)
{
    size_t end = p->lower ? i + 1 : p->n;
    return end <= j ? 0 : end - j < TILE_COLUMNS ? end - j : TILE_COLUMNS;
}

/* Copies the numbers of a tile that are to be computed from C to `tile`, or back. */
WIDE_INLINE void multiply_move(const struct multiply *p, size_t i, size_t j, size_t rows,
                               double *tile, bool back)
{
    for (size_t r = 0; r < rows; r++) {
        double *c = p->c + (i + r) * p->ldc + j, *t = tile + r * TILE_COLUMNS;
        size_t width = multiply_width(p, i + r, j);
        memcpy(back ? c : t, back ? t : c, width * sizeof *t);
    }
}

/* Divides rows into tiles of nearly equal heights. Returns the height of the first. */
WIDE_INLINE size_t multiply_tile_height(size_t rows)
{
    size_t tiles = (rows + TILE_ROWS - 1) / TILE_ROWS;
    return (rows + tiles - 1) / tiles;
}

/* Part of a product: rows i .. i_end - 1 and the 8 columns from j on of C, and k .. k_end - 1. */
struct multiply_part {
    size_t i, i_end, j, k, k_end;
};

/* ---- panels ---- */

/* Copies a column of alpha B to a panel. */
WIDE_INLINE void multiply_pack_column(size_t k, double alpha, const double *b, size_t inner,
                                      double *panel)
{
    for (; k--; b += inner, panel += TILE_COLUMNS)
        *panel = alpha * *b;
}

/* Copies 8 columns of alpha B to a panel. Columns that B does not have are 0. */
WIDE_INLINE void multiply_pack(const struct multiply *p, const struct multiply_part *at,
                               double *panel)
{
    size_t width = p->n - at->j < TILE_COLUMNS ? p->n - at->j : TILE_COLUMNS;
    size_t rows = at->k_end - at->k;
    const double *b = p->b + at->k * p->b_inner + at->j * p->b_column;
    if (width < TILE_COLUMNS) memset(panel, 0, rows * TILE_COLUMNS * sizeof *panel);
    if (width == TILE_COLUMNS && p->b_column == 1)
        for (size_t k = 0; k < rows; k++)
            for (size_t j = 0; j < TILE_COLUMNS; j++)
                panel[k * TILE_COLUMNS + j] = p->alpha * b[k * p->b_inner + j];
    else
        for (size_t j = 0; j < width; j++)
            multiply_pack_column(rows, p->alpha, b + j * p->b_column, p->b_inner, panel + j);
}

WIDE static void multiply_panel(const struct multiply *p, const struct multiply_part *at)
{
    double panel[BLOCK_INNER * TILE_COLUMNS], part[TILE_ROWS * TILE_COLUMNS] = {0};
    const double *a = p->a + at->i * p->a_row + at->k * p->a_inner, *b = panel;
    size_t ldb = TILE_COLUMNS, j = at->j, rows;
    if (p->b_column == 1 && p->alpha == 1 && p->n - j >= TILE_COLUMNS && p->m < MIN_PACKED_ROWS)
        b = p->b + at->k * p->b_inner + j, ldb = p->b_inner;
    else
        multiply_pack(p, at, panel);
    for (size_t i = at->i; i < at->i_end; i += rows, a += rows * p->a_row) {
        rows = multiply_tile_height(at->i_end - i);
        if (!multiply_width(p, i + rows - 1, j)) continue;
        bool whole = multiply_width(p, i, j) == TILE_COLUMNS, add = p->add || at->k;
        double *c = whole ? p->c + i * p->ldc + j : part;
        size_t ldc = whole ? p->ldc : TILE_COLUMNS;
        if (add && !whole) multiply_move(p, i, j, rows, part, false);
        multiply_tile(rows, at->k_end - at->k, a, p->a_row, p->a_inner, b, ldb, add, c, ldc);
        if (!whole) multiply_move(p, i, j, rows, part, true);
    }
}

static size_t multiply_end(size_t from, size_t step, size_t end)
{
    return end - from < step ? end : from + step;
}

/* Computes the blocks of columns j .. j_end - 1 of C. */
static void multiply_columns(const struct multiply *p, size_t j, size_t j_end)
{
    struct multiply_part at;
    for (at.i = p->lower ? j / TILE_ROWS * TILE_ROWS : 0; at.i < p->m; at.i = at.i_end) {
        at.i_end = multiply_end(at.i, BLOCK_ROWS, p->m);
        at.k = 0;
        do {
            at.k_end = multiply_end(at.k, BLOCK_INNER, p->k);
            for (at.j = j; at.j < j_end; at.j += TILE_COLUMNS)
                if (!p->lower || at.j < at.i_end) multiply_panel(p, &at);
            at.k = at.k_end;
        } while (at.k < p->k);
    }
}

/* ---- products by a library ---- */

static struct multiply_library multiply_library;

void multiply_use(const struct multiply_library *library)
{
    if (library->dgemm != multiply_library.dgemm || library->dsyrk != multiply_library.dsyrk)
        multiply_library = *library;
}

static bool multiply_is_side(size_t n) { return n >= LIBRARY_SIDE && n <= INT_MAX; }

static bool multiply_is_for_library(const struct multiply *p)
{
    return multiply_library.dgemm && multiply_is_side(p->m) && multiply_is_side(p->n) &&
           multiply_is_side(p->k) && (double)p->m * (double)p->n * (double)p->k >= LIBRARY_WORK &&
           p->a_row <= INT_MAX && p->a_inner <= INT_MAX && p->b_inner <= INT_MAX &&
           p->b_column <= INT_MAX && p->ldc <= INT_MAX;
}

/* Computes a product by the library. A side of 1 does not occur, so a step of 1 between rows says
 * that A is transposed. */
static void multiply_by_library(const struct multiply *p)
{
    enum { ROW_MAJOR = 101, AS_IT_IS = 111, TRANSPOSED = 112, LOWER = 122 }; /* of CBLAS */
    int ta = p->a_row == 1 ? TRANSPOSED : AS_IT_IS, tb = p->b_column == 1 ? AS_IT_IS : TRANSPOSED;
    int lda = (int)(p->a_row == 1 ? p->a_inner : p->a_row);
    int ldb = (int)(p->b_column == 1 ? p->b_inner : p->b_column);
    int m = (int)p->m, n = (int)p->n, k = (int)p->k, ldc = (int)p->ldc;
    if (p->lower)
        multiply_library.dsyrk(ROW_MAJOR, LOWER, ta, n, k, p->alpha, p->a, lda, p->add, p->c, ldc);
    else
        multiply_library.dgemm(ROW_MAJOR, ta, tb, m, n, k, p->alpha, p->a, lda, p->b, ldb, p->add,
                               p->c, ldc);
}

static void multiply_run(const struct multiply *p)
{
    if (multiply_is_for_library(p)) {
        multiply_by_library(p);
        return;
    }
    for (size_t j = 0, end; j < p->n; j = end) {
        end = multiply_end(j, BLOCK_COLUMNS, p->n);
        multiply_columns(p, j, end);
    }
}

/* ---- matrices ---- */

void multiply_nn(size_t m, size_t n, size_t k, double alpha, const double *a, size_t lda,
                 const double *b, size_t ldb, bool add, double *c, size_t ldc)
{
    multiply_run(&(struct multiply){m, n, k, alpha, a, b, lda, 1, ldb, 1, add, false, c, ldc});
}

void multiply_tn(size_t m, size_t n, size_t k, double alpha, const double *a, size_t lda,
                 const double *b, size_t ldb, bool add, double *c, size_t ldc)
{
    multiply_run(&(struct multiply){m, n, k, alpha, a, b, 1, lda, ldb, 1, add, false, c, ldc});
}

void multiply_nt(size_t m, size_t n, size_t k, double alpha, const double *a, size_t lda,
                 const double *b, size_t ldb, bool add, double *c, size_t ldc)
{
    multiply_run(&(struct multiply){m, n, k, alpha, a, b, lda, 1, 1, ldb, add, false, c, ldc});
}

void multiply_tt(size_t m, size_t n, size_t k, double alpha, const double *a, size_t lda,
                 const double *b, size_t ldb, bool add, double *c, size_t ldc)
{
    multiply_run(&(struct multiply){m, n, k, alpha, a, b, 1, lda, 1, ldb, add, false, c, ldc});
}

void multiply_square_nt(size_t n, size_t k, double alpha, const double *a, size_t lda, bool add,
                        double *c, size_t ldc)
{
    multiply_run(&(struct multiply){n, n, k, alpha, a, a, lda, 1, 1, lda, add, true, c, ldc});
}

void multiply_square_tn(size_t n, size_t k, double alpha, const double *a, size_t lda, bool add,
                        double *c, size_t ldc)
{
    multiply_run(&(struct multiply){n, n, k, alpha, a, a, 1, lda, lda, 1, add, true, c, ldc});
}

/* ---- vectors ---- */

void multiply_vector_n(size_t m, size_t n, double alpha, const double *a, size_t lda,
                       const double *x, bool add, double *y)
{
    for (size_t i = 0; i < m; i++) {
        double s = alpha * vectors_dot(n, a + i * lda, x);
        y[i] = add ? y[i] + s : s;
    }
}

/* Computes y += A'x for 1, 2 or 4 rows of A. The numbers of y are read and written once. */
WIDE_INLINE void multiply_rows(size_t rows, size_t n, const double *restrict x,
                               const double *restrict a, size_t lda, double *restrict y)
{
    for (size_t j = 0; j < n; j++) {
        double s = y[j] + x[0] * a[j];
        if (rows > 1) s += x[1] * a[lda + j];
        if (rows > 2) s += x[2] * a[2 * lda + j];
        if (rows > 2) s += x[3] * a[3 * lda + j];
        y[j] = s;
    }
}

WIDE static void multiply_vector_t_wide(size_t m, size_t n, double alpha, const double *a,
                                        size_t lda, const double *x, double *y)
{
    for (size_t rows; m; m -= rows, x += rows, a += rows * lda) {
        rows = m >= 4 ? 4 : 1;
        double t[4];
        for (size_t i = 0; i < rows; i++)
            t[i] = alpha * x[i];
        size_t j = 0;
        for (; n - j >= TILE_COLUMNS; j += TILE_COLUMNS)
            if (rows == 4)
                multiply_rows(4, TILE_COLUMNS, t, a + j, lda, y + j);
            else
                multiply_rows(1, TILE_COLUMNS, t, a + j, lda, y + j);
        multiply_rows(rows, n - j, t, a + j, lda, y + j);
    }
}

void multiply_vector_t(size_t m, size_t n, double alpha, const double *a, size_t lda,
                       const double *x, bool add, double *y)
{
    if (!add) memset(y, 0, n * sizeof *y);
    multiply_vector_t_wide(m, n, alpha, a, lda, x, y);
}

/* ---- packed symmetric matrices ---- */

void multiply_packed_add(size_t n, double alpha, const double *x, double *s)
{
    for (size_t i = 0; i < n; s += ++i)
        vectors_add(i + 1, alpha * x[i], x, s);
}

void multiply_packed_vector(size_t n, double alpha, const double *s, const double *x, bool add,
                            double *y)
{
    for (size_t i = 0; i < n; s += ++i) {
        double t = alpha * vectors_dot(i + 1, s, x);
        y[i] = add ? y[i] + t : t;
        vectors_add(i, alpha * x[i], s, y);
    }
}
