/* dead_letters.c -- parse.dead_letters: the records in a file of dead letters, as they were.
 *
 * A line of such a file is a JSON object (runtime/rejects.c writes it). The record in it takes the
 * line's place, so that the parser of the original input can follow; where it came from becomes
 * columns. A line that is rejected, here or later, keeps its own place: line n of the dead letters.
 */
#include <stdlib.h>
#include <string.h>

#include <leat/plugin.h>

#include "plugins/kernels/flat_json.h"

enum { INPUT, STAGE, REASON, MESSAGE, LINE, OFFSET, N_COLUMNS };
static const char *const columns[N_COLUMNS] = {"letter.input",   "letter.stage", "letter.reason",
                                               "letter.message", "letter.line",  "letter.offset"};
enum { PREFIX = sizeof "letter." - 1, MAX_NUMBER = 31 };

struct letter {
    struct flat_member column[N_COLUMNS]; /* name NULL: none */
    struct flat_member record, hex;
    int cut;
};

static int negotiate(const void *config, struct leat_negotiation *n)
{
    int s = LEAT_OK;
    (void)config;
    n->out->copies_text++;
    for (int i = 0; i < N_COLUMNS && s == LEAT_OK; i++)
        s = n->add_column(n, columns[i], strlen(columns[i]), i < LINE ? LEAT_TEXT : LEAT_NUMBER);
    return s;
}

static int framing(const void *config, struct leat_framing *f)
{
    (void)config;
    f->kind = LEAT_LINES;
    return LEAT_OK;
}

static int is(const struct flat_member *m, const char *name)
{
    return m->n_name == strlen(name) && !memcmp(m->name, name, m->n_name);
}

static void sort_in(struct letter *l, const struct flat_member *m)
{
    for (int i = 0; i < N_COLUMNS; i++)
        if (is(m, columns[i] + PREFIX) && m->is_string == (i < LINE)) l->column[i] = *m;
    if (is(m, "record") && m->is_string) l->record = *m;
    if (is(m, "record_hex") && m->is_string) l->hex = *m;
    if (is(m, "cut")) l->cut = 1;
}

static int read_letter(const char *text, size_t n, struct letter *l)
{
    struct flat_json j;
    struct flat_member m;
    int s;
    *l = (struct letter){0};
    flat_json_begin(&j, text, n);
    while ((s = flat_json_next(&j, &m)) == 1)
        sort_in(l, &m);
    return s == 0 && (l->record.name || l->hex.name);
}

/* ---- text ---- */

/* A string of JSON among the batch's bytes. 0: it has a wrong escape. */
static int add_text(struct leat_batch *b, const struct flat_member *m, struct leat_str *to)
{
    long n = m->name ? flat_json_unescape(m->value, m->n_value, NULL) : 0;
    uint32_t off = n < 0 ? LEAT_NULL : leat_add_bytes(b, (uint32_t)n);
    *to = (struct leat_str){off, m->name ? (uint32_t)n : LEAT_NULL};
    if (off == LEAT_NULL) return 0;
    if (n) flat_json_unescape(m->value, m->n_value, b->bytes + off);
    return 1;
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int add_hex(struct leat_batch *b, const struct flat_member *m, struct leat_str *to)
{
    uint32_t n = (uint32_t)m->n_value / 2, off = leat_add_bytes(b, n);
    if (off == LEAT_NULL || m->n_value % 2) return 0;
    for (uint32_t i = 0; i < n; i++) {
        int high = digit(m->value[2 * i]), low = digit(m->value[2 * i + 1]);
        if (high < 0 || low < 0) return 0;
        b->bytes[off + i] = (char)(high * 16 + low);
    }
    *to = (struct leat_str){off, n};
    return 1;
}

static double number_of(const struct flat_member *m)
{
    char text[MAX_NUMBER + 1] = "", *end = text;
    if (!m->name || m->n_value > MAX_NUMBER) return (double)NAN;
    memcpy(text, m->value, m->n_value);
    double x = strtod(text, &end);
    return end > text && !*end && isfinite(x) ? x : (double)NAN;
}

/* All of a letter, or nothing of the record is changed. */
static int unpack(struct leat_batch *b, uint32_t r, const union leat_cells *cell,
                  const struct letter *l)
{
    struct leat_str record;
    if (!(l->record.name ? add_text(b, &l->record, &record) : add_hex(b, &l->hex, &record)))
        return 0;
    for (int i = 0; i < LINE; i++)
        if (!add_text(b, &l->column[i], &cell[i].text[r])) return 0;
    for (int i = LINE; i < N_COLUMNS; i++)
        cell[i].number[r] = number_of(&l->column[i]);
    b->raw[r] = record;
    return 1;
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const union leat_cells *cell = b->column + ctx->in->n_columns;
    struct letter l;
    (void)self;
    for (LEAT_EACH_RECORD(b, r)) {
        if (!read_letter(leat_text(b, b->raw[r]), b->raw[r].len, &l))
            ctx->host->reject(ctx, b, r, LEAT_R_SYNTAX, "is no line of a file of dead letters");
        else if (l.cut)
            ctx->host->reject(ctx, b, r, LEAT_R_INPUT,
                              "the record was too long for its source: this is its beginning");
        else if (!unpack(b, r, cell, &l))
            ctx->host->reject(ctx, b, r, LEAT_R_SYNTAX, "its text is wrong: an escape or a digit");
    }
    return LEAT_OK;
}

static const struct leat_stage stages[] = {
    {.name = "parse.dead_letters",
     .summary = "the rejected records in a file of dead letters, to be tried again",
     .doc =
         "Reads lines that a pipeline wrote to dead_letters = \"FILE\". Each record is again what "
         "it was before it was rejected, byte for byte, so that the parser it was meant for can "
         "follow (CSV with header = false and columns). Why and from where are columns: "
         "letter.input, letter.stage, letter.reason, letter.message, and the numbers letter.line "
         "(NaN: none) and letter.offset. A record that was cut, because it was too long for its "
         "source, is rejected. Time is linear in the text.",
     .example = "leat.parse.dead_letters {}, leat.parse.csv { header = false, columns = { \"day\", "
                "\"delay\" } }",
     .kind = LEAT_TRANSFORM,
     .caps = LEAT_PARALLEL | LEAT_PARSER,
     .needs = LEAT_HAS_RECORDS,
     .makes = LEAT_HAS_COLUMNS,
     .negotiate = negotiate,
     .framing = framing,
     .process = process},
};

LEAT_PLUGIN("dead_letters", "1.0", "Apache-2.0", "records that were rejected, once more", stages);
