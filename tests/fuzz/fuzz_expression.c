/* fuzz_expression.c -- any text as an expression of shape.set, computed for a few records.
 *
 * Places in messages lie within the text, results lie within the batch, and a text takes no more
 * than its declared bound.
 *
 * sources: plugins/shape/expression/expression_*.c
 * plugins/common/cells/cell.c plugins/kernels/text/decimal.c
 * runtime/core/text/{grouped,number_cure,number_text}.c
 * runtime/core/report/{lacking,text_out}.c -lutf8proc
 */
#include "fuzz.h"
#include "shape/expression/expression.h"

enum { ROWS = 5, TEXT = 16, ROOM = 1 << 21 };

static void *host_alloc(struct leat_ctx *ctx, size_t n) { return calloc(1, n); }
static void host_free(struct leat_ctx *ctx, void *p) { free(p); }
static void host_reject(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, int reason,
                        const char *format, ...)
{
    must(r < ROWS);
}

static const struct leat_column columns[] = {
    {"s", LEAT_TEXT, 0}, {"t", LEAT_TEXT, 0}, {"x", LEAT_NUMBER, 0}};
static const struct leat_schema schema = {
    .has = LEAT_HAS_RECORDS | LEAT_HAS_LABEL, .n_columns = 3, .column = columns};
static char bytes[ROOM];
static struct leat_str text[2][ROWS] = {{{0, 3}, {3, 4}, {0, LEAT_NULL}, {7, 0}, {7, 9}},
                                        {{5, 2}, {2, 1}, {1, 1}, {0, LEAT_NULL}, {9, 2}}};
static double number[ROWS] = {0, -2.5, NAN, 7, 1e308};
static float label[ROWS] = {1, -1, NAN, 0, 2};
static uint32_t rows[ROWS] = {0, 1, 2, 3, 4};

static void run(const struct expression *e, const char *source)
{
    static const struct leat_host host = {
        .alloc = host_alloc, .free = host_free, .reject = host_reject};
    struct leat_ctx ctx = {.host = &host};
    struct expression_machine m;
    union leat_cells cells[3] = {{.text = text[0]}, {.text = text[1]}, {.number = number}};
    struct leat_batch b = {
        .bytes = bytes, .n_bytes = TEXT, .raw = text[1], .label = label, .column = cells};
    uint64_t room = (uint64_t)e->made.copies * ROWS * TEXT + (uint64_t)e->made.bytes * ROWS;
    uint32_t base;
    if (TEXT + e->n_text + room > ROOM) return;
    b.cap_bytes = TEXT + e->n_text + (uint32_t)room;
    memcpy(bytes, "12aB/\xc3\xa4-7 .5e1/%", TEXT);
    must(expression_machine_open(&ctx, &m, e->depth) == LEAT_OK && expression_begin(e, &b, &base));
    union leat_cells got = expression_run(e, &m, &b, base, rows, ROWS);
    uint32_t bad[ROWS];
    for (int i = 0; i < ROWS; i++) {
        bool is_text = e->type == EXPRESSION_TEXTS;
        bad[i] = is_text ? expression_bad_text(got.text[i]) : expression_bad_number(got.number[i]);
        must(bad[i] <= e->n_steps);
        if (is_text && got.text[i].len != LEAT_NULL)
            must((uint64_t)got.text[i].off + got.text[i].len <= b.n_bytes);
        else if (!is_text)
            must(!isinf(got.number[i]));
    }
    for (uint32_t i = 0; i < ROWS; i++)
        if (bad[i]) expression_reject(&ctx, e, &m, &b, base, i, bad[i], source);
    expression_machine_close(&ctx, &m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct expression e;
    struct expression_error error = {0};
    const struct expression_scope scope = {
        .schema = &schema, .n_columns = 3, .param = "columns", .columns = {1, 0}};
    bool later = false;
    char *source = exact_text(data, size);
    if (expression_compile(&e, source, &scope, &error, &later))
        run(&e, source);
    else
        must(*error.why && error.at <= strlen(source));
    must(!later);
    free(source);
    return 0;
}
