/* json.c -- implementation of json.h */
#include "json.h"

#include <string.h>

#include "core/text/utf8.h"

const char *json_fault_text(enum json_fault fault)
{
    static const char *const text[] = {
        [JSON_OK] = "nothing is wrong",
        [JSON_BLANK] = "there is nothing but blanks",
        [JSON_UTF8] = "this is not UTF-8",
        [JSON_CONTROL] = "a string has a control character: JSON writes it as an escape",
        [JSON_UNCLOSED] = "the quote is never closed",
        [JSON_NO_OBJECT] = "a { is expected, because a record is one JSON object",
        [JSON_NO_KEY] = "a key in quotes is expected",
        [JSON_NO_COLON] = "a colon is expected after the key",
        [JSON_NO_VALUE] = "a value is expected",
        [JSON_NO_COMMA] = "a comma or } is expected",
        [JSON_NO_ARRAY_COMMA] = "a comma or ] is expected",
        [JSON_WORD] = "this is not a JSON value: a number, true, false, null, or text in quotes",
        [JSON_NONFINITE] = "JSON has neither NaN nor Infinity",
        [JSON_ESCAPE] = "JSON does not have this escape",
        [JSON_SURROGATE] = "the escape is half of a surrogate pair",
        [JSON_DEEP] = "objects and arrays are nested too deep",
        [JSON_CUT] = "the text ends inside the object",
        [JSON_TRAILING] = "text follows the object",
    };
    return text[fault];
}

enum json_fault json_check_strings(const char *text, uint32_t n, uint32_t *at)
{
    bool inside = false;
    uint32_t opened = 0;
    for (uint32_t i = 0; i < n;) {
        size_t len = utf8_length((const unsigned char *)text + i, n - i);
        *at = i;
        if (!len) return JSON_UTF8;
        if (inside && (unsigned char)text[i] < 0x20) return JSON_CONTROL;
        if (text[i] == '"') {
            inside = !inside;
            opened = i;
        } else if (text[i] == '\\' && i + 1 < n && (text[i + 1] == '"' || text[i + 1] == '\\')) {
            len = 2;
        }
        i += (uint32_t)len;
    }
    *at = opened;
    return inside ? JSON_UNCLOSED : JSON_OK;
}

/* ---- tokens ---- */

static bool json_is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

static const char *token_begin(const struct json_text *t, uint32_t i) { return t->text + t->at[i]; }

/* Returns the end of token i. Blanks between it and the next token are excluded. */
static inline const char *json_token_end(const struct json_text *t, uint32_t i)
{
    const char *end = t->text + t->at[i + 1];
    while (json_is_blank(
        end[-1])) /* ends at the latest at the token's first byte, which is no blank */
        end--;
    return end;
}

static inline char token_kind(const struct json_text *t, uint32_t i)
{
    return i < t->n ? *token_begin(t, i) : '\0';
}

/* ---- escapes ---- */

static uint32_t json_hex_digit(char c)
{
    if (c >= '0' && c <= '9') return (uint32_t)(c - '0');
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10) : UINT32_MAX;
}

/* Returns the value of four hexadecimal digits; UINT32_MAX if they are not digits. */
static uint32_t hex4(const char *p, const char *end)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t digit = p + i < end ? json_hex_digit(p[i]) : UINT32_MAX;
        if (digit == UINT32_MAX) return UINT32_MAX;
        value = value << 4 | digit;
    }
    return value;
}

/* Decodes a \u escape, whose digits are at *p. If it is the first half of a surrogate pair, also
 * reads the escape of the second half. */
static enum json_fault unescape_unicode(const char **p, const char *end, char out[4], uint32_t *len)
{
    uint32_t c = hex4(*p, end);
    if (c == UINT32_MAX) return JSON_ESCAPE;
    *p += 4;
    if (c >= 0xd800 && c < 0xe000) {
        bool pair = c < 0xdc00 && end - *p >= 6 && (*p)[0] == '\\' && (*p)[1] == 'u';
        uint32_t low = pair ? hex4(*p + 2, end) : UINT32_MAX;
        if (low < 0xdc00 || low >= 0xe000) return JSON_SURROGATE;
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        *p += 6;
    }
    *len = utf8_put(c, out);
    return JSON_OK;
}

/* Decodes the escape whose backslash is at *p to *len bytes in `out`. Moves *p after it. */
static enum json_fault unescape_one(const char **p, const char *end, char out[4], uint32_t *len)
{
    static const char letters[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    char letter = *p + 1 < end ? (*p)[1] : '\0';
    const char *known = letter ? strchr(letters, letter) : NULL;
    *p += 2;
    *len = 1;
    if (letter == 'u') return unescape_unicode(p, end, out, len);
    if (!known) return JSON_ESCAPE;
    out[0] = bytes[known - letters];
    return JSON_OK;
}

bool json_is_escaped(const struct json_text *t, uint32_t off, uint32_t len)
{
    return t->escapes && memchr(t->text + off, '\\', len);
}

/* Reads the next character of a checked string if it is escaped, otherwise only the next byte.
 * Returns the number of bytes written to `bytes`. */
static uint32_t next_bytes(const char **text, const char *end, char bytes[4])
{
    uint32_t n = 1;
    bytes[0] = **text;
    if (**text != '\\')
        ++*text;
    else
        unescape_one(text, end, bytes, &n);
    return n;
}

uint32_t json_unescape(const char *text, uint32_t len, char *out)
{
    const char *end = text + len;
    char *to = out, bytes[4];
    while (text < end) {
        uint32_t n = next_bytes(&text, end, bytes);
        memcpy(to, bytes, n);
        to += n;
    }
    return (uint32_t)(to - out);
}

/* True if an escaped text equals `key` when decoded. */
static bool is_escaped_key(const char *text, const char *end, const char *key, uint32_t len)
{
    char bytes[4];
    while (text < end) {
        uint32_t n = next_bytes(&text, end, bytes);
        if (n > len || memcmp(bytes, key, n) != 0) return false;
        key += n;
        len -= n;
    }
    return !len;
}

/* ---- walking through the tokens ---- */

struct json_walk {
    struct json_paths *paths;
    const struct json_text *t;
    uint32_t i;   /* index of the next token      */
    uint32_t *at; /* set to the offset of a fault */
};

static enum json_fault fault_at(const struct json_walk *w, uint32_t token, enum json_fault fault)
{
    *w->at = w->t->at[token];
    return token < w->t->n ? fault : JSON_CUT;
}

static enum json_fault walk_value(struct json_walk *w, struct json_node *node, unsigned depth);

static enum json_fault check_escapes(const struct json_walk *w, const char *p, const char *end)
{
    while ((p = memchr(p, '\\', (size_t)(end - p)))) {
        char bytes[4];
        uint32_t len;
        *w->at = (uint32_t)(p - w->t->text);
        enum json_fault fault = unescape_one(&p, end, bytes, &len);
        if (fault) return fault;
    }
    return JSON_OK;
}

static inline enum json_fault walk_string(struct json_walk *w, const char **text, const char **end)
{
    *text = token_begin(w->t, w->i) + 1;
    *end = json_token_end(w->t, w->i) - 1;
    if (*end < *text || **end != '"') return fault_at(w, w->i, JSON_UNCLOSED);
    w->i++;
    return w->t->escapes ? check_escapes(w, *text, *end) : JSON_OK;
}

static inline const char *json_skip_digits(const char *p, const char *end)
{
    while (p < end && (unsigned char)(*p - '0') < 10)
        p++;
    return p;
}

/* number = [ "-" ] ( "0" | digits without a leading 0 ) [ "." digits ] [ e [ sign ] digits ] */
static inline bool is_number_json(const char *p, const char *end)
{
    p += *p == '-';
    const char *q = json_skip_digits(p, end);
    if (q == p || (*p == '0' && q > p + 1)) return false;
    if (q < end && *q == '.') {
        p = q + 1;
        q = json_skip_digits(p, end);
        if (q == p) return false;
    }
    if (q < end && (*q | 0x20) == 'e') {
        p = q + 1;
        p += p < end && (*p == '+' || *p == '-');
        q = json_skip_digits(p, end);
        if (q == p) return false;
    }
    return q == end;
}

static inline bool json_is_word(const char *p, const char *end, const char *word, size_t len)
{
    return (size_t)(end - p) == len && !memcmp(p, word, len);
}

static bool is_nonfinite(const char *p, const char *end)
{
    if (json_is_word(p, end, "NaN", 3)) return true;
    p += p < end && *p == '-';
    return json_is_word(p, end, "Infinity", 8);
}

bool json_is_nonfinite(const struct json_text *t, uint32_t token)
{
    return is_nonfinite(token_begin(t, token), json_token_end(t, token));
}

/* Returns the fault of a word that is no value of JSON. */
static enum json_fault json_word_fault(const struct json_walk *w, char kind)
{
    if (strchr("}]:,", kind)) return JSON_NO_VALUE;
    if (!json_is_nonfinite(w->t, w->i)) return JSON_WORD;
    return w->paths->takes_nonfinite ? JSON_OK : JSON_NONFINITE;
}

static inline enum json_fault walk_scalar(struct json_walk *w, char kind)
{
    const char *p = token_begin(w->t, w->i), *end = json_token_end(w->t, w->i);
    bool good;
    if (kind == 't')
        good = json_is_word(p, end, "true", 4);
    else if (kind == 'f')
        good = json_is_word(p, end, "false", 5);
    else if (kind == 'n')
        good = json_is_word(p, end, "null", 4);
    else
        good = is_number_json(p, end);
    enum json_fault fault = good ? JSON_OK : json_word_fault(w, kind);
    if (fault) return fault_at(w, w->i, fault);
    w->i++;
    return JSON_OK;
}

/* Returns one of 64 bits, chosen by a key's length and first byte. */
static inline uint64_t length_bit(const char *key, uint32_t len)
{
    return UINT64_C(1) << ((len * 7 + (len ? (unsigned char)*key : 0u)) & 63);
}

static inline bool json_is_key(const struct json_step *step, const char *key, uint32_t len)
{
    return step->kind == JSON_KEY && step->len == len && !memcmp(step->key, key, len);
}

/* Returns the child of `parent` with this key, or NULL. The search begins after the child that was
 * found last, because texts mostly have the same order of keys. */
static struct json_node *find_key(struct json_walk *w, struct json_node *parent, const char *key,
                                  const char *end)
{
    struct json_node *node = w->paths->node;
    uint32_t len = (uint32_t)(end - key);
    bool escaped = w->t->escapes && memchr(key, '\\', len);
    if (!escaped && !(parent->lengths & length_bit(key, len))) return NULL;
    uint32_t first = parent->last ? node[parent->last].sibling : 0,
             c = first ? first : parent->child;
    first = c;
    do {
        struct json_node *child = &node[c];
        if (escaped ? child->step.kind == JSON_KEY &&
                          is_escaped_key(key, end, child->step.key, child->step.len)
                    : json_is_key(&child->step, key, len)) {
            parent->last = c;
            return child;
        }
        c = child->sibling ? child->sibling : parent->child;
    } while (c != first);
    return NULL;
}

/* Stores the current token as the value of a node, unless an equal key came before in this text.
 * Returns NULL in that case, else the node. */
static inline struct json_node *json_note(struct json_walk *w, struct json_node *node)
{
    if (!node || node->found == w->paths->texts) return NULL;
    node->found = w->paths->texts;
    node->token = w->i;
    return node;
}

static enum json_fault walk_member(struct json_walk *w, struct json_node *node, unsigned depth)
{
    const char *key, *end;
    if (token_kind(w->t, w->i) != '"') return fault_at(w, w->i, JSON_NO_KEY);
    enum json_fault fault = walk_string(w, &key, &end);
    if (fault) return fault;
    if (token_kind(w->t, w->i) != ':') return fault_at(w, w->i, JSON_NO_COLON);
    w->i++;
    struct json_node *child = node && node->child ? find_key(w, node, key, end) : NULL;
    return walk_value(w, json_note(w, child), depth);
}

/* True if a single value without escapes fills the text from p to the next token. */
static inline bool is_plain_value(const char *p, const char *next)
{
    switch (*p) {
    case '"':
        return next - p > 1 && next[-1] == '"';
    case 't':
        return json_is_word(p, next, "true", 4);
    case 'f':
        return json_is_word(p, next, "false", 5);
    case 'n':
        return json_is_word(p, next, "null", 4);
    default:
        return is_number_json(p, next);
    }
}

/* Passes the next members as far as they have single values, and neither escapes nor blanks before
 * a colon or comma. Finds no faults, but stops. Returns true after the end of the object. */
static inline bool walk_plain_members(struct json_walk *w, struct json_node *node)
{
    const struct json_text *t = w->t;
    const uint64_t lengths = node ? node->lengths : 0;
    if (t->escapes) return false;
    while (w->i + 3 < t->n) {
        const uint32_t *at = t->at + w->i;
        const char *key = t->text + at[0] + 1, *colon = t->text + at[1], *next = t->text + at[3];
        if (key[-1] != '"' || *colon != ':' || colon[-1] != '"' || colon == key) return false;
        if ((*next != ',' && *next != '}') || !is_plain_value(t->text + at[2], next)) return false;
        w->i += 2;
        if (lengths & length_bit(key, (uint32_t)(colon - 1 - key)))
            json_note(w, find_key(w, node, key, colon - 1));
        w->i += 2;
        if (*next == '}') return true;
    }
    return false;
}

static enum json_fault json_walk_object(struct json_walk *w, struct json_node *node, unsigned depth)
{
    enum json_fault fault;
    if (depth == JSON_DEPTH) return fault_at(w, w->i, JSON_DEEP);
    if (token_kind(w->t, ++w->i) == '}') {
        w->i++;
        return JSON_OK;
    }
    while (!walk_plain_members(w, node)) {
        if ((fault = walk_member(w, node, depth + 1)) != JSON_OK) return fault;
        char kind = token_kind(w->t, w->i++);
        if (kind == '}') return JSON_OK;
        if (kind != ',') return fault_at(w, w->i - 1, JSON_NO_COMMA);
    }
    return JSON_OK;
}

static struct json_node *find_element(struct json_walk *w, const struct json_node *parent,
                                      uint32_t k)
{
    for (uint32_t c = parent->child; c; c = w->paths->node[c].sibling) {
        struct json_node *child = &w->paths->node[c];
        if (child->step.kind == JSON_ELEMENT && child->step.index == k) return child;
    }
    return NULL;
}

static enum json_fault json_walk_array(struct json_walk *w, struct json_node *node, unsigned depth)
{
    enum json_fault fault;
    uint32_t k = 0;
    if (depth == JSON_DEPTH) return fault_at(w, w->i, JSON_DEEP);
    if (token_kind(w->t, ++w->i) == ']') {
        w->i++;
        return JSON_OK;
    }
    do {
        struct json_node *child = node ? find_element(w, node, k++) : NULL;
        fault = walk_value(w, json_note(w, child), depth + 1);
        if (fault) return fault;
        char kind = token_kind(w->t, w->i++);
        if (kind == ']') return JSON_OK;
        if (kind != ',') fault = fault_at(w, w->i - 1, JSON_NO_ARRAY_COMMA);
    } while (!fault);
    return fault;
}

static enum json_fault walk_value(struct json_walk *w, struct json_node *node, unsigned depth)
{
    const char *text, *end;
    char kind = token_kind(w->t, w->i);
    switch (kind) {
    case '"':
        return walk_string(w, &text, &end);
    case '{':
        return json_walk_object(w, node, depth);
    case '[':
        return json_walk_array(w, node, depth);
    case '\0': /* end of the tokens, or a zero byte */
        return fault_at(w, w->i, JSON_WORD);
    default:
        return walk_scalar(w, kind);
    }
}

enum json_fault json_read(struct json_paths *paths, const struct json_text *t, uint32_t *at)
{
    struct json_walk w = {.paths = paths, .t = t, .at = at};
    paths->texts++;
    *at = 0;
    if (!t->n) return JSON_BLANK;
    if (token_kind(t, 0) != '{') return fault_at(&w, 0, JSON_NO_OBJECT);
    enum json_fault fault = json_walk_object(&w, &paths->node[0], 0);
    if (fault == JSON_OK && w.i < t->n) return fault_at(&w, w.i, JSON_TRAILING);
    return fault;
}

bool json_read_first(struct json_paths *paths, const struct json_text *t, uint32_t end,
                     uint32_t *tokens)
{
    uint32_t at;
    struct json_walk w = {.paths = paths, .t = t, .at = &at};
    paths->texts++;
    if (token_kind(t, 0) != '{' || json_walk_object(&w, &paths->node[0], 0) != JSON_OK)
        return false;
    *tokens = w.i;
    return t->at[w.i - 1] < end && t->at[w.i] >= end;
}

/* ---- paths ---- */

static bool json_is_same(const struct json_step *a, const struct json_step *b)
{
    if (a->kind != b->kind) return false;
    return a->kind == JSON_KEY ? a->len == b->len && !memcmp(a->key, b->key, a->len)
                               : a->index == b->index;
}

/* Returns the child of a node for this step. Adds it if there is none. */
static uint32_t child_of(struct json_paths *p, uint32_t parent, const struct json_step *step)
{
    uint32_t *link = &p->node[parent].child;
    for (; *link; link = &p->node[*link].sibling)
        if (json_is_same(&p->node[*link].step, step)) return *link;
    uint32_t node = *link = p->n_nodes++;
    p->node[node] = (struct json_node){.step = *step};
    if (step->kind == JSON_KEY) p->node[parent].lengths |= length_bit(step->key, step->len);
    return node;
}

void json_paths_add(struct json_paths *p, const struct json_step *step, uint32_t n)
{
    uint32_t node = 0, i = 0;
    if (!p->n_nodes) p->node[p->n_nodes++] = (struct json_node){.child = 0};
    for (; i < n && step[i].kind != JSON_ALL; i++)
        node = child_of(p, node, &step[i]);
    p->path[p->n_paths++] = (struct json_path){.node = node, .rest = step + i, .n_rest = n - i};
}

uint32_t json_found(const struct json_paths *p, uint32_t i)
{
    const struct json_node *node = &p->node[p->path[i].node];
    return node->found == p->texts ? node->token : JSON_NO_TOKEN;
}

/* ---- values ---- */

void json_token(const struct json_text *t, uint32_t token, uint32_t *off, uint32_t *len)
{
    const char *begin = token_begin(t, token), *end = json_token_end(t, token);
    bool quoted = *begin == '"';
    *off = t->at[token] + quoted;
    *len = (uint32_t)(end - begin) - 2 * quoted;
}

uint32_t json_after(const struct json_text *t, uint32_t i)
{
    uint32_t depth = 0;
    do {
        char kind = token_kind(t, i++);
        depth += kind == '{' || kind == '[';
        depth -= kind == '}' || kind == ']';
    } while (depth);
    return i;
}

static bool json_is_member(const struct json_text *t, uint32_t i, const struct json_step *step)
{
    uint32_t off, len;
    json_token(t, i, &off, &len);
    const char *key = t->text + off;
    return json_is_escaped(t, off, len) ? is_escaped_key(key, key + len, step->key, step->len)
                                        : json_is_key(step, key, len);
}

/* Returns the first token of the value to which one step leads from the value at token i. */
static uint32_t json_follow(const struct json_text *t, uint32_t i, const struct json_step *step)
{
    bool object = step->kind == JSON_KEY;
    if (token_kind(t, i) != (object ? '{' : '[')) return JSON_NO_TOKEN;
    char last = object ? '}' : ']';
    for (uint32_t k = 0; token_kind(t, i) != last && token_kind(t, i + 1) != last; k++) {
        uint32_t value = i + (object ? 3 : 1); /* after { or a comma come "key" : value */
        if (object ? json_is_member(t, i + 1, step) : k == step->index) return value;
        i = json_after(t, value);
    }
    return JSON_NO_TOKEN;
}

bool json_each(const struct json_text *t, uint32_t token, const struct json_step *rest,
               uint32_t n_rest, json_visit *visit, void *to)
{
    while (n_rest && rest->kind != JSON_ALL && token != JSON_NO_TOKEN) {
        token = json_follow(t, token, rest++);
        n_rest--;
    }
    if (!n_rest || token == JSON_NO_TOKEN) return visit(to, token);
    if (token_kind(t, token) != '[') return json_each(t, token, rest + 1, n_rest - 1, visit, to);
    for (uint32_t i = token; token_kind(t, i) != ']' && token_kind(t, i + 1) != ']';) {
        if (!json_each(t, i + 1, rest + 1, n_rest - 1, visit, to)) return false;
        i = json_after(t, i + 1);
    }
    return true;
}
