/* letters.c -- see letters.h. */
#include "letters.h"

#include <stdlib.h>
#include <string.h>

#include "host/exec/instance/instance.h"
#include "host/exec/run.h"
#include "host/plugin/stage_tables.h"

enum { FIRST_LETTERS = 64, FIRST_TEXT = 4096 };

/* What the stage said; or the reason, when the batch had no room left for texts. */
static void set_message(struct leat_dead_letter *l, const struct hbatch *h,
                        const struct rejection *j)
{
    l->message = j->text_len ? h->reject_text + j->text_off : l->reason;
    l->n_message = j->text_len ? j->text_len : (uint32_t)strlen(l->reason);
}

static void set_key(struct leat_dead_letter *l, const struct leat_batch *b, uint32_t r)
{
    if (!b->key || b->key[r].len == LEAT_NULL) return;
    l->key = leat_text(b, b->key[r]);
    l->n_key = b->key[r].len;
}

static void set_headers(struct leat_dead_letter *l, const struct leat_batch *b, uint32_t r)
{
    if (!b->headers || !b->headers[r].len) return;
    l->headers = leat_text(b, b->headers[r]);
    l->n_headers = b->headers[r].len;
}

/* Its texts lie in the batch. A record that the source itself rejects as too large has come without
 * its end. */
static struct leat_dead_letter dead_letter(const struct hbatch *h, const struct rejection *j,
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
    set_message(&l, h, j);
    set_key(&l, &h->b, j->record);
    set_headers(&l, &h->b, j->record);
    return l;
}

/* Memory for n more of `size` bytes each, at least double what was there. */
static void *grown(void *old, size_t used, size_t n, size_t size, size_t first, size_t *cap)
{
    size_t more = used + n > 2 * *cap ? used + n : 2 * *cap;
    if (more < first) more = first;
    void *larger = realloc(old, more * size);
    if (larger) *cap = more;
    return larger;
}

static int reserve(struct letters *s, size_t text)
{
    if (s->n == s->cap) {
        size_t cap = s->cap;
        void *larger = grown(s->letter, s->n, 1, sizeof *s->letter, FIRST_LETTERS, &cap);
        if (!larger) return LEAT_ENOMEM;
        s->letter = larger;
        s->cap = (uint32_t)cap;
    }
    if (text > s->cap_text - s->n_text) {
        void *larger = grown(s->text, s->n_text, text, 1, FIRST_TEXT, &s->cap_text);
        if (!larger) return LEAT_ENOMEM;
        s->text = larger;
    }
    return LEAT_OK;
}

static void put(struct letters *s, const char *text, uint32_t n)
{
    if (n) memcpy(s->text + s->n_text, text, n);
    s->n_text += n;
}

static size_t text_bytes(const struct leat_dead_letter *l)
{
    return (size_t)l->n_message + l->n_record + l->n_key + l->n_headers + strlen(l->input) + 1;
}

static int add(struct letters *s, const struct hbatch *h, const struct rejection *j,
               const struct leat_dead_letter *l)
{
    if (reserve(s, text_bytes(l)) != LEAT_OK) return LEAT_ENOMEM;
    s->letter[s->n++] = (struct letter){.record = batch_order(h, j->record),
                                        .reason = j->reason,
                                        .made = h->derived != NULL,
                                        .by = j->by,
                                        .l = *l,
                                        .at = s->n_text};
    put(s, l->message, l->n_message);
    put(s, l->record, l->n_record);
    put(s, l->key, l->n_key);
    put(s, l->headers, l->n_headers);
    put(s, l->input, (uint32_t)strlen(l->input) + 1); /* its number may get another name */
    return LEAT_OK;
}

static int add_counted(struct letters *s, const struct hbatch *h, const struct rejection *j)
{
    if (reserve(s, 0) != LEAT_OK) return LEAT_ENOMEM;
    struct letter *x = &s->letter[s->n++];
    x->record = batch_order(h, j->record);
    x->reason = j->reason;
    x->made = h->derived != NULL;
    x->counted = true;
    x->by = j->by;
    return LEAT_OK;
}

static int add_words(struct letters *s, struct hbatch *h, const struct rejection *j)
{
    struct batch_origin at = batch_origin(h, j->record);
    struct leat_dead_letter l = dead_letter(h, j, &at);
    return add(s, h, j, &l);
}

int letters_add(struct letters *s, struct hbatch *h)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; i < h->n_rejections && status == LEAT_OK; i++) {
        const struct rejection *j = &h->rejection[i];
        status = j->counted ? add_counted(s, h, j) : add_words(s, h, j);
    }
    return status;
}

static void set_texts(struct leat_dead_letter *l, const char *text)
{
    l->message = text;
    l->record = l->message + l->n_message;
    if (l->key) l->key = l->record + l->n_record;
    l->headers = l->record + l->n_record + l->n_key;
    l->input = l->headers + l->n_headers;
}

static int compare_text(const char *a, uint32_t n_a, const char *b, uint32_t n_b)
{
    int order = memcmp(a, b, n_a < n_b ? n_a : n_b);
    return order ? order : (n_a > n_b) - (n_a < n_b);
}

/* The same record rejected by the same stage came down two branches that meet: those differ in
 * their reasons or texts, or are the same. */
static int in_order(const void *a, const void *b)
{
    const struct letter *x = a, *y = b;
    if (x->record != y->record) return x->record < y->record ? -1 : 1;
    uint32_t i = x->by->node->index, j = y->by->node->index;
    if (i != j) return i < j ? -1 : 1;
    if (x->reason != y->reason) return x->reason < y->reason ? -1 : 1;
    if (x->counted || y->counted) return 0;
    int order = compare_text(x->l.message, x->l.n_message, y->l.message, y->l.n_message);
    return order ? order : compare_text(x->l.record, x->l.n_record, y->l.record, y->l.n_record);
}

/* One stage alone has rejected them in their order, and qsort would copy them all to see that. */
static bool are_sorted(const struct letters *s)
{
    for (uint32_t i = 1; i < s->n; i++)
        if (in_order(&s->letter[i - 1], &s->letter[i]) > 0) return false;
    return true;
}

void letters_settle(struct letters *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (!s->letter[i].counted) set_texts(&s->letter[i].l, s->text + s->letter[i].at);
    if (!are_sorted(s)) qsort(s->letter, s->n, sizeof *s->letter, in_order);
}

void letters_empty(struct letters *s)
{
    s->n = 0;
    s->n_text = 0;
}

void letters_free(struct letters *s)
{
    free(s->letter);
    free(s->text);
    free(s);
}
