/* dead_letters.c -- implementation of dead_letters.h: notes in batches, sorted letters. */
#include "dead_letters.h"

#include <stdlib.h>
#include <string.h>

#include "host/exec/run.h"
#include "host/params/params.h"
#include "host/plugin/stage_tables.h"

/* ---- noting a rejection in the batch ---- */

enum { MESSAGE_MAX = 1000 };

/* Replaces the end of a text that has been cut to `space` bytes with "…". Does not cut inside a
 * character. Returns the length. */
static uint32_t note_cut(char *text, uint32_t space)
{
    uint32_t n = space - (uint32_t)sizeof "…";
    while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    memcpy(text + n, "…", sizeof "…");
    return n + (uint32_t)sizeof "…" - 1;
}

/* True if nobody needs the text of the rejection (reject_count.wordless). In trials (trial.h) c->n
 * is 0, and all texts are needed. */
static bool note_is_wordless(const struct instance *by, int reason)
{
    const struct reject_counts *c = &by->run->rejects.counts;
    return c->n && atomic_load_explicit(&reject_counts_of(c, by->node->stage, reason)->wordless,
                                        memory_order_relaxed);
}

/* Makes room for a message in the batch and returns its size. It is always MESSAGE_MAX, so that the
 * text does not depend on the other records of the batch; less only if there is no memory. */
static size_t note_space(struct hbatch *h, const struct instance *by)
{
    size_t wanted = (size_t)h->n_reject_text + MESSAGE_MAX, cap = 2 * (size_t)h->cap_reject_text;
    if (wanted <= h->cap_reject_text) return MESSAGE_MAX;
    if (cap < wanted) cap = wanted;
    char *more = cap <= UINT32_MAX ? realloc(h->reject_more, cap) : NULL;
    if (!more) {
        control_fail(&by->run->control, LEAT_ENOMEM,
                     "there is not enough memory for the messages of rejected records");
        return h->cap_reject_text - h->n_reject_text;
    }
    if (!h->reject_more) memcpy(more, h->reject_text, h->n_reject_text);
    h->reject_text = h->reject_more = more;
    h->cap_reject_text = (uint32_t)cap;
    return MESSAGE_MAX;
}

/* Formats the stage's message into the batch. Returns its length. */
static uint32_t note_text(struct hbatch *h, const struct instance *by, const char *format,
                          va_list args)
{
    size_t space = note_space(h, by);
    char *text = h->reject_text + h->n_reject_text;
    int n = vsnprintf(text, space, format, args);
    if (n <= 0 || space <= sizeof "…") return 0;
    return (size_t)n < space ? (uint32_t)n : note_cut(text, (uint32_t)space);
}

void dead_letters_note(struct hbatch *h, const struct instance *by, uint32_t record, int reason,
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
                            .counted = note_is_wordless(by, reason)};
    if (!j->counted) j->text_len = note_text(h, by, format, args);
    h->n_reject_text += j->text_len;
}

/* ---- dead letters that are gathered from batches ---- */

enum { FIRST_LETTERS = 64, FIRST_TEXT = 4096 };

/* Sets the message of the letter to the stage's message, or to the reason if the batch had no room
 * for a message. */
static void letter_set_message(struct leat_dead_letter *l, const struct hbatch *h,
                               const struct rejection *j)
{
    l->message = j->text_len ? h->reject_text + j->text_off : l->reason;
    l->n_message = j->text_len ? j->text_len : (uint32_t)strlen(l->reason);
}

static void letter_set_key(struct leat_dead_letter *l, const struct leat_batch *b, uint32_t r)
{
    if (!b->key || b->key[r].len == LEAT_NULL) return;
    l->key = leat_text(b, b->key[r]);
    l->n_key = b->key[r].len;
}

static void letter_set_headers(struct leat_dead_letter *l, const struct leat_batch *b, uint32_t r)
{
    if (!b->headers || !b->headers[r].len) return;
    l->headers = leat_text(b, b->headers[r]);
    l->n_headers = b->headers[r].len;
}

/* Makes a dead letter whose texts are in the batch. If the source itself has rejected the record as
 * too large, `cut` is set, because the batch has only the record's beginning. */
static struct leat_dead_letter dead_letters_make(const struct hbatch *h, const struct rejection *j,
                                                 const struct batch_origin *at)
{
    struct leat_str raw = h->b.raw[j->record];
    struct leat_dead_letter l = {.size = sizeof l,
                                 .cut = j->by == h->source && j->reason == LEAT_R_TOO_LARGE,
                                 .stage = j->by->node->id,
                                 .reason = stage_tables_reason(j->by->node->stage, j->reason),
                                 .input = instance_origin(h->source, at),
                                 .offset = at->offset,
                                 .line = at->line,
                                 .n_record = raw.len,
                                 .timestamp = h->b.timestamp ? h->b.timestamp[j->record] : -1};
    if (raw.len) l.record = leat_text(&h->b, raw);
    letter_set_message(&l, h, j);
    letter_set_key(&l, &h->b, j->record);
    letter_set_headers(&l, &h->b, j->record);
    return l;
}

/* Enlarges an array for n more items of `size` bytes, and at least doubles its capacity. Returns
 * NULL if there is no memory. */
static void *dead_letters_grown(void *old, size_t used, size_t n, size_t size, size_t first,
                                size_t *cap)
{
    size_t more = used + n > 2 * *cap ? used + n : 2 * *cap;
    if (more < first) more = first;
    void *larger = realloc(old, more * size);
    if (larger) *cap = more;
    return larger;
}

static int dead_letters_reserve(struct dead_letters *s, size_t text)
{
    if (s->n == s->cap) {
        size_t cap = s->cap;
        void *larger =
            dead_letters_grown(s->letter, s->n, 1, sizeof *s->letter, FIRST_LETTERS, &cap);
        if (!larger) return LEAT_ENOMEM;
        s->letter = larger;
        s->cap = (uint32_t)cap;
    }
    if (text > s->cap_text - s->n_text) {
        void *larger = dead_letters_grown(s->text, s->n_text, text, 1, FIRST_TEXT, &s->cap_text);
        if (!larger) return LEAT_ENOMEM;
        s->text = larger;
    }
    return LEAT_OK;
}

static void dead_letters_put(struct dead_letters *s, const char *text, uint32_t n)
{
    if (n) memcpy(s->text + s->n_text, text, n);
    s->n_text += n;
}

static size_t letter_bytes(const struct leat_dead_letter *l)
{
    return (size_t)l->n_message + l->n_record + l->n_key + l->n_headers + strlen(l->input) + 1;
}

static int dead_letters_add_one(struct dead_letters *s, const struct hbatch *h,
                                const struct rejection *j, const struct leat_dead_letter *l)
{
    if (dead_letters_reserve(s, letter_bytes(l)) != LEAT_OK) return LEAT_ENOMEM;
    s->letter[s->n++] = (struct dead_letter){.record = batch_order(h, j->record),
                                             .reason = j->reason,
                                             .made = h->derived != NULL,
                                             .by = j->by,
                                             .l = *l,
                                             .at = s->n_text};
    dead_letters_put(s, l->message, l->n_message);
    dead_letters_put(s, l->record, l->n_record);
    dead_letters_put(s, l->key, l->n_key);
    dead_letters_put(s, l->headers, l->n_headers);
    dead_letters_put(s, l->input,
                     (uint32_t)strlen(l->input) + 1); /* copied, because the input may get another
                                                       * name */
    return LEAT_OK;
}

static int dead_letters_add_counted(struct dead_letters *s, const struct hbatch *h,
                                    const struct rejection *j)
{
    if (dead_letters_reserve(s, 0) != LEAT_OK) return LEAT_ENOMEM;
    struct dead_letter *x = &s->letter[s->n++];
    x->record = batch_order(h, j->record);
    x->reason = j->reason;
    x->made = h->derived != NULL;
    x->counted = true;
    x->by = j->by;
    return LEAT_OK;
}

static int dead_letters_add_words(struct dead_letters *s, struct hbatch *h,
                                  const struct rejection *j)
{
    struct batch_origin at = batch_origin(h, j->record);
    struct leat_dead_letter l = dead_letters_make(h, j, &at);
    return dead_letters_add_one(s, h, j, &l);
}

int dead_letters_add(struct dead_letters *s, struct hbatch *h)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; i < h->n_rejections && status == LEAT_OK; i++) {
        const struct rejection *j = &h->rejection[i];
        status = j->counted ? dead_letters_add_counted(s, h, j) : dead_letters_add_words(s, h, j);
    }
    return status;
}

static void letter_set_texts(struct leat_dead_letter *l, const char *text)
{
    l->message = text;
    l->record = l->message + l->n_message;
    if (l->key) l->key = l->record + l->n_record;
    l->headers = l->record + l->n_record + l->n_key;
    l->input = l->headers + l->n_headers;
}

/* ---- records that are rejected later ---- */

/* Copy of a record, which may be rejected after its batch has passed. */
struct kept {
    uint64_t offset, line;
    int64_t timestamp;
    uint32_t n_record, n_key, n_headers, n_input; /* n_input: with its zero byte */
    bool made, has_key;
    char text[]; /* record, key, headers, input */
};

static char *kept_put(char *to, const void *text, uint32_t n)
{
    if (n) memcpy(to, text, n);
    return to + n;
}

size_t dead_letters_keep(struct hbatch *h, uint32_t r, void *to, size_t room)
{
    const struct leat_batch *b = &h->b;
    const struct batch_origin at = batch_origin(h, r);
    const char *input = instance_origin(h->source, &at);
    struct leat_str none = {0, LEAT_NULL}, raw = b->raw[r], key = b->key ? b->key[r] : none;
    struct kept k = {.offset = at.offset,
                     .line = at.line,
                     .timestamp = b->timestamp ? b->timestamp[r] : -1,
                     .n_record = raw.len,
                     .n_key = key.len == LEAT_NULL ? 0 : key.len,
                     .n_headers = b->headers ? b->headers[r].len : 0,
                     .n_input = (uint32_t)strlen(input) + 1,
                     .made = h->derived != NULL,
                     .has_key = key.len != LEAT_NULL};
    size_t bytes = offsetof(struct kept, text) + k.n_record + k.n_key + k.n_headers + k.n_input;
    if (bytes > room) return bytes;
    memcpy(to, &k, offsetof(struct kept, text));
    char *end = kept_put(((struct kept *)to)->text, leat_text(b, raw), k.n_record);
    if (k.n_key) end = kept_put(end, leat_text(b, key), k.n_key);
    if (k.n_headers) end = kept_put(end, leat_text(b, b->headers[r]), k.n_headers);
    kept_put(end, input, k.n_input);
    return bytes;
}

/* Returns the letter of a kept record, without the texts. */
static struct leat_dead_letter kept_letter(const struct kept *k, const struct instance *by,
                                           int reason, uint32_t n_message)
{
    return (struct leat_dead_letter){.size = sizeof(struct leat_dead_letter),
                                     .stage = by->node->id,
                                     .reason = stage_tables_reason(by->node->stage, reason),
                                     .offset = k->offset,
                                     .line = k->line,
                                     .timestamp = k->timestamp,
                                     .key = k->has_key ? k->text : NULL,
                                     .n_message = n_message,
                                     .n_record = k->n_record,
                                     .n_key = k->n_key,
                                     .n_headers = k->n_headers};
}

struct late_letter *dead_letters_refuse(const void *kept, const struct instance *by, int reason,
                                        const char *format, va_list args)
{
    const struct kept *k = kept;
    size_t n = (size_t)k->n_record + k->n_key + k->n_headers + k->n_input;
    struct late_letter *late = malloc(sizeof *late + MESSAGE_MAX + n);
    if (!late) return NULL;
    int length = vsnprintf(late->text, MESSAGE_MAX, format, args);
    uint32_t n_message = length < 0             ? 0
                         : length < MESSAGE_MAX ? (uint32_t)length
                                                : note_cut(late->text, MESSAGE_MAX);
    late->next = NULL;
    late->x = (struct dead_letter){
        .reason = reason, .made = k->made, .by = by, .l = kept_letter(k, by, reason, n_message)};
    memcpy(late->text + n_message, k->text, n);
    letter_set_texts(&late->x.l, late->text);
    return late;
}

/* ---- the order of dead letters ---- */

static int letter_compare_text(const char *a, uint32_t n_a, const char *b, uint32_t n_b)
{
    int order = memcmp(a, b, n_a < n_b ? n_a : n_b);
    return order ? order : (n_a > n_b) - (n_a < n_b);
}

/* Compares two letters in the order of dead_letters_settle. A stage after a merge may reject the
 * copies of a record in two branches; such letters differ in reason or text, or are equal. */
static int letter_in_order(const void *a, const void *b)
{
    const struct dead_letter *x = a, *y = b;
    if (x->record != y->record) return x->record < y->record ? -1 : 1;
    uint32_t i = x->by->node->index, j = y->by->node->index;
    if (i != j) return i < j ? -1 : 1;
    if (x->reason != y->reason) return x->reason < y->reason ? -1 : 1;
    if (x->counted || y->counted) return 0;
    int order = letter_compare_text(x->l.message, x->l.n_message, y->l.message, y->l.n_message);
    return order ? order
                 : letter_compare_text(x->l.record, x->l.n_record, y->l.record, y->l.n_record);
}

/* True if the letters are sorted already, which is so if only one stage has rejected records. In
 * that case the copies that qsort makes are not necessary. */
static bool dead_letters_are_sorted(const struct dead_letters *s)
{
    for (uint32_t i = 1; i < s->n; i++)
        if (letter_in_order(&s->letter[i - 1], &s->letter[i]) > 0) return false;
    return true;
}

void dead_letters_settle(struct dead_letters *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (!s->letter[i].counted) letter_set_texts(&s->letter[i].l, s->text + s->letter[i].at);
    if (!dead_letters_are_sorted(s)) qsort(s->letter, s->n, sizeof *s->letter, letter_in_order);
}

void dead_letters_empty(struct dead_letters *s)
{
    s->n = 0;
    s->n_text = 0;
}

void dead_letters_free(struct dead_letters *s)
{
    free(s->letter);
    free(s->text);
    free(s);
}

/* ---- files and sinks that dead letters go to, as text for messages ---- */

/* Returns the text of the stage's positional parameter, such as the topic of sink.dead_letters;
 * NULL if it has none. */
static const char *places_target(const struct node *n)
{
    for (uint32_t i = 0; i < n->stage->n_params; i++) {
        const struct leat_param *p = &n->stage->params[i];
        bool text = p->type == LEAT_STRING || p->type == LEAT_PATH;
        if (text && p->flags & LEAT_POSITIONAL && !(p->flags & LEAT_SECRET))
            return params_text(p, n->cfg, 0);
    }
    return NULL;
}

static const char *places_with(const char *list, const char *place, struct arena *a)
{
    return list ? arena_printf(a, "%s and %s", list, place) : place;
}

const char *dead_letters_places(const struct graph *g)
{
    const char *file = g->options.dead_letters, *list = NULL;
    if (file && *file) list = strcmp(file, "-") ? file : "standard output";
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        if (!n->stage || !n->stage->letters->take) continue;
        const char *target = places_target(n);
        list = places_with(
            list, target ? arena_printf(g->arena, "%s (%s)", target, n->name) : n->label, g->arena);
    }
    return list;
}
