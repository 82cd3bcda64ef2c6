/* lookup_misses.c -- implementation of lookup_misses.h: keeps missing keys, and warns of them. */
#include "lookup_misses.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { FEWEST_RECORDS = 10 }; /* fewest records for the warning that no record has a row */

static bool lookup_misses_is_kept(const struct lookup_misses *m, const char *key, size_t n)
{
    for (uint32_t i = 0; i < m->kept; i++)
        if (m->len[i] == n && !memcmp(m->key[i], key, n)) return true;
    return false;
}

void lookup_misses_add(struct lookup_misses *m, const char *key, size_t n)
{
    if (m->n++ >= MISSES_LOOKED_AT || m->kept == MISSES_KEPT) return;
    if (!key || !n || n > MISS_BYTES || lookup_misses_is_kept(m, key, n)) return;
    memcpy(m->key[m->kept], key, n);
    m->len[m->kept++] = (uint8_t)n;
}

static bool lookup_misses_is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static const char *lookup_misses_trim(const char *s, size_t *n)
{
    for (; *n && lookup_misses_is_blank(*s); s++)
        --*n;
    while (*n && lookup_misses_is_blank(s[*n - 1]))
        --*n;
    return s;
}

static bool lookup_misses_is_alike(const char *a, size_t n_a, const char *b, size_t n_b)
{
    a = lookup_misses_trim(a, &n_a);
    b = lookup_misses_trim(b, &n_b);
    return n_a && n_a == n_b && !strncasecmp(a, b, n_a);
}

static struct leat_str lookup_misses_key_of(const struct lookup_table *t, uint32_t row)
{
    return t->row[(size_t)row * (1 + t->columns)];
}

/* Finds a kept key that equals the key of a row, ignoring case and surrounding blanks. Sets *at to
 * the kept key and *row to the row. Returns false if there is none. */
static bool lookup_misses_find_alike(const struct lookup_misses *m, const struct lookup_table *t,
                                     uint32_t *at, uint32_t *row)
{
    for (*at = 0; *at < m->kept; ++*at)
        for (*row = 0; *row < t->rows; ++*row) {
            struct leat_str k = lookup_misses_key_of(t, *row);
            if (lookup_misses_is_alike(m->key[*at], m->len[*at], t->text + k.off, k.len))
                return true;
        }
    return false;
}

/* True if a text is in lower case without surrounding blanks. Then converting the records' keys
 * with lower() and trim() makes them equal. */
static bool lookup_misses_is_plain(const char *s, uint32_t len)
{
    size_t n = len;
    bool plain = lookup_misses_trim(s, &n) == s && n == len;
    for (size_t i = 0; i < n; i++)
        plain = plain && !(s[i] >= 'A' && s[i] <= 'Z');
    return plain;
}

static int lookup_misses_shown(uint32_t len) { return (int)(len > MISS_BYTES ? MISS_BYTES : len); }

bool lookup_misses_near(struct leat_ctx *ctx, const struct lookup_misses *m,
                        const struct lookup_missed *all)
{
    const struct lookup_table *t = all->table;
    char cure[160] = "write the keys in the file as the records have them";
    uint32_t at, row;
    if (!lookup_misses_find_alike(m, t, &at, &row)) return false;
    struct leat_str k = lookup_misses_key_of(t, row);
    if (lookup_misses_is_plain(t->text + k.off, k.len))
        snprintf(
            cure, sizeof cure,
            "convert the keys of the records with shape.set { \"%.40s = lower(trim(%.40s))\" }",
            all->key, all->key);
    ctx->host->log(
        ctx, LEAT_WARN,
        "path = '%s' has no row for %llu of the %llu records, such as those with '%.*s' in column "
        "'%s'. It has a row for '%.*s', but keys must be equal byte for byte: %s",
        all->path, (unsigned long long)all->n, (unsigned long long)all->asked,
        lookup_misses_shown(m->len[at]), m->key[at], all->key, lookup_misses_shown(k.len),
        t->text + k.off, cure);
    return true;
}

/* Warns that no record has a row. Shows a key of a record and one of a row, so that they can be
 * compared. */
static void lookup_misses_tell_none(struct leat_ctx *ctx, const struct lookup_misses *m,
                                    const struct lookup_missed *all)
{
    const struct lookup_table *t = all->table;
    char such[2 * MISS_BYTES + 40] = "";
    if (m->kept && t->rows)
        snprintf(such, sizeof such, ", such as '%.*s' with '%.*s'",
                 lookup_misses_shown(t->row->len), t->text + t->row->off,
                 lookup_misses_shown(m->len[0]), m->key[0]);
    ctx->host->log(
        ctx, LEAT_WARN,
        "path = '%s' has none of the %llu keys: compare its column '%s' with '%s' of the records%s",
        all->path, (unsigned long long)all->asked, all->file_key, all->key, such);
}

void lookup_misses_tell(struct leat_ctx *ctx, const struct lookup_misses *m,
                        const struct lookup_missed *all)
{
    if (all->asked >= FEWEST_RECORDS && all->n == all->asked)
        lookup_misses_tell_none(ctx, m, all);
    else if (all->n)
        ctx->host->log(ctx, LEAT_INFO, "path = '%s' has no row for %llu of the %llu records",
                       all->path, (unsigned long long)all->n, (unsigned long long)all->asked);
}
