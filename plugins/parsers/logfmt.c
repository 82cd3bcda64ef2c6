/* logfmt.c -- parse.logfmt: values of the keys in a line as columns.
 *
 *   line = { blank } pair { blank pair } { blank }
 *   pair = key [ "=" [ value ] ] | '"' text with escapes '"' "=" [ value ]
 *   key  = one or more bytes above blank but = "
 *   value = '"' text with escapes '"' | "'" text "'" | bytes above blank but "
 *
 * A single quote closes a text only before a blank or the end of the line. If there is none, it is
 * part of a word. auditd puts pairs between single quotes: they are pairs of the line.
 *
 * A value's text stays in the record. A value with escapes is decoded and appended to the batch.
 * common/paths/path_columns.h has the columns and their policies. In this stage, a path with dots
 * is a single key. */
#include <stdbool.h>
#include <string.h>

#include <leat/plugin.h>

#include "parsers/docs.h"
#include "common/cells/strings.h"
#include "common/paths/path_columns.h"
#include "core/text/eight_bytes.h"
#include "core/text/utf8.h"

enum {
    FLAG_BYTES = 4,    /* length of "true", the value of a flag */
    KEPT_PAIRS = 64,   /* pairs of a line that are read only once */
    NOTED_BYTES = 200, /* longest key that is noted in quotes (path_columns.h) */
    KEY_BYTES = 512,   /* longest key with escapes */
};

struct logfmt_cfg {
    struct path_columns_cfg columns; /* separator and null are unused */
};

struct logfmt_parser {
    struct path_columns columns;
    struct leat_str *key; /* key of each column, a slice of `keys` */
    uint64_t *seen;       /* for each column: number of the last record that had the key */
    char *keys;
    uint64_t records; /* number of records so far */
};

#define SHARED(FIELD, ...) LEAT_PARAM_AS(#FIELD, struct logfmt_cfg, columns.FIELD, __VA_ARGS__)
static const struct leat_param logfmt_params[] = {
    SHARED(columns, LEAT_STRINGS, .flags = LEAT_POSITIONAL,
           .doc =
               "keys of the columns: \"key\", or \"name=key\" for another name; none: the columns "
               "that later stages name"),
    SHARED(numbers, LEAT_STRINGS, .doc = "columns that hold numbers; the others hold text"),
    SHARED(missing, LEAT_CHOICE, .def = "empty", .choices = path_columns_policies,
           .doc = "a record without a key: the cell has no value, or the record is rejected"),
    SHARED(other, LEAT_CHOICE, .def = "reject", .choices = path_columns_policies,
           .doc = "a value in `numbers` that is not a number: the cell has no value, or the record "
                  "is rejected"),
};

/* ---- columns ---- */

/* True if the path has a step [0] or [*]. */
static bool has_element(const char *path)
{
    bool quoted = false;
    for (; *path && (quoted || *path != '['); path++)
        quoted ^= *path == '"';
    return *path;
}

static int logfmt_validate(const void *config, struct leat_diag *d)
{
    const struct logfmt_cfg *cfg = config;
    path_columns_check(&cfg->columns, d);
    for (uint32_t i = 0; i < cfg->columns.columns.n; i++)
        if (has_element(cfg->columns.columns.v[i]))
            d->error(d, "columns", "'%s': logfmt has no arrays: write a key with [ in quotes",
                     cfg->columns.columns.v[i]);
    return LEAT_OK;
}

static int logfmt_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct logfmt_cfg *cfg = config;
    uint32_t joined;
    uint32_t before = n->out->n_columns;
    int status = path_columns_negotiate(&cfg->columns, n, &joined);
    uint32_t added = n->out->n_columns - before;
    n->add_bounds(n, &(struct leat_bounds){.copies_text = 1, /* decoded values */
                                           .added_bytes_per_record = added * FLAG_BYTES});
    return status;
}

static int logfmt_plan(const void *config, const struct leat_schema *in,
                       const struct leat_schema *out, struct leat_plan *p)
{
    uint32_t n = out->n_columns - in->n_columns;
    p->work_bytes = path_columns_bytes(n) + n * (sizeof(struct leat_str) + sizeof(uint64_t));
    return LEAT_OK;
}

static void logfmt_close(struct leat_ctx *ctx, void *self)
{
    struct logfmt_parser *st = self;
    ctx->host->free(ctx, st->key);
    ctx->host->free(ctx, st->seen);
    ctx->host->free(ctx, st->keys);
    path_columns_close(ctx, &st->columns);
}

/* Writes the key of a path, which is the path without quotes. Returns its length. */
static uint32_t logfmt_put_key(const char *path, char *to)
{
    bool quoted = false;
    uint32_t n = 0;
    for (; *path; path++) {
        if (*path != '"' || (quoted && path[1] == '"' && path++))
            to[n++] = *path;
        else
            quoted = !quoted;
    }
    return n;
}

static bool make_keys(struct leat_ctx *ctx, struct logfmt_parser *st)
{
    uint32_t bytes = 1, n = st->columns.n;
    for (uint32_t i = 0; i < n; i++)
        bytes += (uint32_t)strlen(path_columns_path(ctx, &st->columns, i));
    st->key = ctx->host->alloc(ctx, n * sizeof *st->key);
    st->seen = ctx->host->alloc(ctx, n * sizeof *st->seen);
    st->keys = ctx->host->alloc(ctx, bytes);
    if (!st->key || !st->seen || !st->keys) return false;
    for (uint32_t i = 0, at = 0; i < n; at += st->key[i++].len)
        st->key[i] = (struct leat_str){
            at, logfmt_put_key(path_columns_path(ctx, &st->columns, i), st->keys + at)};
    return true;
}

static int logfmt_open(struct leat_ctx *ctx, void *self)
{
    const struct logfmt_cfg *cfg = ctx->cfg;
    struct logfmt_parser *st = self;
    int status = path_columns_open(ctx, &cfg->columns, &st->columns);
    if (status != LEAT_OK) return status;
    if (make_keys(ctx, st)) return LEAT_OK;
    logfmt_close(ctx, st);
    return LEAT_ENOMEM;
}

/* ---- splitting a line into pairs ---- */

struct logfmt_pair {
    struct leat_str key, value; /* slices of the line; a value of length LEAT_NULL marks a flag */
    bool escaped, key_escaped;
};

#define AUDIT "audit("

struct line {
    const char *text;
    uint32_t n, at;  /* n: end of the line, or of the pairs between single quotes */
    uint32_t whole;  /* length of the line */
    bool audit;      /* the line is one of auditd: a value begins with audit( */
    const char *why; /* error at byte `at` */
};

static bool logfmt_is_blank(const struct line *l) { return (unsigned char)l->text[l->at] <= ' '; }

static bool logfmt_fail(struct line *l, const char *why)
{
    l->why = why;
    return false;
}

/* Reads bytes above blank, up to a quote; for a key, also up to an =. */
static inline struct leat_str read_word(struct line *l, bool key)
{
    uint32_t from = l->at;
    l->at = (uint32_t)(key ? eight_bytes_word_end(l->text, from, l->n, '"', '=')
                           : eight_bytes_word_end(l->text, from, l->n, '"', ' '));
    return (struct leat_str){from, l->at - from};
}

/* Returns the place of the next quote or backslash, or a place behind the line. */
static uint32_t logfmt_quoted_end(const struct line *l)
{
    size_t at = l->at;
    for (; at + EIGHT_BYTES <= l->n; at += EIGHT_BYTES) {
        uint64_t w = eight_bytes(l->text + at);
        uint64_t ends = eight_bytes_equal(w, '"') | eight_bytes_equal(w, '\\');
        if (ends) return (uint32_t)(at + eight_bytes_first(ends));
    }
    while (at < l->n && l->text[at] != '"' && l->text[at] != '\\')
        at++;
    return (uint32_t)at;
}

/* Reads a text in double quotes. Sets *escaped if it has a backslash. */
static bool logfmt_read_quoted(struct line *l, struct leat_str *to, bool *escaped)
{
    uint32_t from = l->at++;
    while ((l->at = logfmt_quoted_end(l)) < l->n && l->text[l->at] == '\\') {
        *escaped = true;
        l->at += 2;
    }
    if (l->at >= l->n) {
        l->at = from;
        return logfmt_fail(l, "the quote is never closed");
    }
    *to = (struct leat_str){from + 1, l->at++ - from - 1};
    return true;
}

/* Returns the place of the single quote that closes the one at l->at; l->n if there is none, or if
 * another value begins with a single quote before it. */
static uint32_t logfmt_single_end(const struct line *l)
{
    for (uint32_t at = l->at + 1; at < l->n; at++) {
        if (l->text[at] != '\'') continue;
        if (at > l->at + 1 && l->text[at - 1] == '=') return l->n;
        if (at + 1 == l->n || (unsigned char)l->text[at + 1] <= ' ') return at;
    }
    return l->n;
}

/* Reads a value that begins with a single quote. */
static void logfmt_read_single(struct line *l, struct logfmt_pair *p)
{
    uint32_t from = l->at, end = logfmt_single_end(l);
    if (end == l->n) {
        p->value = read_word(l, false);
        return;
    }
    p->value = (struct leat_str){from + 1, end - from - 1};
    l->at = end + 1;
    if (!l->audit || l->n < l->whole) return;
    l->at = from + 1;
    l->n = end;
}

static bool logfmt_read_key(struct line *l, struct logfmt_pair *p)
{
    if (l->text[l->at] != '"') {
        p->key = read_word(l, true);
        return p->key.len || logfmt_fail(l, "a key is expected");
    }
    uint32_t from = l->at;
    if (!logfmt_read_quoted(l, &p->key, &p->key_escaped)) return false;
    if (l->at < l->n && l->text[l->at] == '=' && !(p->key_escaped && p->key.len > KEY_BYTES))
        return true;
    l->at = from;
    return logfmt_fail(l, p->key_escaped && p->key.len > KEY_BYTES
                              ? "the key has escapes and more than 512 bytes"
                              : "a key is expected, and = after a text in quotes");
}

static bool logfmt_read_value(struct line *l, struct logfmt_pair *p)
{
    char first = l->at < l->n ? l->text[l->at] : '\0';
    if (first == '"') return logfmt_read_quoted(l, &p->value, &p->escaped);
    if (first == '\'')
        logfmt_read_single(l, p);
    else
        p->value = read_word(l, false);
    if (first == 'a' && p->value.len > strlen(AUDIT))
        l->audit |= !memcmp(l->text + p->value.off, AUDIT, strlen(AUDIT));
    return true;
}

/* Moves to the next pair. Returns false after the last one. */
static bool logfmt_next_pair(struct line *l)
{
    while (l->at < l->n && logfmt_is_blank(l))
        l->at++;
    if (l->at < l->n) return true;
    if (l->n == l->whole) return false;
    l->at = l->n + 1; /* behind the single quote */
    l->n = l->whole;
    return logfmt_next_pair(l);
}

/* Reads the next pair. Returns false after the last pair, or with the error in l->why. */
static bool read_pair(struct line *l, struct logfmt_pair *p)
{
    if (!logfmt_next_pair(l)) return false;
    *p = (struct logfmt_pair){.value = {0, LEAT_NULL}};
    if (!logfmt_read_key(l, p)) return false;
    if (l->at < l->n && l->text[l->at] == '=') {
        l->at++;
        const uint32_t end = l->n;
        if (!logfmt_read_value(l, p)) return false;
        if (l->n < end) return true; /* pairs between single quotes follow */
    }
    return l->at == l->n || logfmt_is_blank(l) || logfmt_fail(l, "a blank is expected");
}

/* ---- values ---- */

static int logfmt_hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Reads so many hex digits at the beginning of s[0, n). Returns UINT32_MAX if there are fewer. */
static uint32_t logfmt_hex(const char *s, uint32_t n, uint32_t digits)
{
    uint32_t code = 0;
    for (uint32_t i = 0; i < digits; i++) {
        int digit = i < n ? logfmt_hex_digit(s[i]) : -1;
        if (digit < 0) return UINT32_MAX;
        code = code << 4 | (uint32_t)digit;
    }
    return code;
}

/* Decodes \xff (a byte), \uffff (also two, a surrogate pair) or \U0010ffff at the beginning of
 * s[0, n), n > 1. Returns the length of the escape, 0 if it is another or wrong; *len is that of
 * its bytes in `out`. */
static uint32_t logfmt_code(const char *s, uint32_t n, char *out, uint32_t *len)
{
    uint32_t digits = s[1] == 'x' ? 2 : s[1] == 'u' ? 4 : s[1] == 'U' ? 8 : 0, used = digits + 2;
    uint32_t code = digits ? logfmt_hex(s + 2, n - 2, digits) : UINT32_MAX;
    if (digits == 4 && code >= 0xd800 && code < 0xdc00 && n >= 12 && s[6] == '\\' && s[7] == 'u') {
        uint32_t low = logfmt_hex(s + 8, n - 8, 4);
        if (low < 0xdc00 || low >= 0xe000) return 0;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        used = 12;
    }
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return 0;
    if (digits == 2) out[0] = (char)code;
    *len = digits == 2 ? 1 : utf8_put(code, out);
    return used;
}

/* Decodes the escapes; an unknown escape stays unchanged. Returns the length, at most n. */
static uint32_t unescape(const char *s, uint32_t n, char *out)
{
    static const char names[] = "ntr\"\\/abfv", stands_for[] = "\n\t\r\"\\/\a\b\f\v";
    uint32_t len = 0, used, bytes;
    for (uint32_t i = 0; i < n; i += used, len += bytes) {
        bool escape = s[i] == '\\' && i + 1 < n && s[i + 1];
        const char *name = escape ? strchr(names, s[i + 1]) : NULL;
        used = escape && !name ? logfmt_code(s + i, n - i, out + len, &bytes) : 0;
        if (used) continue;
        used = name ? 2 : 1;
        bytes = 1;
        out[len] = name ? stands_for[name - names] : s[i];
    }
    return len;
}

/* Sets *to to the value's text in the batch: "true" for a flag, a decoded text if the value has
 * escapes. Returns false if there is no room. */
static bool value_text(struct leat_batch *b, struct leat_str raw, const struct logfmt_pair *p,
                       struct leat_str *to)
{
    if (p->value.len == LEAT_NULL) return strings_append(b, "true", FLAG_BYTES, to);
    *to = (struct leat_str){raw.off + p->value.off, p->value.len};
    if (!p->escaped) return true;
    uint32_t at = leat_add_bytes(b, p->value.len);
    if (at == LEAT_NULL) return false;
    *to = (struct leat_str){
        at, unescape(leat_text(b, raw) + p->value.off, p->value.len, b->bytes + at)};
    b->n_bytes = at + to->len;
    return true;
}

/* Record whose cells are being filled. */
struct logfmt_row {
    struct path_row to;
    struct logfmt_parser *st;
};

static bool logfmt_fill_cell(const struct logfmt_row *row, const struct logfmt_pair *p)
{
    struct leat_batch *b = row->to.b;
    union leat_cells cells = b->column[row->st->columns.first + row->to.i];
    struct leat_str text;
    uint32_t same = row->st->columns.same[row->to.i];
    row->st->columns.came[row->to.i] = true;
    if (same != row->to.i) {
        cells.text[row->to.r] = b->column[row->st->columns.first + same].text[row->to.r];
        return true;
    }
    if (!value_text(b, b->raw[row->to.r], p, &text)) return path_row_full(&row->to);
    if (!path_columns_is_text(row->to.ctx, row->to.columns, row->to.i))
        return path_row_number(&row->to, leat_text(b, text), text.len, &cells.number[row->to.r]);
    cells.text[row->to.r] = text;
    return true;
}

/* Notes a key in the syntax of paths: a key with [ ] = or a quote gets quotes. */
static void note_key(struct path_names *names, const char *key, uint32_t n)
{
    char quoted[2 * NOTED_BYTES + 2];
    uint32_t len = 1;
    bool plain = true;
    for (uint32_t i = 0; plain && i < n; i++)
        plain = !strchr("[]=\"", key[i]);
    if (plain) {
        path_names_add(names, key, n);
    } else if (n <= NOTED_BYTES) {
        quoted[0] = '"';
        for (uint32_t i = 0; i < n; i++) {
            quoted[len++] = key[i];
            if (key[i] == '"') quoted[len++] = '"';
        }
        quoted[len++] = '"';
        path_names_add(names, quoted, len);
    }
}

/* Fills the columns of the pair's key. If a key occurs twice, the first pair is used. */
static bool take_pair(struct logfmt_row *row, const char *line, const struct logfmt_pair *p)
{
    struct logfmt_parser *st = row->st;
    struct path_names *names = st->columns.names;
    char decoded[KEY_BYTES];
    const char *name = line + p->key.off;
    uint32_t len = p->key.len;
    if (p->key_escaped) {
        len = unescape(name, len, decoded);
        name = decoded;
    }
    if (path_names_wanted(names)) note_key(names, name, len);
    for (row->to.i = 0; row->to.i < st->columns.n; row->to.i++) {
        struct leat_str key = st->key[row->to.i];
        if (key.len != len || memcmp(st->keys + key.off, name, len) != 0) continue;
        if (st->seen[row->to.i] == st->records) continue;
        st->seen[row->to.i] = st->records;
        if (!logfmt_fill_cell(row, p)) return false;
    }
    return true;
}

/* Handles the columns whose keys the line does not have. */
static void fill_missing(struct logfmt_row *row)
{
    struct logfmt_parser *st = row->st;
    for (row->to.i = 0; row->to.i < st->columns.n; row->to.i++)
        if (st->seen[row->to.i] != st->records && !path_row_missing(&row->to)) return;
}

/* Line whose pairs were read. The first ones are kept; a longer line is read again from `next`. */
struct logfmt_line {
    struct line line;
    uint32_t pairs, flags, kept;
    struct line next; /* before the first pair that is not kept */
    struct logfmt_pair pair[KEPT_PAIRS];
};

/* Checks the whole line and counts its pairs and flags. Called before cells are filled, so that a
 * wrong line fills no cell. */
static bool check_line(struct logfmt_line *l)
{
    struct logfmt_pair p;
    while (read_pair(&l->line, &p)) {
        ++*(p.value.len == LEAT_NULL ? &l->flags : &l->pairs);
        if (l->kept == KEPT_PAIRS) continue;
        l->pair[l->kept++] = p;
        l->next = l->line;
    }
    return !l->line.why;
}

/* Fills the cells of the record whose line was checked. */
static void logfmt_fill_row(struct logfmt_row *row, struct logfmt_line *l)
{
    bool good = true;
    if (l->kept) l->line = l->next;
    for (uint32_t i = 0; good && i < l->pairs + l->flags; i++) {
        if (i >= l->kept) read_pair(&l->line, &l->pair[0]);
        const struct logfmt_pair *p = &l->pair[i < l->kept ? i : 0];
        good = take_pair(row, l->line.text, p);
    }
    if (good) fill_missing(row);
}

static void logfmt_parse_record(struct leat_ctx *ctx, struct logfmt_parser *st,
                                struct leat_batch *b, uint32_t r)
{
    struct logfmt_row row = {{.ctx = ctx, .columns = &st->columns, .b = b, .r = r}, st};
    struct logfmt_line l;
    l.line =
        (struct line){.text = leat_text(b, b->raw[r]), .n = b->raw[r].len, .whole = b->raw[r].len};
    l.pairs = l.flags = l.kept = 0;
    bool good = check_line(&l);
    for (row.to.i = 0; row.to.i < st->columns.n; row.to.i++)
        path_row_clear(&row.to);
    if (!good) {
        ctx->host->reject(ctx, b, r, LEAT_R_SYNTAX, "byte %u is wrong: %s", (unsigned)l.line.at + 1,
                          l.line.why);
    } else if (!l.pairs && !l.flags) {
        leat_filter(b, r);
    } else if (!l.pairs) {
        ctx->host->reject(ctx, b, r, LEAT_R_SYNTAX, "the record has no key=value");
    } else {
        st->records++;
        st->columns.records++;
        logfmt_fill_row(&row, &l);
    }
}

static int logfmt_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (LEAT_EACH_RECORD(b, r))
        logfmt_parse_record(ctx, self, b, r);
    return LEAT_OK;
}

static void logfmt_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    path_columns_finish(ctx, self, lanes, offsetof(struct logfmt_parser, columns));
}

const struct leat_stage parse_logfmt = {
    .name = "parse.logfmt",
    .summary = "values of key=value lines (logfmt) to columns",
    .doc = logfmt_doc,
    .example = "leat.parse.logfmt { \"level\", \"took=duration_ms\" }",
    PATH_COLUMNS_STAGE,
    LEAT_PARAMS(logfmt_params, struct logfmt_cfg),
    LEAT_INSTANCE(struct logfmt_parser, logfmt_open, logfmt_close),
    .validate = logfmt_validate,
    .negotiate = logfmt_negotiate,
    .plan = logfmt_plan,
    .process = logfmt_process,
    .finish = logfmt_finish,
};
