/* heads.c -- implementation of heads.h. */
#include "heads.h"

#include <string.h>

uint64_t heads_bytes(uint32_t n_columns)
{
    return HEADS_MAX * (uint64_t)n_columns * sizeof(uint32_t);
}

void heads_init(struct heads *h, const char *const *name, uint32_t n_columns, uint32_t *at)
{
    *h = (struct heads){.name = name, .n_columns = n_columns};
    for (uint32_t i = 0; i < HEADS_MAX; i++)
        h->head[i].at = at + (uint64_t)i * n_columns;
}

struct head *heads_find(struct heads *h, uint32_t input)
{
    for (uint32_t i = 0; i < h->n; i++)
        if (h->head[i].input == input) {
            h->head[i].turn = ++h->turn;
            return &h->head[i];
        }
    return NULL;
}

static void head_clear(struct head *d, uint32_t input)
{
    *d = (struct head){.input = input,
                       .separator = '\t',
                       .set_separator = ',',
                       .unset = "-",
                       .turn = d->turn,
                       .at = d->at};
}

struct head *heads_begin(struct heads *h, uint32_t input)
{
    struct head *d = heads_find(h, input);
    if (d) return d;
    if (h->n < HEADS_MAX) {
        d = &h->head[h->n++];
    } else {
        d = h->head;
        for (uint32_t i = 1; i < HEADS_MAX; i++)
            if (h->head[i].turn < d->turn) d = &h->head[i];
    }
    d->turn = ++h->turn;
    head_clear(d, input);
    return d;
}

static int heads_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c |= ' ';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

uint32_t head_unescape(const char *text, uint32_t n, char keep, char *to)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool is_byte = text[i] == '\\' && i + 3 < n && text[i + 1] == 'x' &&
                       heads_digit(text[i + 2]) >= 0 && heads_digit(text[i + 3]) >= 0;
        char byte =
            is_byte ? (char)(heads_digit(text[i + 2]) << 4 | heads_digit(text[i + 3])) : '\0';
        if (is_byte && (!keep || byte != keep)) {
            to[k++] = byte;
            i += 3;
        } else {
            i += text[i] == '\\' && i + 1 < n && text[i + 1] == '\\';
            to[k++] = text[i];
        }
    }
    return k;
}

/* True if the line begins with the word. Sets *rest to the place after the word and the byte that
 * follows it. */
static bool head_says(const char *line, uint32_t n, const char *word, uint32_t *rest)
{
    uint32_t len = (uint32_t)strlen(word);
    if (n < len || memcmp(line, word, len) != 0) return false;
    *rest = len < n ? len + 1 : n;
    return true;
}

/* Calls take(i, name) for each name of a list. Returns their number. */
typedef void heads_each(void *to, uint32_t i, const char *name, uint32_t n);
static uint32_t head_split(const char *list, uint32_t n, char separator, heads_each *each, void *to)
{
    uint32_t names = 0;
    for (uint32_t at = 0; at < n;) {
        const char *end = memchr(list + at, separator, n - at);
        uint32_t len = end ? (uint32_t)(end - list) - at : n - at;
        if (len) each(to, names++, list + at, len);
        at += len + 1;
    }
    return names;
}

struct head_naming {
    const struct heads *heads;
    struct head *head;
    heads_note *note;
    void *to;
};

static bool heads_same(const char *name, const char *text, uint32_t n)
{
    return strlen(name) == n && !memcmp(name, text, n);
}

/* Notes field number i. Of fields with one name the first counts. */
static void head_name(void *to, uint32_t i, const char *name, uint32_t n)
{
    struct head_naming *naming = to;
    struct head *d = naming->head;
    if (i >= HEAD_FIELDS) return;
    naming->note(naming->to, name, n);
    if (d->is_w3c && heads_same("date", name, n)) d->date = i;
    if (d->is_w3c && heads_same("time", name, n)) d->time = i;
    for (uint32_t c = 0; c < naming->heads->n_columns; c++)
        if (d->at[c] == FIELD_NONE && heads_same(naming->heads->name[c], name, n))
            d->at[c] = i | (d->is_w3c && memchr(name, '(', n) ? FIELD_HAS_PLUS : 0);
}

static const char *head_fields(struct head_naming *naming, const char *list, uint32_t n, char by)
{
    struct head *d = naming->head;
    d->date = d->time = FIELD_NONE;
    for (uint32_t c = 0; c < naming->heads->n_columns; c++)
        d->at[c] = FIELD_NONE;
    d->fields = head_split(list, n, by, head_name, naming);
    for (uint32_t c = 0; c < naming->heads->n_columns; c++)
        if (d->at[c] == FIELD_NONE && d->date != FIELD_NONE && d->time != FIELD_NONE &&
            !strcmp(naming->heads->name[c], "datetime"))
            d->at[c] = FIELD_JOINED;
    if (d->fields > HEAD_FIELDS) {
        d->fields = 0;
        return "it names more than 4096 fields";
    }
    return d->fields ? NULL : "it names no field";
}

/* Marks the columns of field number i if its type is a set or a vector. */
static void head_type(void *to, uint32_t i, const char *type, uint32_t n)
{
    struct head_naming *naming = to;
    bool is_set = (n > 4 && !memcmp(type, "set[", 4)) || (n > 7 && !memcmp(type, "vector[", 7));
    for (uint32_t c = 0; is_set && c < naming->heads->n_columns; c++)
        if (naming->head->at[c] == i) naming->head->at[c] |= FIELD_IS_SET;
}

/* Takes a text that is one byte, written as itself or as an escape. */
static const char *head_byte(const char *text, uint32_t n, char *to)
{
    char byte[HEAD_MARK];
    if (!n || n > sizeof byte || head_unescape(text, n, '\0', byte) != 1)
        return "a separator of one byte is expected";
    *to = byte[0];
    return NULL;
}

static const char *head_mark(const char *text, uint32_t n, char to[HEAD_MARK])
{
    if (n >= HEAD_MARK) return "a text that means no value has at most 15 bytes";
    memcpy(to, text, n);
    to[n] = '\0';
    return NULL;
}

const char *head_take(const struct heads *h, struct head *d, const char *line, uint32_t n,
                      heads_note *note, void *to)
{
    struct head_naming naming = {h, d, note, to};
    uint32_t rest;
    if (head_says(line, n, "#separator ", &rest)) {
        head_clear(d, d->input);
        return head_byte(line + rest - 1, n - rest + 1, &d->separator);
    }
    if (head_says(line, n, "#set_separator", &rest))
        return head_byte(line + rest, n - rest, &d->set_separator);
    if (head_says(line, n, "#empty_field", &rest))
        return head_mark(line + rest, n - rest, d->empty);
    if (head_says(line, n, "#unset_field", &rest))
        return head_mark(line + rest, n - rest, d->unset);
    if (head_says(line, n, "#types", &rest)) {
        head_split(line + rest, n - rest, d->separator, head_type, &naming);
        return NULL;
    }
    if (head_says(line, n, "#fields", &rest))
        return head_fields(&naming, line + rest, n - rest, d->separator);
    if (!head_says(line, n, "#Fields:", &rest)) return NULL;
    head_clear(d, d->input);
    d->is_w3c = true;
    return head_fields(&naming, line + rest, n - rest,
                       memchr(line + rest, '\t', n - rest) ? '\t' : ' ');
}
