/* fuzz_dead_letters.c -- any line as a dead letter, and any record through the runtime's writer.
 *
 * A line is refused with a reason, or its record lies in the batch. A written record is read back.
 *
 * sources: runtime/host/exec/rejects/dead_letter_json.c runtime/core/report/text_out.c
 *   runtime/host/plugin/status_text.c -ljansson
 */
#include <math.h>

#include "fuzz.h"
#include "host/exec/rejects/dead_letter_json.h"
#include "parsers/dead_letters.c"

enum { BYTES = 1 << 16 };

static void unpack_line(struct leat_batch *b, const char *line, size_t n, const char **why)
{
    static struct leat_str text[N_COLUMNS][1];
    static double number[N_COLUMNS][1];
    union leat_cells cell[N_COLUMNS];
    for (int i = 0; i < N_COLUMNS; i++)
        if (i < LINE)
            cell[i].text = text[i];
        else
            cell[i].number = number[i];
    json_t *letter = json_loadb(line, n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    *why = unpack(b, 0, cell, letter);
    json_decref(letter);
    for (int i = 0; i < N_COLUMNS && !*why; i++)
        must(i >= LINE || text[i][0].len == LEAT_NULL ||
             text[i][0].off + text[i][0].len <= b->n_bytes);
}

static const char *read_line(struct leat_batch *b, const char *line, size_t n)
{
    const char *why;
    b->n_bytes = 0;
    b->raw[0] = b->headers[0] = (struct leat_str){0, 0};
    unpack_line(b, line, n, &why);
    must(why || (uint64_t)b->raw[0].off + b->raw[0].len <= b->n_bytes);
    must(why || (uint64_t)b->headers[0].off + b->headers[0].len <= b->n_bytes);
    return why;
}

struct line {
    char text[8 * BYTES];
    size_t n;
};

static int collect(void *to, const char *text, size_t n)
{
    struct line *l = to;
    must(n <= sizeof l->text - l->n);
    memcpy(l->text + l->n, text, n);
    l->n += n;
    return 0;
}

static void write_letter_of(const char *record, size_t n, struct line *line)
{
    char buffer[64];
    struct text_out o = {.buf = buffer, .cap = sizeof buffer, .drain = collect, .to = line};
    struct leat_dead_letter l = {.input = "a",
                                 .stage = "s",
                                 .reason = "r",
                                 .message = record,
                                 .n_message = (uint32_t)n,
                                 .record = record,
                                 .n_record = (uint32_t)n};
    line->n = 0;
    dead_letter_json(&o, &l);
    must(!text_flush(&o));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char bytes[BYTES];
    static struct line line;
    struct leat_str raw[1], headers[1];
    struct leat_batch b = {.bytes = bytes,
                           .cap_bytes = sizeof bytes,
                           .raw = raw,
                           .headers = headers,
                           .n = 1,
                           .cap = 1};
    if (size > 4096) return 0;
    char *exact = exactly(data, size);
    read_line(&b, exact, size);
    write_letter_of(exact, size, &line);
    must(line.n && memchr(line.text, '\n', line.n) == line.text + line.n - 1);
    must(!read_line(&b, line.text, line.n - 1));
    must(raw[0].len == size && !memcmp(bytes + raw[0].off, exact, size));
    free(exact);
    return 0;
}
