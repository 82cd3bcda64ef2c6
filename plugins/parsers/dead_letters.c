/* dead_letters.c -- parse.dead_letters: restores the records in a file of dead letters.
 *
 * Each line of the file is a JSON object (written by runtime/host/exec/rejects/rejects.c). The
 * record in the object replaces the line, so that the parser of the original input can follow. The
 * record's origin becomes columns. If this or a later stage rejects the line, it is still reported
 * as line n of the dead letters. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <jansson.h>

#include <leat/plugin.h>

#include "parser.h"
#include "parsers/docs.h"
#include "common/cells/strings.h"

enum { INPUT, STAGE, REASON, MESSAGE, LINE, OFFSET, N_COLUMNS };
static const char *const columns[N_COLUMNS] = {"dead_letter.input",  "dead_letter.stage",
                                               "dead_letter.reason", "dead_letter.message",
                                               "dead_letter.line",   "dead_letter.offset"};
enum { PREFIX = sizeof "dead_letter." - 1 };

static int dead_letters_negotiate(const void *config, struct leat_negotiation *n)
{
    int status = LEAT_OK;
    n->add_bounds(n, &(struct leat_bounds){.copies_text = 1});
    n->out->has |= LEAT_HAS_HEADERS;
    for (int i = 0; i < N_COLUMNS && status == LEAT_OK; i++)
        status = n->add_column(n, columns[i], strlen(columns[i]), i < LINE ? LEAT_TEXT : LEAT_INT64,
                               NULL);
    return status;
}

static int dead_letters_hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool add_hex(struct leat_batch *b, const char *hex, size_t digits, struct leat_str *to)
{
    if (!hex) return false;
    uint32_t n = (uint32_t)digits / 2, off = leat_add_bytes(b, n);
    if (off == LEAT_NULL || digits % 2) return false;
    for (uint32_t i = 0; i < n; i++) {
        int high = dead_letters_hex_digit(hex[2 * i]), low = dead_letters_hex_digit(hex[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        b->bytes[off + i] = (char)(high * 16 + low);
    }
    *to = (struct leat_str){off, n};
    return true;
}

/* Appends the bytes of a member to the batch. The member is `name`, a text, or `in_hex`, its bytes
 * in hexadecimal. */
static bool add_bytes(struct leat_batch *b, const json_t *object, const char *name,
                      const char *in_hex, struct leat_str *to)
{
    const json_t *text = json_object_get(object, name);
    const json_t *hex = json_object_get(object, in_hex);
    if (json_is_string(text))
        return strings_append(b, json_string_value(text), json_string_length(text), to);
    return add_hex(b, json_string_value(hex), json_string_length(hex), to);
}

static bool is_absent(const json_t *header)
{
    return !json_object_get(header, "value") && !json_object_get(header, "value_hex");
}

/* Adds a header: two lengths before the texts of name and value (leat_put_header). */
static bool dead_letters_read_header(struct leat_batch *b, const json_t *header)
{
    struct leat_str name, value = {0, LEAT_NULL};
    uint32_t off = leat_add_bytes(b, 8);
    if (off == LEAT_NULL || !add_bytes(b, header, "name", "name_hex", &name)) return false;
    if (!is_absent(header) && !add_bytes(b, header, "value", "value_hex", &value)) return false;
    memcpy(b->bytes + off, &name.len, 4);
    memcpy(b->bytes + off + 4, &value.len, 4);
    return true;
}

static bool dead_letters_add_headers(struct leat_batch *b, const json_t *dead_letter,
                                     struct leat_str *to)
{
    size_t i;
    json_t *header, *list = json_object_get(dead_letter, "headers");
    *to = (struct leat_str){b->n_bytes, 0};
    json_array_foreach(list, i, header) if (!dead_letters_read_header(b, header)) return false;
    to->len = b->n_bytes - to->off;
    return true;
}

/* Fills a column. The cell is missing if the line does not have the value. */
static bool dead_letters_add_column(struct leat_batch *b, uint32_t r, const json_t *dead_letter,
                                    int i, const union leat_cells *cell)
{
    const json_t *value = json_object_get(dead_letter, columns[i] + PREFIX);
    if (i >= LINE) {
        cell->int64[r] = json_is_integer(value) ? json_integer_value(value) : LEAT_NO_INT64;
        return true;
    }
    cell->text[r] = (struct leat_str){0, LEAT_NULL};
    return !json_is_string(value) ||
           strings_append(b, json_string_value(value), json_string_length(value), &cell->text[r]);
}

/* True if the record was cut. leat writes the member "cut" only if it is true; other programs may
 * write false. */
static bool dead_letters_is_cut(const json_t *dead_letter)
{
    const json_t *cut = json_object_get(dead_letter, "cut");
    return cut && !json_is_false(cut) && !json_is_null(cut);
}

/* Replaces the line by its record. Returns NULL; or the reason to reject the line, which is then
 * unchanged. */
static const char *unpack(struct leat_batch *b, uint32_t r, const union leat_cells *cell,
                          const json_t *dead_letter)
{
    struct leat_str record, headers;
    if (!json_is_object(dead_letter))
        return "the line is not a dead letter: it is not a JSON object";
    if (!json_is_string(json_object_get(dead_letter, "record")) &&
        !json_is_string(json_object_get(dead_letter, "record_hex")))
        return "the line is not a dead letter: it has no \"record\" or \"record_hex\"";
    if (dead_letters_is_cut(dead_letter))
        return "the record was too long for its source: the line has only the beginning of the "
               "record";
    if (!add_bytes(b, dead_letter, "record", "record_hex", &record))
        return "record_hex is not pairs of the digits 0-9 and a-f";
    if (!dead_letters_add_headers(b, dead_letter, &headers))
        return "a header has no name, or is not text or pairs of the digits 0-9 and a-f";
    for (int i = 0; i < N_COLUMNS; i++)
        if (!dead_letters_add_column(b, r, dead_letter, i, &cell[i]))
            return "the batch has no room for the texts of the record";
    b->raw[r] = record;
    b->headers[r] = headers;
    return NULL;
}

static int dead_letters_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const union leat_cells *cell = b->column + ctx->in->n_columns;
    for (LEAT_EACH_RECORD(b, r)) {
        json_t *dead_letter = json_loadb(leat_text(b, b->raw[r]), b->raw[r].len,
                                         JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
        const char *why = unpack(b, r, cell, dead_letter);
        if (why) ctx->host->reject(ctx, b, r, LEAT_R_SYNTAX, "%s", why);
        json_decref(dead_letter);
    }
    return LEAT_OK;
}

const struct leat_stage parse_dead_letters = {
    .name = "parse.dead_letters",
    .summary = "the rejected records in a file of dead letters, to be tried again",
    .doc = dead_letters_doc,
    .example = "leat.parse.dead_letters {}, leat.parse.csv { header = false, columns = { \"day\", "
               "\"delay\" } }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL | LEAT_PARSER | LEAT_UNPACKS,
    LEAT_FLOW(LEAT_HAS_RECORDS, LEAT_HAS_COLUMNS),
    .negotiate = dead_letters_negotiate,
    .framing = parser_of_lines,
    .process = dead_letters_process,
};
