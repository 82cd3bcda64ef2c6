/* path_columns.c -- implementation of path_columns.h. */
#include "path_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cells/strings.h"
#include "kernels/text/edit_distance.h"

/* ---- the paths of the first records ---- */

static bool has_name(const struct path_names *p, const char *path, uint32_t n)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (!strncmp(p->name[i], path, n) && !p->name[i][n]) return true;
    return false;
}

void path_names_add(void *to, const char *path, uint32_t n)
{
    struct path_names *p = to;
    if (p->n == PATH_NAMES || n >= PATH_NAMES_BYTES - p->n_text || has_name(p, path, n)) return;
    char *text = p->text + p->n_text;
    memcpy(text, path, n);
    p->name[p->n++] = text;
    p->n_text += n + 1;
}

bool path_names_have(const struct path_names *p, const char *path)
{
    return has_name(p, path, (uint32_t)strlen(path));
}

/* Copies a path, with [*] in place of each index: [0] becomes [*]. */
static void put_elements(const char *path, char *to, size_t cap)
{
    size_t n = 0;
    for (; *path && n + 4 < cap; path++) {
        to[n++] = *path;
        size_t digits = *path == '[' ? strspn(path + 1, "0123456789") : 0;
        if (!digits || path[1 + digits] != ']') continue;
        to[n++] = '*';
        path += digits;
    }
    to[n] = 0;
}

static void put_unquoted(const char *path, char *to, size_t cap)
{
    size_t n = 0;
    for (; *path && n + 1 < cap; path++)
        if (*path != '"') to[n++] = *path;
    to[n] = 0;
}

/* Returns the noted path that differs from `path` only in quotes: "a.b", a key with a dot, for a.b.
 * NULL if there is no such path. */
static const char *same_unquoted(const struct path_names *p, const char *path)
{
    char bare[PATH_NAMES_HINT], other[PATH_NAMES_HINT];
    put_unquoted(path, bare, sizeof bare);
    for (uint32_t i = 0; i < p->n; i++) {
        put_unquoted(p->name[i], other, sizeof other);
        if (!strcmp(bare, other)) return p->name[i];
    }
    return NULL;
}

static const char *last_key(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

/* Returns the noted path that ends in the last key of `path`: "http.status" for "status". NULL if
 * none or several do. */
static const char *same_end(const struct path_names *p, const char *path)
{
    const char *found = NULL, *key = last_key(path);
    for (uint32_t i = 0; i < p->n; i++) {
        const char *end = last_key(p->name[i]);
        if (edit_distance(key, end, strlen(end))) continue;
        if (found) return NULL;
        found = p->name[i];
    }
    return found;
}

static const char *path_columns_nearest(const struct path_names *p, const char *path)
{
    char word[PATH_NAMES_HINT / 2];
    put_elements(path, word, sizeof word);
    const char *meant = same_unquoted(p, word);
    if (!meant && !strchr(word, '.'))
        meant = same_end(p, word); /* for the word "c", a path b.c is likelier than a path a */
    if (!meant) meant = edit_nearest(word, p->name);
    return meant ? meant : same_end(p, word);
}

static void list_paths(const struct path_names *p, char hint[PATH_NAMES_HINT])
{
    size_t n = (size_t)sprintf(hint, "; the records have ");
    for (uint32_t i = 0; i < p->n; i++) {
        if (n + strlen(p->name[i]) + sizeof ", …" > PATH_NAMES_HINT) {
            strcpy(hint + n, "…");
            return;
        }
        n += (size_t)sprintf(hint + n, "%s%s", p->name[i], i + 1 < p->n ? ", " : "");
    }
}

/* Writes a hint if the type is misspelt: "ms:num" for "ms:number", if a path "ms" is noted. */
static bool is_typed(const struct path_names *p, const char *path, char hint[PATH_NAMES_HINT])
{
    const char *colon = strrchr(path, ':');
    size_t n = colon ? (size_t)(colon - path) : 0;
    for (uint32_t i = 0; n && i < p->n; i++)
        if (strlen(p->name[i]) == n && !memcmp(p->name[i], path, n)) {
            snprintf(hint, PATH_NAMES_HINT,
                     "; did you mean '%s:number'? (types are number and text)", p->name[i]);
            return true;
        }
    return false;
}

bool path_names_hint(const struct path_names *p, const char *path, bool list,
                     char hint[PATH_NAMES_HINT])
{
    *hint = 0;
    if (is_typed(p, path, hint)) return false;
    if (strchr(path, ',')) {
        snprintf(hint, PATH_NAMES_HINT,
                 ": give each name its own quotes, { \"a\", \"b\" } and not { \"a,b\" }");
        return false;
    }
    const char *meant = path_columns_nearest(p, path);
    bool listed = !meant && list && p->n;
    if (meant)
        snprintf(hint, PATH_NAMES_HINT, "; did you mean '%s'?", meant);
    else if (listed)
        list_paths(p, hint);
    return listed;
}

/* ---- columns ---- */

int path_columns_framing(const void *config, struct leat_framing *f)
{
    f->kind = LEAT_LINES;
    return LEAT_OK;
}

enum { MISSING_SHOWN = 8 }; /* most names in warnings */

const char *const path_columns_policies[] = {"empty", "reject", NULL};

/* ---- columns in the form of the parameter ---- */

struct spec {
    const char *name, *path;
    uint32_t name_len;
};

static struct spec spec_of(const char *column)
{
    uint32_t path = json_path_offset(column);
    return (struct spec){column, column + path, path ? path - 1 : (uint32_t)strlen(column)};
}

/* Returns an upper bound of the number of steps of the path. */
static uint32_t max_steps(const char *path)
{
    uint32_t n = 1;
    for (; *path; path++)
        n += *path == '.' || *path == '[';
    return n;
}

/* Returns 1 if the path joins the elements of an array; 0 if not; -1 if the path is wrong (see
 * *fault); -2 if there is not enough memory. */
static int check_path(const char *path, struct json_path_fault *fault)
{
    size_t n = strlen(path);
    struct json_step *step = malloc((n + 1) * sizeof *step);
    char *keys = malloc(n + 1);
    int joins = -2;
    if (step && keys) {
        uint32_t steps = json_path_read(path, (uint32_t)n, step, keys, fault);
        joins = steps ? 0 : -1;
        for (uint32_t i = 0; i < steps; i++)
            joins |= step[i].kind == JSON_ALL;
    }
    free(keys);
    free(step);
    return joins;
}

static void check_column(const char *column, struct leat_diag *d)
{
    struct spec spec = spec_of(column);
    struct json_path_fault fault;
    if (!spec.name_len)
        d->error(d, "columns", "'%s' must have the form \"path\" or \"name=path\"", column);
    else if (check_path(spec.path, &fault) == -1)
        d->error(d, "columns", "'%s': %s is expected at byte %u", column, fault.why,
                 (unsigned)(spec.path - column) + fault.at + 1);
}

void path_columns_check(const struct path_columns_cfg *cfg, struct leat_diag *d)
{
    for (uint32_t i = 0; i < cfg->columns.n; i++)
        check_column(cfg->columns.v[i], d);
}

static int path_columns_add_column(const struct path_columns_cfg *cfg, struct leat_negotiation *n,
                                   const struct spec *spec, bool joins, uint32_t *joined)
{
    bool number = strings_find(&cfg->numbers, spec->name, spec->name_len) < cfg->numbers.n;
    bool integer = strings_find(&cfg->integers, spec->name, spec->name_len) < cfg->integers.n;
    if ((number || integer) && joins) {
        n->diag->error(n->diag, number ? "numbers" : "integers",
                       "column '%.*s' joins elements and so holds text: leave it out here",
                       (int)spec->name_len, spec->name);
        return LEAT_EARG;
    }
    if (number && integer) {
        n->diag->error(n->diag, "integers",
                       "column '%.*s' is also in `numbers`: leave it out of one of the two",
                       (int)spec->name_len, spec->name);
        return LEAT_EARG;
    }
    *joined += joins;
    return n->add_column(n, spec->name, spec->name_len,
                         number    ? LEAT_NUMBER
                         : integer ? LEAT_INT64
                                   : LEAT_TEXT,
                         NULL);
}

static int path_columns_add_given(const struct path_columns_cfg *cfg, struct leat_negotiation *n,
                                  uint32_t *joined)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; status == LEAT_OK && i < cfg->columns.n; i++) {
        struct spec spec = spec_of(cfg->columns.v[i]);
        struct json_path_fault fault;
        int joins = check_path(spec.path, &fault);
        status =
            joins < 0 ? LEAT_ENOMEM : path_columns_add_column(cfg, n, &spec, joins > 0, joined);
    }
    return status;
}

/* Adds the columns that later stages look up. */
static int add_asked(const struct path_columns_cfg *cfg, struct leat_negotiation *n,
                     uint32_t *joined)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; status >= LEAT_OK && i < n->n_asked; i++) {
        struct spec spec = {n->asked[i], n->asked[i], (uint32_t)strlen(n->asked[i])};
        struct json_path_fault fault;
        int joins = check_path(spec.path, &fault);
        if (joins == -1)
            n->diag->error(n->diag, NULL,
                           "a later stage uses the column '%s', and this name is not a path: %s is "
                           "expected at byte %u. Set `columns` with \"name=path\"",
                           spec.path, fault.why, (unsigned)fault.at + 1);
        status = joins == -2   ? LEAT_ENOMEM
                 : joins == -1 ? LEAT_EARG
                               : path_columns_add_column(cfg, n, &spec, joins, joined);
    }
    return status;
}

/* Checks that all names in the parameter `param` are columns. Returns LEAT_OK if they are. */
static int check_names(const char *param, const struct leat_strings *names,
                       struct leat_negotiation *n)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; i < names->n; i++) {
        uint32_t c = n->in->n_columns;
        while (c < n->out->n_columns && strcmp(n->out->column[c].name, names->v[i]) != 0)
            c++;
        if (c < n->out->n_columns) continue;
        n->diag->error(n->diag, param, "there is no column '%s' in `columns`", names->v[i]);
        status = LEAT_EARG;
    }
    return status;
}

int path_columns_negotiate(const struct path_columns_cfg *cfg, struct leat_negotiation *n,
                           uint32_t *joined)
{
    *joined = 0;
    if (cfg->columns.n) {
        int status = path_columns_add_given(cfg, n, joined);
        if (status == LEAT_OK) status = check_names("numbers", &cfg->numbers, n);
        return status == LEAT_OK ? check_names("integers", &cfg->integers, n) : status;
    }
    if (!n->n_asked) n->out->open = 1;
    return add_asked(cfg, n, joined);
}

/* ---- opening ---- */

uint64_t path_columns_bytes(uint32_t n)
{
    return sizeof(struct path_names) +
           n * (uint64_t)(sizeof(struct json_path) + sizeof(struct json_node) +
                          sizeof(struct json_step) + sizeof(uint32_t) + sizeof(bool));
}

const char *path_columns_name(const struct leat_ctx *ctx, const struct path_columns *c, uint32_t i)
{
    return ctx->out->column[c->first + i].name;
}

/* Returns the path of column i. If a later stage named the column, the name is the path. */
const char *path_columns_path(const struct leat_ctx *ctx, const struct path_columns *c, uint32_t i)
{
    return c->cfg->columns.n ? spec_of(c->cfg->columns.v[i]).path : path_columns_name(ctx, c, i);
}

uint32_t path_columns_type(const struct leat_ctx *ctx, const struct path_columns *c, uint32_t i)
{
    return ctx->out->column[c->first + i].type;
}

bool path_columns_is_text(const struct leat_ctx *ctx, const struct path_columns *c, uint32_t i)
{
    return path_columns_type(ctx, c, i) == LEAT_TEXT;
}

void path_columns_close(struct leat_ctx *ctx, struct path_columns *c)
{
    void *const owned[] = {c->paths.node, c->paths.path, c->step, c->keys,
                           c->same,       c->came,       c->names};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        ctx->host->free(ctx, owned[i]);
    *c = (struct path_columns){.n = 0};
}

static bool path_columns_make_room(struct leat_ctx *ctx, struct path_columns *c)
{
    size_t steps = 0, bytes = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        steps += max_steps(path_columns_path(ctx, c, i));
        bytes += strlen(path_columns_path(ctx, c, i));
    }
    c->paths.node = ctx->host->alloc(ctx, (steps + 1) * sizeof *c->paths.node);
    c->paths.path = ctx->host->alloc(ctx, c->n * sizeof *c->paths.path);
    c->step = ctx->host->alloc(ctx, steps * sizeof *c->step);
    c->keys = ctx->host->alloc(ctx, bytes);
    c->same = ctx->host->alloc(ctx, c->n * sizeof *c->same);
    c->came = ctx->host->alloc(ctx, c->n * sizeof *c->came);
    c->names = ctx->host->alloc(ctx, sizeof *c->names);
    return c->paths.node && c->paths.path && c->step && c->keys && c->same && c->came && c->names;
}

/* Returns the first text column before column i that has the same path, or i. Only for paths with a
 * single value. */
static uint32_t same_as(const struct leat_ctx *ctx, const struct path_columns *c, uint32_t i)
{
    const struct json_path *path = c->paths.path;
    if (path[i].n_rest || !path_columns_is_text(ctx, c, i)) return i;
    for (uint32_t j = 0; j < i; j++)
        if (path[j].node == path[i].node && !path[j].n_rest && path_columns_is_text(ctx, c, j))
            return j;
    return i;
}

static void read_paths(struct leat_ctx *ctx, struct path_columns *c)
{
    struct json_step *step = c->step;
    char *keys = c->keys;
    struct json_path_fault fault;
    for (uint32_t i = 0; i < c->n; i++) {
        const char *path = path_columns_path(ctx, c, i);
        uint32_t n = json_path_read(path, (uint32_t)strlen(path), step, keys, &fault);
        json_paths_add(&c->paths, step, n);
        c->same[i] = same_as(ctx, c, i);
        step += n;
        keys += strlen(path);
    }
}

int path_columns_open(struct leat_ctx *ctx, const struct path_columns_cfg *cfg,
                      struct path_columns *c)
{
    c->cfg = cfg;
    c->first = ctx->in->n_columns;
    c->n = ctx->out->n_columns - c->first;
    if (!c->n) return ctx->host->fail(ctx, LEAT_EARG, "nothing names the columns: set `columns`");
    if (!path_columns_make_room(ctx, c)) {
        path_columns_close(ctx, c);
        return LEAT_ENOMEM;
    }
    read_paths(ctx, c);
    return LEAT_OK;
}

/* ---- the end ---- */

static const struct path_columns *of_lane(void *self, size_t offset)
{
    return (const struct path_columns *)(const void *)((const char *)self + offset);
}

/* Returns the list of paths of the lane that has most. A lane without records has no paths. */
static const struct path_names *most_names(void *const *self, uint32_t lanes, size_t offset)
{
    const struct path_names *most = of_lane(self[0], offset)->names;
    for (uint32_t lane = 1; lane < lanes; lane++)
        if (of_lane(self[lane], offset)->names->n > most->n)
            most = of_lane(self[lane], offset)->names;
    return most;
}

static bool came(void *const *self, uint32_t lanes, size_t offset, uint32_t i)
{
    bool any = false;
    for (uint32_t lane = 0; lane < lanes; lane++)
        any |= of_lane(self[lane], offset)->came[i];
    return any;
}

/* Warns of column i, which got no value. If the run was stopped, it has seen only the first
 * records. *listed: an earlier warning has listed the paths of the records. */
static void warn_of_column(struct leat_ctx *ctx, const struct path_columns *c, uint32_t i,
                           const struct path_names *names, uint64_t records, bool *listed)
{
    const char *name = path_columns_name(ctx, c, i), *path = path_columns_path(ctx, c, i);
    bool other = strcmp(name, path) != 0;
    char hint[PATH_NAMES_HINT];
    if (path_names_have(names, path)) {
        ctx->host->log(ctx, LEAT_WARN,
                       "column '%s'%s%s%s got no value, though records have it: the records were "
                       "rejected, or their values are null",
                       name, other ? " (path " : "", other ? path : "", other ? ")" : "");
        return;
    }
    *listed |= path_names_hint(names, path, !*listed, hint);
    ctx->host->log(ctx, LEAT_WARN, "column '%s'%s%s%s is in none of the %s%llu record%s%s", name,
                   other ? " (path " : "", other ? path : "", other ? ")" : "",
                   ctx->host->stopping(ctx) ? "first " : "", (unsigned long long)records,
                   records == 1 ? "" : "s", hint);
}

static bool is_noted_by_any(void *const *self, uint32_t lanes, size_t offset, const char *path)
{
    bool any = false;
    for (uint32_t lane = 0; lane < lanes; lane++)
        any |= path_names_have(of_lane(self[lane], offset)->names, path);
    return any;
}

/* Warns of values in the records that are hidden because a later stage makes a column of the same
 * name. */
static void warn_of_hidden(struct leat_ctx *ctx, void *const *self, uint32_t lanes, size_t offset)
{
    const char *name, *by;
    for (uint32_t k = 0, shown = 0;
         shown < MISSING_SHOWN && (name = ctx->host->made_later(ctx, k, &by)); k++) {
        if (!is_noted_by_any(self, lanes, offset, name)) continue;
        ctx->host->log(ctx, LEAT_WARN,
                       "'%s' of the records is not read, because %s makes a column of that name: "
                       "rename the new column, for example with `prefix`, or set `columns` (to "
                       "read both, with \"other_name=%s\")",
                       name, by, name);
        shown++;
    }
}

void path_columns_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes, size_t offset)
{
    uint64_t records = 0;
    bool listed = false;
    for (uint32_t lane = 0; lane < lanes; lane++)
        records += of_lane(self[lane], offset)->records;
    const struct path_columns *c = of_lane(self[0], offset);
    const struct path_names *names = most_names(self, lanes, offset);
    for (uint32_t i = 0, shown = 0; records && i < c->n && shown < MISSING_SHOWN; i++) {
        if (came(self, lanes, offset, i)) continue;
        warn_of_column(ctx, c, i, names, records, &listed);
        shown++;
    }
    warn_of_hidden(ctx, self, lanes, offset);
}
