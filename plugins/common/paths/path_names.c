/* path_names.c -- see path_names.h. */
#include "path_names.h"

#include <stdio.h>
#include <string.h>

#include "kernels/text/edit_distance.h"

static bool is_noted(const struct path_names *p, const char *path, uint32_t n)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (!strncmp(p->name[i], path, n) && !p->name[i][n]) return true;
    return false;
}

void path_names_add(void *to, const char *path, uint32_t n)
{
    struct path_names *p = to;
    if (p->n == PATH_NAMES || n >= PATH_NAMES_BYTES - p->n_text || is_noted(p, path, n)) return;
    char *text = p->text + p->n_text;
    memcpy(text, path, n);
    p->name[p->n++] = text;
    p->n_text += n + 1;
}

bool path_names_have(const struct path_names *p, const char *path)
{
    return is_noted(p, path, (uint32_t)strlen(path));
}

/* With [*] for each element. */
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

/* The path that differs in quotes alone: "a.b", a key with a dot, for a.b; NULL: there is none. */
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

/* The only path that ends in the same key: "status" for "http.status"; NULL: there is none. */
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

static const char *nearest(const struct path_names *p, const char *path)
{
    char word[PATH_NAMES_HINT / 2];
    put_elements(path, word, sizeof word);
    const char *meant = same_unquoted(p, word);
    if (!meant && !strchr(word, '.')) meant = same_end(p, word); /* c may be b.c more than a */
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

/* "ms:num" for "ms:number", where there is a path "ms". */
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
    const char *meant = nearest(p, path);
    bool listed = !meant && list && p->n;
    if (meant)
        snprintf(hint, PATH_NAMES_HINT, "; did you mean '%s'?", meant);
    else if (listed)
        list_paths(p, hint);
    return listed;
}
