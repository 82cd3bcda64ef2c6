/* window_keys.c -- implementation of window.h: keys of records, and their groups.
 *
 * Most records have the key of a recent record. Their group is found by a mark, a weak hash of the
 * values, and their key is compared with the values, without being written.
 *
 * The numbers in a key are little-endian, so a key has the same bytes and hash on each machine. */
#include "window.h"

#include <math.h>
#include <string.h>

#include "core/bits.h"
#include "core/le.h"
#include "core/mix64.h"
#include "common/cells/cells.h"

/* Returns the bits of a value in a key. Equal values have equal bits. */
static uint64_t window_key_value_of(union leat_cells cells, uint32_t type, uint32_t r)
{
    if (type != LEAT_NUMBER) return le_turned64(cells_get(cells, type, r));
    double x = cells.number[r] + 0.0; /* changes -0 to 0 */
    return le_turned64(bits_of_double(isnan(x) ? (double)NAN : x));
}

/* Copies n bytes of the batch's text from `off` on. `room`: bytes at `to`. Short texts are copied
 * with the bytes behind them, which is faster. */
static inline void window_key_copy(char *to, size_t room, const struct leat_batch *b, uint32_t off,
                                   uint32_t n)
{
    enum { SHORT = 16 };
    const char *from = b->bytes + off;
    if (n <= SHORT && room >= SHORT && (size_t)off + SHORT <= b->n_bytes)
        memcpy(to, from, SHORT);
    else if (n)
        memcpy(to, from, n);
}

/* Writes the key of record r to `to`. Returns its length in bytes; UINT32_MAX if it is too long. */
static inline uint32_t window_key_write(const struct window *st, const struct leat_batch *b,
                                        uint32_t r, char *to)
{
    const uint32_t cap = st->groups.key_bytes;
    uint32_t n = 0;
    for (uint32_t i = 0; i < st->n_by; i++) {
        const union leat_cells cells = b->column[st->by[i].column];
        const uint32_t type = st->by[i].type;
        if (cells_are_slices(type)) {
            const struct leat_str s = cells.text[r];
            const uint32_t text = s.len == LEAT_NULL ? 0 : s.len, head = n + sizeof s.len;
            if (text > cap || head + text > cap) return UINT32_MAX;
            const uint32_t len = le_turned32(s.len);
            memcpy(to + n, &len, sizeof len);
            window_key_copy(to + head, cap - head, b, text ? s.off : 0, text);
            n = head + text;
        } else {
            const uint64_t x = window_key_value_of(cells, type, r);
            if (n + sizeof x > cap) return UINT32_MAX;
            memcpy(to + n, &x, sizeof x);
            n += sizeof x;
        }
    }
    return n;
}

enum { WORD = sizeof(uint64_t) };

static inline uint64_t window_key_word(const char *p)
{
    uint64_t w;
    memcpy(&w, p, sizeof w);
    return w;
}

/* Returns the bits of a word that n bytes of text fill; 0 < n <= WORD. */
static inline uint64_t window_key_mask(uint32_t n)
{
    const unsigned unused = 8 * (WORD - n);
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? UINT64_MAX << unused : UINT64_MAX >> unused;
}

/* Returns a weak hash of a text: of its length, and its first and last bytes. At the end of the
 * batch's text, where no word can be read, it is of the length alone. */
static inline uint64_t window_key_mark_text(const struct leat_batch *b, struct leat_str s)
{
    const char *text = leat_text(b, s);
    if (s.len == LEAT_NULL || !s.len || (size_t)s.off + WORD > b->n_bytes) return s.len;
    if (s.len <= WORD) return (window_key_word(text) & window_key_mask(s.len)) + s.len;
    return window_key_word(text) + window_key_word(text + s.len - WORD) * MIX64_GOLDEN + s.len;
}

/* Returns the mark of record r for groups_recent(). */
static inline uint64_t window_key_mark(const struct window *st, const struct leat_batch *b,
                                       uint32_t r, int64_t pane)
{
    uint64_t mark = (uint64_t)pane;
    for (uint32_t i = 0; i < st->n_by; i++) {
        const union leat_cells cells = b->column[st->by[i].column];
        mark = mark * MIX64_GOLDEN + (cells_are_slices(st->by[i].type)
                                          ? window_key_mark_text(b, cells.text[r])
                                          : window_key_value_of(cells, st->by[i].type, r));
    }
    return mark;
}

/* True if the n bytes at `key`, in a block of groups, equal a text of the batch; n > 0. */
static inline bool window_key_same_text(const char *key, const struct leat_batch *b, uint32_t off,
                                        uint32_t n)
{
    const char *text = b->bytes + off;
    if (n > WORD || (size_t)off + WORD > b->n_bytes) return !memcmp(key, text, n);
    return !((window_key_word(key) ^ window_key_word(text)) & window_key_mask(n));
}

/* True if `key` is the key of record r. A word may be read at any text of a key: behind the last
 * group of a block comes its index. */
static inline bool window_key_is_of(const struct window *st, const struct leat_batch *b, uint32_t r,
                                    const char *key)
{
    for (uint32_t i = 0; i < st->n_by; i++) {
        const union leat_cells cells = b->column[st->by[i].column];
        if (!cells_are_slices(st->by[i].type)) {
            if (window_key_word(key) != window_key_value_of(cells, st->by[i].type, r)) return false;
            key += WORD;
            continue;
        }
        const struct leat_str s = cells.text[r];
        const uint32_t n = s.len == LEAT_NULL ? 0 : s.len;
        uint32_t len;
        memcpy(&len, key, sizeof len);
        if (le_turned32(len) != s.len ||
            (n && !window_key_same_text(key + sizeof len, b, s.off, n)))
            return false;
        key += sizeof len + n;
    }
    return true;
}

/* Returns the group of a text that fills at most a word, if it is the whole key and its group is
 * among the recent ones; otherwise NULL. */
static inline struct group *window_known_word(const struct window *st, const struct leat_batch *b,
                                              struct leat_str s, int64_t pane)
{
    const uint64_t mask = window_key_mask(s.len), word = window_key_word(leat_text(b, s)) & mask;
    const uint64_t mark = (uint64_t)pane * MIX64_GOLDEN + (word + s.len); /* window_key_mark() */
    struct group *a = groups_recent(&st->groups, pane, mark);
    if (!a) return NULL;
    const char *key = group_key(&st->groups, a);
    uint32_t len;
    memcpy(&len, key, sizeof len);
    return le_turned32(len) == s.len && (window_key_word(key + sizeof len) & mask) == word ? a
                                                                                           : NULL;
}

/* Returns the group of record r, if it is among the recent ones; otherwise NULL. text: the cells of
 * the only column of the key, if that is a text; else NULL. */
static inline struct group *window_known(const struct window *st, const struct leat_batch *b,
                                         uint32_t r, int64_t pane, const struct leat_str *text)
{
    if (text && text[r].len - 1 < WORD && (size_t)text[r].off + WORD <= b->n_bytes)
        return window_known_word(st, b, text[r], pane);
    struct group *a = groups_recent(&st->groups, pane, window_key_mark(st, b, r, pane));
    return a && window_key_is_of(st, b, r, group_key(&st->groups, a)) ? a : NULL;
}

static const struct leat_str *window_only_text(const struct window *st, const struct leat_batch *b)
{
    const bool is_text = st->n_by == 1 && cells_are_slices(st->by[0].type);
    return is_text ? b->column[st->by[0].column].text : NULL;
}

bool window_take_known(struct leat_ctx *ctx, struct window *st, struct aggregate_rows *rows,
                       int64_t pane)
{
    const struct leat_str *text = window_only_text(st, rows->b);
    struct group *a = NULL;
    for (uint32_t k = 0; k < rows->n; k++) {
        if (!k || st->n_by) a = window_known(st, rows->b, rows->row[k], pane, text);
        if (!a) return false;
        rows->cell[k] = group_cell(a);
    }
    if (aggregates_read(ctx, &st->sums, rows)) return false;
    aggregates_add(&st->sums, rows);
    return true;
}

/* Finds the key of record r, and its group, if that is among the recent ones. Returns false if the
 * key is too long, after it rejected the record. */
static bool window_find_key(struct leat_ctx *ctx, struct window *st, struct leat_batch *b,
                            uint32_t r, int64_t pane, char *to, struct window_key *key)
{
    key->group = window_known(st, b, r, pane, window_only_text(st, b));
    if (key->group) return true;
    key->mark = window_key_mark(st, b, r, pane);
    key->n = window_key_write(st, b, r, to);
    if (key->n == UINT32_MAX) {
        ctx->host->reject(
            ctx, b, r, LEAT_R_TOO_LARGE,
            "the values of the `by` columns are too long together: raise key_bytes = %u",
            st->groups.key_bytes);
        return false;
    }
    key->hash = groups_hash(to, key->n);
    key->slot = groups_fetch(&st->groups, pane, key->hash);
    return true;
}

uint32_t window_find_keys(struct leat_ctx *ctx, struct window *st, struct leat_batch *b,
                          struct aggregate_rows *rows, int64_t pane, struct window_key *key)
{
    const uint32_t unsure = aggregates_read(ctx, &st->sums, rows);
    uint32_t n = 0;
    for (uint32_t k = 0; k < rows->n; k++) {
        if (!window_find_key(ctx, st, b, rows->row[k], pane, window_key_at(st, n), &key[n]))
            continue;
        key[n].k = k;
        n += !(unsure >> k & 1) || aggregates_check(ctx, &st->sums, b, rows, k);
    }
    for (uint32_t i = 0; i < n; i++)
        if (!key[i].group) groups_fetch_group(&st->groups, key[i].slot);
    return n;
}

struct group *window_take_key(struct window *st, int64_t pane, const char *text,
                              const struct window_key *key)
{
    bool is_new;
    struct group *a = groups_take(&st->groups, pane, text, key->n, key->hash, &is_new);
    if (!a) return NULL;
    if (is_new) aggregates_begin(&st->sums, group_cell(a), a->hash + (uint64_t)pane);
    groups_remember(&st->groups, a, key->mark);
    return a;
}

void window_key_read(struct leat_ctx *ctx, const struct window *st, const char *key,
                     struct leat_batch *out, uint32_t r)
{
    for (uint32_t i = 0; i < st->n_by; i++) {
        union leat_cells *column = &out->column[1 + i];
        uint32_t type = st->by[i].type;
        if (!cells_are_slices(type)) {
            uint64_t x;
            memcpy(&x, key, sizeof x);
            cells_set(*column, type, r, le_turned64(x));
            key += sizeof x;
            continue;
        }
        struct leat_str s = {out->n_bytes, 0};
        memcpy(&s.len, key, sizeof s.len);
        s.len = le_turned32(s.len);
        key += sizeof s.len;
        uint32_t n = s.len == LEAT_NULL ? 0 : s.len;
        if (n) memcpy(out->bytes + s.off, key, n);
        out->n_bytes += n;
        column->text[r] = s;
        key += n;
    }
}

bool window_key_is_whole(struct leat_ctx *ctx, const struct window *st, const char *key, uint32_t n)
{
    for (uint32_t i = 0; i < st->n_by; i++) {
        bool slice = cells_are_slices(st->by[i].type);
        uint32_t head = slice ? sizeof(uint32_t) : sizeof(uint64_t), text = 0;
        if (n < head) return false;
        if (slice) memcpy(&text, key, sizeof text);
        text = text == LEAT_NULL ? 0 : le_turned32(text);
        if (text > n - head) return false;
        n -= head + text;
        key += head + text;
    }
    return n == 0;
}
