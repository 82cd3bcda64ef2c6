/* reject_note.c -- notes in a batch that a stage rejects a record of it, see rejects.h. */
#include <stdlib.h>
#include <string.h>

#include "host/exec/instance/instance.h"
#include "host/exec/run.h"
#include "rejects.h"

enum { MESSAGE_MAX = 1000 };

/* Ends a text that is longer than its space with "…", and not inside a character. */
static uint32_t cut_message(char *text, uint32_t space)
{
    uint32_t n = space - (uint32_t)sizeof "…";
    while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    memcpy(text + n, "…", sizeof "…");
    return n + (uint32_t)sizeof "…" - 1;
}

/* Where records are only looked at there are no counts. */
static bool is_wordless(const struct instance *by, int reason)
{
    const struct reject_counts *c = &by->run->rejects.counts;
    return c->n && atomic_load_explicit(&reject_counts_of(c, by->node->stage, reason)->wordless,
                                        memory_order_relaxed);
}

/* Bytes that a message may take at the end of those of the batch: MESSAGE_MAX, however many there
 * are, so that no message depends on which records share a batch. */
static size_t message_space(struct hbatch *h, const struct instance *by)
{
    size_t wanted = (size_t)h->n_reject_text + MESSAGE_MAX, cap = 2 * (size_t)h->cap_reject_text;
    if (wanted <= h->cap_reject_text) return MESSAGE_MAX;
    if (cap < wanted) cap = wanted;
    char *more = cap <= UINT32_MAX ? realloc(h->reject_more, cap) : NULL;
    if (!more) {
        control_fail(&by->run->control, LEAT_ENOMEM,
                     "there is not enough memory for what rejected records are told");
        return h->cap_reject_text - h->n_reject_text;
    }
    if (!h->reject_more) memcpy(more, h->reject_text, h->n_reject_text);
    h->reject_text = h->reject_more = more;
    h->cap_reject_text = (uint32_t)cap;
    return MESSAGE_MAX;
}

/* What the stage says. */
static uint32_t note_text(struct hbatch *h, const struct instance *by, const char *format,
                          va_list args)
{
    size_t space = message_space(h, by);
    char *text = h->reject_text + h->n_reject_text;
    int n = vsnprintf(text, space, format, args);
    if (n <= 0 || space <= sizeof "…") return 0;
    return (size_t)n < space ? (uint32_t)n : cut_message(text, (uint32_t)space);
}

void rejects_note(struct hbatch *h, const struct instance *by, uint32_t record, int reason,
                  const char *format, va_list args)
{
    if (record >= h->b.n || h->b.status[record] == LEAT_ROW_REJECTED ||
        h->n_rejections == h->shape.records)
        return;
    h->b.status[record] = LEAT_ROW_REJECTED;
    h->b.reason[record] = (uint16_t)reason;
    h->b.touched = 1;
    struct rejection *j = &h->rejection[h->n_rejections++];
    *j = (struct rejection){.record = record,
                            .reason = reason,
                            .by = by,
                            .text_off = h->n_reject_text,
                            .counted = is_wordless(by, reason)};
    if (!j->counted) j->text_len = note_text(h, by, format, args);
    h->n_reject_text += j->text_len;
}
