/* pattern.c -- Lua's patterns, as section 6.4.1 of its manual defines them.
 *
 * The matcher takes a pattern item by item. An item is a single character class with an optional
 * repetition, a capture's bracket, %b, %f, %1 or a final $. `pattern_rest_matches` walks along the
 * pattern. It calls itself where it may have to backtrack: at a repetition and at a capture. So its
 * depth is at most the number of items, and DEPTH_MAX bounds it. Its time can grow exponentially
 * with the number of repetitions, so it counts one step for each character that it examines
 * (sandbox_charge).
 *
 * Nothing checks a pattern beforehand. As in Lua, the matcher raises an error when it reaches the
 * faulty item. A mistake behind an item that never matches goes unnoticed.
 *
 * Subject and pattern end with a zero byte, as all Lua strings do. The matcher may read this byte
 * but never matches it. */
#include "sandbox_library.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include <lauxlib.h>

#include "sandbox.h"

enum { DEPTH_MAX = 200, CAPTURES_MAX = 32, ESCAPE = '%' };
/* Special values of pattern_capture.len. OPEN: the capture's bracket is not closed yet. POSITION:
 * the capture is (), which captures a position. */
enum { OPEN = -1, POSITION = -2 };

typedef unsigned char byte;

struct pattern_capture {
    const char *from;
    ptrdiff_t len;
};

struct matcher {
    lua_State *L;
    struct sandbox *box;
    const char *subject, *end; /* text to search */
    const char *pattern_end;
    int depth, n_captures;
    struct pattern_capture capture[CAPTURES_MAX];
};

static inline void pattern_charge(struct matcher *m, size_t steps)
{
    m->box->left -= (int64_t)steps;
    if (m->box->left < 0) sandbox_charge(m->L, 0);
}

/* ---- matching one character ---- */

static bool pattern_in_class(int c, int letter)
{
    bool in;
    switch (tolower(letter)) {
    case 'a':
        in = isalpha(c);
        break;
    case 'c':
        in = iscntrl(c);
        break;
    case 'd':
        in = isdigit(c);
        break;
    case 'g':
        in = isgraph(c);
        break;
    case 'l':
        in = islower(c);
        break;
    case 'p':
        in = ispunct(c);
        break;
    case 's':
        in = isspace(c);
        break;
    case 'u':
        in = isupper(c);
        break;
    case 'w':
        in = isalnum(c);
        break;
    case 'x':
        in = isxdigit(c);
        break;
    case 'z': /* undocumented since Lua 5.2 but still supported */
        in = c == 0;
        break;
    default:
        return letter == c;
    }
    /* an upper-case letter means the complement: %A is all but %a */
    return in != (isupper(letter) != 0);
}

/* Returns the end of the character class that begins at p. */
static const char *pattern_class_end(struct matcher *m, const char *p)
{
    const char *begin = p;
    if (*p == ESCAPE) {
        if (p + 1 == m->pattern_end) luaL_error(m->L, "malformed pattern (ends with '%%')");
        return p + 2;
    }
    if (*p++ != '[') return p;
    if (*p == '^') p++;
    do { /* do-while because a ']' as first character belongs to the set */
        if (p == m->pattern_end) luaL_error(m->L, "malformed pattern (missing ']')");
        if (*p++ == ESCAPE && p < m->pattern_end) p++;
    } while (*p != ']');
    pattern_charge(m, (size_t)(p - begin));
    return p + 1;
}

/* True if c is in the set that reaches from the '[' at p to the ']' at `last`. */
static bool pattern_in_set(struct matcher *m, int c, const char *p, const char *last)
{
    const char *begin = p++;
    bool without = *p == '^', in = false;
    for (p += without; p < last && !in; p++) {
        if (*p == ESCAPE) {
            in = pattern_in_class(c, (byte) * ++p);
        } else if (p[1] == '-' && p + 2 < last) {
            in = (byte)p[0] <= c && c <= (byte)p[2];
            p += 2;
        } else {
            in = (byte)*p == c;
        }
    }
    pattern_charge(m, (size_t)(p - begin));
    return in != without;
}

/* True if the class p .. ep accepts the character at s. */
static bool pattern_takes(struct matcher *m, const char *s, const char *p, const char *ep)
{
    pattern_charge(m, 1);
    if (s >= m->end) return false;
    switch (*p) {
    case '.':
        return true;
    case ESCAPE:
        return pattern_in_class((byte)*s, (byte)p[1]);
    case '[':
        return pattern_in_set(m, (byte)*s, p, ep - 1);
    default:
        return *p == *s;
    }
}

/* ---- items: each returns the end of the match of the remaining pattern, or NULL ---- */

static const char *pattern_rest_matches(struct matcher *m, const char *s, const char *p);

/* Matches a repetition greedily. The class has accepted the character at s. First takes as many
 * characters as possible, then one fewer at a time until the rest of the pattern matches. Takes at
 * least `least` characters. */
static const char *pattern_longest(struct matcher *m, const char *s, const char *p, const char *ep,
                                   ptrdiff_t least)
{
    ptrdiff_t n = 1;
    while (pattern_takes(m, s + n, p, ep))
        n++;
    for (; n >= least; n--) {
        const char *e = pattern_rest_matches(m, s + n, ep + 1);
        if (e) return e;
    }
    return NULL;
}

static const char *pattern_shortest(struct matcher *m, const char *s, const char *p, const char *ep)
{
    for (;; s++) {
        const char *e = pattern_rest_matches(m, s, ep + 1);
        if (e || !pattern_takes(m, s, p, ep)) return e;
    }
}

static const char *pattern_open_capture(struct matcher *m, const char *s, const char *p, int what)
{
    if (m->n_captures >= CAPTURES_MAX) luaL_error(m->L, "too many captures");
    m->capture[m->n_captures++] = (struct pattern_capture){s, what};
    const char *e = pattern_rest_matches(m, s, p);
    if (!e) m->n_captures--;
    return e;
}

static const char *pattern_close_capture(struct matcher *m, const char *s, const char *p)
{
    int i = m->n_captures - 1;
    while (i >= 0 && m->capture[i].len != OPEN)
        i--;
    if (i < 0) luaL_error(m->L, "invalid pattern capture");
    m->capture[i].len = s - m->capture[i].from;
    const char *e = pattern_rest_matches(m, s, p);
    if (!e) m->capture[i].len = OPEN;
    return e;
}

/* Matches %b: returns the end of the balanced text that begins at s, or NULL. p[0] and p[1] are the
 * opening and the closing character. */
static const char *pattern_balanced(struct matcher *m, const char *s, const char *p)
{
    if (p >= m->pattern_end - 1) luaL_error(m->L, "malformed pattern (missing arguments to '%%b')");
    if (s >= m->end || *s != p[0]) return NULL;
    for (int level = 1; ++s < m->end;) {
        pattern_charge(m, 1);
        if (*s == p[1]) {
            if (--level == 0) return s + 1;
        } else if (*s == p[0]) {
            level++;
        }
    }
    return NULL;
}

static bool pattern_at_frontier(struct matcher *m, const char *s, const char *p, const char *ep)
{
    int before = s == m->subject ? 0 : (byte)s[-1], after = s == m->end ? 0 : (byte)*s;
    return !pattern_in_set(m, before, p, ep - 1) && pattern_in_set(m, after, p, ep - 1);
}

/* Matches %1 to %9: returns the end of a repetition at s of the capture with this digit, or
 * NULL. */
static const char *pattern_repeated(struct matcher *m, const char *s, int digit)
{
    int i = digit - '1';
    if (i < 0 || i >= m->n_captures || m->capture[i].len == OPEN)
        luaL_error(m->L, "invalid capture index %%%d", i + 1);
    /* POSITION as a size_t exceeds any length, so such a capture never matches */
    size_t n = (size_t)m->capture[i].len;
    if ((size_t)(m->end - s) < n) return NULL;
    pattern_charge(m, n / BYTES_PER_STEP);
    return memcmp(m->capture[i].from, s, n) ? NULL : s + n;
}

/* Matches %b, %f and %1 to %9 at s. Returns the end of the match and sets *p behind the item; NULL
 * if there is no match. */
static const char *pattern_special(struct matcher *m, const char *s, const char **p)
{
    const char *item = *p;
    if (item[1] == 'b') {
        *p = item + 4;
        return pattern_balanced(m, s, item + 2);
    }
    if (item[1] != 'f') {
        *p = item + 2;
        return pattern_repeated(m, s, (byte)item[1]);
    }
    if (item[2] != '[') luaL_error(m->L, "missing '[' after '%%f' in pattern");
    *p = pattern_class_end(m, item + 2);
    return pattern_at_frontier(m, s, item + 2, *p) ? s : NULL;
}

static bool pattern_is_special(const char *p)
{
    return *p == ESCAPE && (p[1] == 'b' || p[1] == 'f' || isdigit((byte)p[1]));
}

/* Matches a character class with its repetition. Returns true if the whole match is decided; *out
 * is then the end of the match, or NULL if there is no match. Returns false if the caller must
 * continue at *s and *p. */
static bool pattern_class_item(struct matcher *m, const char **s, const char **p, const char **out)
{
    const char *ep = pattern_class_end(m, *p);
    bool optional = *ep == '*' || *ep == '?' || *ep == '-';
    *out = NULL;
    if (!pattern_takes(m, *s, *p, ep)) {
        *p = ep + 1;
        return !optional;
    }
    switch (*ep) {
    case '*':
    case '+':
        *out = pattern_longest(m, *s, *p, ep, *ep == '+');
        return true;
    case '-':
        *out = pattern_shortest(m, *s, *p, ep);
        return true;
    case '?':
        *out = pattern_rest_matches(m, *s + 1, ep + 1);
        *p = ep + 1;
        return *out != NULL;
    default:
        ++*s;
        *p = ep;
        return false;
    }
}

static const char *pattern_rest_matches(struct matcher *m, const char *s, const char *p)
{
    const char *out = NULL;
    if (m->depth-- == 0) luaL_error(m->L, "pattern too complex");
    for (;;) {
        pattern_charge(m, 1);
        if (p == m->pattern_end) {
            out = s;
            break;
        }
        if (*p == '(') {
            bool position = p[1] == ')';
            out = pattern_open_capture(m, s, p + 1 + position, position ? POSITION : OPEN);
            break;
        }
        if (*p == ')') {
            out = pattern_close_capture(m, s, p + 1);
            break;
        }
        if (*p == '$' && p + 1 == m->pattern_end) {
            out = s == m->end ? s : NULL;
            break;
        }
        if (pattern_is_special(p)) {
            if (!(s = pattern_special(m, s, &p))) break;
        } else if (pattern_class_item(m, &s, &p, &out)) {
            break;
        }
    }
    m->depth++;
    return out;
}

/* ---- making a matcher, running it, pushing its captures ---- */

static struct matcher pattern_matcher_of(lua_State *L, const char *s, size_t n, const char *p,
                                         size_t n_p)
{
    return (struct matcher){
        .L = L, .box = sandbox_of(L), .subject = s, .end = s + n, .pattern_end = p + n_p};
}

/* Returns the end of the match that begins exactly at s, or NULL. */
static const char *pattern_match_at(struct matcher *m, const char *s, const char *p)
{
    m->depth = DEPTH_MAX;
    m->n_captures = 0;
    return pattern_rest_matches(m, s, p);
}

/* Pushes capture i of the match s .. e. If the pattern has no captures, capture 0 is the whole
 * match. */
static void pattern_push_capture(struct matcher *m, int i, const char *s, const char *e)
{
    if (i >= m->n_captures) {
        if (i != 0) luaL_error(m->L, "invalid capture index %%%d", i + 1);
        lua_pushlstring(m->L, s, (size_t)(e - s));
        return;
    }
    const struct pattern_capture *c = &m->capture[i];
    if (c->len == OPEN) luaL_error(m->L, "unfinished capture");
    if (c->len == POSITION)
        lua_pushinteger(m->L, c->from - m->subject + 1);
    else
        lua_pushlstring(m->L, c->from, (size_t)c->len);
}

/* Pushes all captures and returns their number. If the pattern has none, pushes the whole match,
 * unless s is NULL. */
static int pattern_push_captures(struct matcher *m, const char *s, const char *e)
{
    int n = m->n_captures == 0 && s ? 1 : m->n_captures;
    luaL_checkstack(m->L, n, "too many captures");
    for (int i = 0; i < n; i++)
        pattern_push_capture(m, i, s, e);
    return n;
}

/* ---- string.find and string.match ---- */

/* Reads the start of a search from argument `arg`, which counts from 1, or from the end if
 * negative. Returns an offset from 0. */
static size_t pattern_start_of(lua_State *L, int arg, size_t n)
{
    lua_Integer i = luaL_optinteger(L, arg, 1);
    if (i > 0) return (size_t)i - 1;
    if (i == 0 || i < -(lua_Integer)n) return 0;
    return n - (size_t)-i;
}

static bool pattern_is_plain(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] && strchr("^$*+?.([%-", p[i])) return false;
    return true;
}

static int pattern_find_plain(lua_State *L, const char *s, size_t n, size_t from, const char *p,
                              size_t n_p)
{
    sandbox_charge(L, (n - from + n_p) / BYTES_PER_STEP);
    const char *at = n_p ? memmem(s + from, n - from, p, n_p) : s + from;
    if (!at) {
        lua_pushnil(L);
        return 1;
    }
    lua_pushinteger(L, at - s + 1);
    lua_pushinteger(L, at - s + (lua_Integer)n_p);
    return 2;
}

static int pattern_search(lua_State *L, bool find)
{
    size_t n, n_p;
    const char *s = luaL_checklstring(L, 1, &n), *p = luaL_checklstring(L, 2, &n_p);
    size_t from = pattern_start_of(L, 3, n);
    if (from > n) {
        lua_pushnil(L);
        return 1;
    }
    if (find && (lua_toboolean(L, 4) || pattern_is_plain(p, n_p)))
        return pattern_find_plain(L, s, n, from, p, n_p);
    struct matcher m = pattern_matcher_of(L, s, n, p, n_p);
    bool anchored = *p == '^';
    for (const char *at = s + from; at <= m.end; at++) {
        const char *e = pattern_match_at(&m, at, p + anchored);
        if (e && find) {
            lua_pushinteger(L, at - s + 1);
            lua_pushinteger(L, e - s);
            return 2 + pattern_push_captures(&m, NULL, NULL);
        }
        if (e) return pattern_push_captures(&m, at, e);
        if (anchored) break;
    }
    lua_pushnil(L);
    return 1;
}

int pattern_find(lua_State *L) { return pattern_search(L, true); }

int pattern_match(lua_State *L) { return pattern_search(L, false); }

/* ---- string.gmatch ---- */

/* Iterator of string.gmatch. Its upvalues are the subject, the pattern, the offset to continue
 * from, and the end of the previous match (or -1). An empty match at the end of the previous match
 * does not count. */
static int pattern_next_match(lua_State *L)
{
    size_t n, n_p;
    const char *s = lua_tolstring(L, lua_upvalueindex(1), &n);
    const char *p = lua_tolstring(L, lua_upvalueindex(2), &n_p);
    size_t from = (size_t)lua_tointeger(L, lua_upvalueindex(3));
    lua_Integer last = lua_tointeger(L, lua_upvalueindex(4));
    struct matcher m = pattern_matcher_of(L, s, n, p, n_p);
    for (; from <= n; from++) {
        const char *e = pattern_match_at(&m, s + from, p);
        if (!e || e - s == last) continue;
        lua_pushinteger(L, e - s);
        lua_pushvalue(L, -1);
        lua_replace(L, lua_upvalueindex(3));
        lua_replace(L, lua_upvalueindex(4));
        return pattern_push_captures(&m, s + from, e);
    }
    return 0;
}

int pattern_gmatch(lua_State *L)
{
    size_t n;
    luaL_checklstring(L, 1, &n);
    luaL_checkstring(L, 2);
    size_t from = pattern_start_of(L, 3, n);
    lua_settop(L, 2);
    lua_pushinteger(L, (lua_Integer)(from > n ? n + 1 : from));
    lua_pushinteger(L, -1);
    lua_pushcclosure(L, pattern_next_match, 4);
    return 1;
}

/* ---- string.gsub ---- */

/* Appends the replacement string with %0 to %9 filled in. */
static void pattern_add_template(struct matcher *m, luaL_Buffer *out, const char *s, const char *e)
{
    size_t n;
    const char *t = lua_tolstring(m->L, 3, &n), *end = t + n, *mark;
    pattern_charge(m, n / BYTES_PER_STEP);
    for (; (mark = memchr(t, ESCAPE, (size_t)(end - t))); t = mark + 2) {
        pattern_charge(m, 1);
        luaL_addlstring(out, t, (size_t)(mark - t));
        if (mark[1] == ESCAPE) {
            luaL_addchar(out, ESCAPE);
        } else if (mark[1] == '0') {
            luaL_addlstring(out, s, (size_t)(e - s));
        } else if (isdigit((byte)mark[1])) {
            pattern_push_capture(m, mark[1] - '1', s, e);
            luaL_addvalue(out);
        } else {
            luaL_error(m->L, "invalid use of '%c' in replacement string", ESCAPE);
        }
    }
    luaL_addlstring(out, t, (size_t)(end - t));
}

/* Appends the replacement of the match s .. e. Returns false if the match stays unchanged. */
static bool pattern_add_replacement(struct matcher *m, luaL_Buffer *out, const char *s,
                                    const char *e)
{
    lua_State *L = m->L;
    switch (lua_type(L, 3)) {
    case LUA_TFUNCTION:
        lua_pushvalue(L, 3);
        lua_call(L, pattern_push_captures(m, s, e), 1);
        break;
    case LUA_TTABLE:
        pattern_push_capture(m, 0, s, e);
        lua_gettable(L, 3);
        break;
    default:
        pattern_add_template(m, out, s, e);
        return true;
    }
    if (!lua_toboolean(L, -1)) {
        lua_pop(L, 1);
        luaL_addlstring(out, s, (size_t)(e - s));
        return false;
    }
    if (!lua_isstring(L, -1))
        luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
    luaL_addvalue(out);
    return true;
}

static void pattern_check_replacement(lua_State *L)
{
    int type = lua_type(L, 3);
    luaL_argexpected(L,
                     type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION ||
                         type == LUA_TTABLE,
                     3, "string/function/table");
}

int pattern_gsub(lua_State *L)
{
    size_t n, n_p;
    const char *s = luaL_checklstring(L, 1, &n), *p = luaL_checklstring(L, 2, &n_p);
    pattern_check_replacement(L);
    lua_Integer most = luaL_optinteger(L, 4, (lua_Integer)n + 1), done = 0;
    struct matcher m = pattern_matcher_of(L, s, n, p, n_p);
    bool anchored = *p == '^', changed = false;
    const char *last = NULL; /* end of the previous match */
    luaL_Buffer out;
    luaL_buffinit(L, &out);
    while (done < most) {
        const char *e = pattern_match_at(&m, s, p + anchored);
        if (e && e != last) {
            done++;
            changed |= pattern_add_replacement(&m, &out, s, e);
            s = last = e;
        } else if (s < m.end) {
            luaL_addchar(&out, *s++);
        } else {
            break;
        }
        if (anchored) break;
    }
    if (changed) {
        luaL_addlstring(&out, s, (size_t)(m.end - s));
        luaL_pushresult(&out);
    } else {
        lua_pushvalue(L, 1);
    }
    lua_pushinteger(L, done);
    return 2;
}
