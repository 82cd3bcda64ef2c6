/* kept_record.c -- implementation of kept_record.h: packs, outputs, saves and checks records. */
#include "kept_record.h"

#include <string.h>

#include "core/le.h"
#include "common/cells/cells.h"
#include "common/cells/columns.h"
#include "common/state/block_copy.h"

/* Head of a packed record. The cells and the texts follow. All numbers are little-endian, as in a
 * snapshot. */
struct kept_record_head {
    int64_t timestamp;
    uint64_t offset, line;
    float label, weight;
    uint32_t raw, key; /* lengths; LEAT_NULL in `raw`: a tombstone; LEAT_NULL in `key`: no key */
    uint32_t headers, input;
    uint32_t text, reserved; /* text: length of all texts together */
};

static struct kept_record_head kept_record_turned(struct kept_record_head h)
{
    le_turn_members(&h, "88844444444");
    return h;
}

static struct leat_str kept_record_turned_str(struct leat_str s)
{
    return (struct leat_str){le_turned32(s.off), le_turned32(s.len)};
}

/* Parts of a batch from which a record is packed. */
struct kept_record_parts {
    struct leat_str raw, key, headers;
    const char *input;
    uint64_t text;
    struct kept_record_head head;
};

/* ---- before the run ---- */

static int kept_record_add_columns(struct leat_negotiation *n)
{
    for (uint32_t i = 0; i < n->in->n_columns; i++) {
        const struct leat_column *c = &n->in->column[i];
        uint32_t index, to;
        int status = n->column(n, NULL, c->name, LEAT_TAKES_ANY, &index);
        if (status >= 0) status = n->add_column(n, c->name, strlen(c->name), c->type, &to);
        if (status < 0) return status;
        columns_same_form(n, to, i);
    }
    return LEAT_OK;
}

int kept_negotiate(struct leat_negotiation *n)
{
    const struct leat_schema *in = n->in;
    struct leat_schema *out = n->out;
    if (in->has & LEAT_HAS_EXAMPLES)
        n->diag->error(n->diag, NULL,
                       "this stage keeps records and would lose the examples that an earlier stage "
                       "made of them: put it before that stage");
    out->has |= in->has & (LEAT_HAS_COLUMNS | LEAT_HAS_LABEL | LEAT_HAS_HEADERS);
    out->open = in->open;
    out->derived = in->derived;
    out->n_classes = in->n_classes;
    out->classes = in->classes;
    out->made_labels = in->made_labels;
    out->weighted = in->weighted;
    n->add_bounds(n, &(struct leat_bounds){.copies_text = in->copies_text,
                                           .added_bytes_per_record = in->added_bytes_per_record});
    return kept_record_add_columns(n);
}

uint32_t kept_least(const struct leat_schema *in)
{
    return (uint32_t)(sizeof(struct kept_record_head) + in->n_columns * sizeof(struct leat_str)) +
           1;
}

int kept_open(struct leat_ctx *ctx, struct held *held, void **block, uint64_t budget)
{
    uint32_t least = kept_least(ctx->in);
    if (budget < held_least(least))
        return ctx->host->fail(ctx, LEAT_EARG,
                               "budget is too small for records of %u columns: raise it to %llu",
                               ctx->in->n_columns, (unsigned long long)held_least(least));
    *block = ctx->host->alloc(ctx, budget);
    if (!*block)
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for budget = %llu bytes: lower it",
                               (unsigned long long)budget);
    held_init(held, *block, budget, least);
    return LEAT_OK;
}

/* ---- packing ---- */

static uint32_t kept_record_length(struct leat_str s) { return s.len == LEAT_NULL ? 0 : s.len; }

static uint32_t kept_record_type_of(const struct leat_ctx *ctx, uint32_t c)
{
    return ctx->in->column[c].type;
}

static bool kept_record_is_text(const struct leat_ctx *ctx, uint32_t c)
{
    return cells_are_slices(kept_record_type_of(ctx, c));
}

static bool kept_record_is_within(struct leat_str s, struct leat_str raw)
{
    return s.off >= raw.off && (uint64_t)s.off + s.len <= (uint64_t)raw.off + raw.len;
}

static uint64_t kept_record_cell_bytes(const struct leat_ctx *ctx, const struct leat_batch *b,
                                       uint32_t r, struct leat_str raw)
{
    uint64_t n = 0;
    for (uint32_t c = 0; c < b->n_columns; c++) {
        if (!kept_record_is_text(ctx, c)) continue;
        struct leat_str s = b->column[c].text[r];
        if (!kept_record_is_within(s, raw)) n += kept_record_length(s);
    }
    return n;
}

static struct kept_record_parts kept_record_parts_of(struct leat_ctx *ctx,
                                                     const struct leat_batch *b, uint32_t r)
{
    const struct leat_str none = {0, LEAT_NULL}, empty = {0, 0};
    struct kept_record_parts p = {.raw = leat_is_tombstone(b, r) ? none : b->raw[r],
                                  .key = b->key ? b->key[r] : none,
                                  .headers = b->headers ? b->headers[r] : empty};
    struct kept_record_head *h = &p.head;
    ctx->host->where(ctx, b, r, &p.input, &h->offset, &h->line);
    h->timestamp = b->timestamp ? b->timestamp[r] : -1;
    h->label = b->label[r];
    h->weight = b->weight[r];
    h->raw = p.raw.len;
    h->key = p.key.len;
    h->headers = p.headers.len;
    h->input = (uint32_t)strlen(p.input) + 1;
    p.text = (uint64_t)kept_record_length(p.raw) + kept_record_length(p.key) + p.headers.len +
             h->input + kept_record_cell_bytes(ctx, b, r, b->raw[r]);
    h->text = (uint32_t)p.text;
    return p;
}

static char *kept_record_put(char *to, const char *from, uint32_t n)
{
    if (n) memcpy(to, from, n);
    return to + n;
}

/* Converts the lengths in a list of headers of n bytes to little-endian (`pack`), or back. */
static void kept_record_turn_headers(char *at, uint32_t n, bool pack)
{
    while (!LE_NATIVE && n) {
        uint32_t own[2], len[2]; /* of name and value */
        memcpy(len, at, sizeof len);
        memcpy(own, len, sizeof own);
        le_turn(len, sizeof *len, 2);
        memcpy(at, len, sizeof len);
        if (!pack) memcpy(own, len, sizeof own);
        uint32_t all = (uint32_t)sizeof own + own[0] + (own[1] == LEAT_NULL ? 0 : own[1]);
        at += all;
        n -= all;
    }
}

/* Writes the cells of record r. The cell of a text has the text's offset, counted from the start of
 * all texts of the record. */
static void kept_record_put_cells(const struct leat_ctx *ctx, const struct leat_batch *b,
                                  uint32_t r, char *cells, char *text, char *to)
{
    struct leat_str raw = b->raw[r];
    for (uint32_t c = 0; c < b->n_columns; c++, cells += sizeof raw) {
        struct leat_str s = {0, 0};
        if (!kept_record_is_text(ctx, c)) {
            uint64_t bits = le_turned64(cells_get(b->column[c], kept_record_type_of(ctx, c), r));
            memcpy(cells, &bits, sizeof bits);
            continue;
        }
        s = b->column[c].text[r];
        if (s.len != LEAT_NULL && kept_record_is_within(s, raw)) {
            s.off -= raw.off;
        } else {
            uint32_t off = (uint32_t)(to - text);
            to = kept_record_put(to, b->bytes + s.off, kept_record_length(s));
            s.off = s.len == LEAT_NULL ? 0 : off;
        }
        s = kept_record_turned_str(s);
        memcpy(cells, &s, sizeof s);
    }
}

static void kept_record_put_record(const struct leat_ctx *ctx, const struct kept_record_parts *p,
                                   const struct leat_batch *b, uint32_t r, char *to)
{
    const struct kept_record_head head = kept_record_turned(p->head);
    char *cells = kept_record_put(to, (const char *)&head, sizeof head);
    char *text = cells + b->n_columns * sizeof(struct leat_str);
    to = kept_record_put(text, b->bytes + (kept_record_length(p->raw) ? p->raw.off : 0),
                         kept_record_length(p->raw));
    to = kept_record_put(to, b->bytes + p->key.off, kept_record_length(p->key));
    char *headers = to;
    to = kept_record_put(to, b->bytes + p->headers.off, p->headers.len);
    kept_record_turn_headers(headers, p->headers.len, true);
    to = kept_record_put(to, p->input, p->head.input);
    kept_record_put_cells(ctx, b, r, cells, text, to);
}

bool kept_take(struct leat_ctx *ctx, struct held *held, uint64_t key, struct leat_batch *b,
               uint32_t r, const struct leat_batch *out)
{
    struct kept_record_parts p = kept_record_parts_of(ctx, b, r);
    uint64_t n = sizeof p.head + b->n_columns * sizeof(struct leat_str) + p.text;
    if (n > held_longest(held))
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                          "the record takes %llu bytes, but with this budget a kept record has at "
                          "most %u: raise 'budget'",
                          (unsigned long long)n, held_longest(held));
    else if (p.text > out->cap_bytes)
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                          "the record takes %llu bytes, more than a batch has: raise "
                          "'batch_bytes' of the pipeline",
                          (unsigned long long)p.text);
    else {
        kept_record_put_record(ctx, &p, b, r, held_add(held, key, (uint32_t)n));
        return true;
    }
    return false;
}

/* ---- output of records ---- */

static void kept_record_give_cells(const struct leat_ctx *ctx, const char *cells, uint32_t base,
                                   struct leat_batch *out, uint32_t r)
{
    for (uint32_t c = 0; c < ctx->in->n_columns; c++, cells += sizeof(struct leat_str)) {
        if (!kept_record_is_text(ctx, c)) {
            uint64_t bits;
            memcpy(&bits, cells, sizeof bits);
            cells_set(out->column[c], kept_record_type_of(ctx, c), r, le_turned64(bits));
            continue;
        }
        struct leat_str s;
        memcpy(&s, cells, sizeof s);
        s = kept_record_turned_str(s);
        if (s.len != LEAT_NULL) s.off += base;
        out->column[c].text[r] = s;
    }
}

static void kept_record_give_record(struct leat_ctx *ctx, const struct kept_record_head *h,
                                    const char *cells, struct leat_batch *out, uint32_t r)
{
    uint32_t base = out->n_bytes, key = base + (h->raw == LEAT_NULL ? 0 : h->raw);
    uint32_t headers = key + (h->key == LEAT_NULL ? 0 : h->key);
    struct leat_str input = {headers + h->headers, h->input - 1};
    out->n_bytes += h->text;
    kept_record_put(out->bytes + base, cells + ctx->in->n_columns * sizeof input, h->text);
    kept_record_turn_headers(out->bytes + headers, h->headers, false);
    out->raw[r] =
        h->raw == LEAT_NULL ? (struct leat_str){LEAT_NULL, 0} : (struct leat_str){base, h->raw};
    if (out->key) out->key[r] = (struct leat_str){h->key == LEAT_NULL ? 0 : key, h->key};
    if (out->headers) out->headers[r] = (struct leat_str){headers, h->headers};
    if (out->timestamp) out->timestamp[r] = h->timestamp;
    out->label[r] = h->label;
    out->weight[r] = h->weight;
    ctx->host->came_from(ctx, out, r, input, h->offset, h->line);
    kept_record_give_cells(ctx, cells, base, out, r);
}

bool kept_give(struct leat_ctx *ctx, struct held *held, struct leat_batch *out)
{
    struct kept_record_head h;
    uint32_t n;
    const char *from = held_first(held, &n);
    memcpy(&h, from, sizeof h);
    h = kept_record_turned(h);
    if (!leat_has_space(out, h.text)) return false;
    int r = leat_add_from(out, NULL, LEAT_NULL);
    if (r < 0) return false;
    kept_record_give_record(ctx, &h, from + sizeof h, out, (uint32_t)r);
    held_drop(held);
    return true;
}

/* ---- state ---- */

int kept_save(struct held *held, struct leat_writer *w)
{
    uint64_t at = 0, key, bytes = 0, i = 0;
    uint32_t n;
    held_mark(held);
    while (held_next(held, &at, &key, &n))
        bytes += n;
    if (!held->n) {
        int status = w->array(w, "keys", LEAT_U64, "", 0);
        return status == LEAT_OK ? w->array(w, "records", LEAT_U8, "", 0) : status;
    }
    uint64_t *keys = w->reserve(w, "keys", LEAT_U64, held->n);
    for (at = 0; keys && held_next(held, &at, &key, &n); i++)
        keys[i] = key;
    char *to = keys ? w->reserve(w, "records", LEAT_U8, bytes) : NULL;
    const char *from;
    for (at = 0; to && (from = held_next(held, &at, &key, &n));)
        to = kept_record_put(to, from, n);
    return to ? LEAT_OK : LEAT_ENOMEM;
}

static bool kept_record_are_cells(const struct leat_ctx *ctx, const char *cells, uint32_t text)
{
    for (uint32_t c = 0; c < ctx->in->n_columns; c++, cells += sizeof(struct leat_str)) {
        struct leat_str s;
        memcpy(&s, cells, sizeof s);
        s = kept_record_turned_str(s);
        if (kept_record_is_text(ctx, c) && s.len != LEAT_NULL &&
            (s.off > text || s.len > text - s.off))
            return false;
    }
    return true;
}

/* True if the lengths in a list of headers add up to n bytes. */
static bool kept_record_are_headers(const char *text, uint32_t n)
{
    while (n) {
        if (n < 8) return false;
        uint32_t name = le_get32(text), value = le_get32(text + 4);
        uint64_t all = 8 + (uint64_t)name + (value == LEAT_NULL ? 0 : value);
        if (all > n) return false;
        text += all;
        n -= (uint32_t)all;
    }
    return true;
}

/* True if the lengths in the packed record at `from` are consistent. *n is the number of bytes
 * available; sets it to the length of the record. */
static bool kept_record_is_record(const struct leat_ctx *ctx, const char *from, uint64_t *n)
{
    struct kept_record_head h;
    uint64_t cells = ctx->in->n_columns * sizeof(struct leat_str);
    if (*n < sizeof h + cells) return false;
    memcpy(&h, from, sizeof h);
    h = kept_record_turned(h);
    uint64_t headers = (h.raw == LEAT_NULL ? 0 : (uint64_t)h.raw) +
                       (h.key == LEAT_NULL ? 0 : (uint64_t)h.key),
             input = headers + h.headers, end = input + h.input;
    const char *text = from + sizeof h + cells;
    if (!h.input || end > h.text || h.text > *n - sizeof h - cells) return false;
    if (text[end - 1] || memchr(text + input, 0, h.input - 1)) return false;
    if (h.timestamp < -1 || !(h.weight >= 0) || isinf(h.weight) || isinf(h.label)) return false;
    *n = sizeof h + cells + h.text;
    return kept_record_are_headers(text + headers, h.headers) &&
           kept_record_are_cells(ctx, from + sizeof h, h.text);
}

static const char *kept_record_restore_record(struct leat_ctx *ctx, struct held *held, uint64_t key,
                                              const char *from, uint64_t *n)
{
    if (!kept_record_is_record(ctx, from, n)) return "is none";
    if (*n > held_longest(held) || held_is_over(held)) return "does not fit any more";
    kept_record_put(held_add(held, key, (uint32_t)*n), from, (uint32_t)*n);
    return NULL;
}

static int kept_record_restore_records(struct leat_ctx *ctx, struct held *held,
                                       struct leat_reader *r, uint64_t max)
{
    const void *keys, *bytes;
    uint64_t n_keys = 0, n_bytes = 0, at = 0;
    held_clear(held);
    int status = r->array_up_to(r, "keys", LEAT_U64, max, &keys, &n_keys);
    if (status == LEAT_OK)
        status = r->array_up_to(r, "records", LEAT_U8, UINT64_MAX, &bytes, &n_bytes);
    for (uint64_t i = 0; i < n_keys && status == LEAT_OK; i++) {
        uint64_t n = n_bytes - at, key;
        memcpy(&key, (const char *)keys + i * sizeof key, sizeof key);
        const char *why = kept_record_restore_record(ctx, held, key, (const char *)bytes + at, &n);
        if (why)
            status =
                r->refuse(r, "records[%llu] cannot be restored: it %s", (unsigned long long)i, why);
        at += n;
    }
    if (status == LEAT_OK && at != n_bytes)
        status =
            r->refuse(r, "records has %llu bytes too many", (unsigned long long)(n_bytes - at));
    return status;
}

int kept_restore(struct leat_ctx *ctx, struct held *held, struct leat_reader *r, uint64_t max)
{
    const struct held before = *held;
    struct block_copy copy;
    size_t bytes = (size_t)(held->bytes + held->size - (char *)held->entry);
    int status = block_copy_take(ctx, &copy, held->entry, bytes, held->n);
    if (status != LEAT_OK) return status;
    status = kept_record_restore_records(ctx, held, r, max);
    block_copy_end(ctx, &copy, status != LEAT_OK);
    if (status != LEAT_OK) *held = before;
    return status;
}

static char kept_record_type_letter(const struct leat_ctx *ctx, uint32_t c)
{
    static const char letter[] = {[LEAT_TEXT] = 't',  [LEAT_NUMBER] = 'n',  [LEAT_INT64] = 'i',
                                  [LEAT_BYTES] = 'b', [LEAT_BOOLEAN] = 'o', [LEAT_TIME] = 'm'};
    return letter[kept_record_type_of(ctx, c)];
}

/* Saves each column as its type, its name, and a line feed. */
int kept_save_columns(const struct leat_ctx *ctx, struct leat_writer *w)
{
    uint64_t n = 0;
    for (uint32_t c = 0; c < ctx->in->n_columns; c++)
        n += strlen(ctx->in->column[c].name) + 2;
    if (!n) return w->array(w, "columns", LEAT_U8, "", 0);
    char *to = w->reserve(w, "columns", LEAT_U8, n);
    for (uint32_t c = 0; to && c < ctx->in->n_columns; c++) {
        const char *name = ctx->in->column[c].name;
        *to++ = kept_record_type_letter(ctx, c);
        to = kept_record_put(to, name, (uint32_t)strlen(name));
        *to++ = '\n';
    }
    return to ? LEAT_OK : LEAT_ENOMEM;
}

#define HELD                                                                                       \
    "holds records: restore the columns, or restart the stage (--reset), which loses these "       \
    "records"

int kept_check_columns(struct leat_ctx *ctx, struct leat_reader *r)
{
    const void *bytes;
    uint64_t n, at = 0;
    int status = r->array_up_to(r, "columns", LEAT_U8, UINT64_MAX, &bytes, &n);
    if (status != LEAT_OK) return status;
    const char *saved = bytes;
    for (uint32_t c = 0; c < ctx->in->n_columns; c++) {
        const char *name = ctx->in->column[c].name;
        uint64_t len = strlen(name);
        if (n - at < len + 2 || saved[at] != kept_record_type_letter(ctx, c) ||
            memcmp(saved + at + 1, name, len) != 0 || saved[at + len + 1] != '\n')
            return r->refuse(r,
                             "column %u is '%s' here and differs in the saved state, which " HELD,
                             c + 1, name);
        at += len + 2;
    }
    return at == n
               ? LEAT_OK
               : r->refuse(r, "the saved state has more columns than the %u of this run, and " HELD,
                           ctx->in->n_columns);
}
