/* avro_plan.c -- plans of avro.h. */
#include "avro_plan.h"

#include <stdlib.h>
#include <string.h>

static bool grow(struct avro_plan *p)
{
    if (p->n < p->cap) return true;
    uint32_t cap = p->cap ? 2 * p->cap : 16;
    struct want *want = realloc(p->want, cap * sizeof *want);
    if (!want) return false;
    p->want = want;
    p->cap = cap;
    return true;
}

/* Returns the child of a node for a key, or 0 if there is none. */
static uint32_t child_of_key(const struct json_paths *paths, uint32_t node, const char *key)
{
    uint32_t c = paths->node[node].child;
    while (c && !avro_is_key(&paths->node[c].step, key, strlen(key)))
        c = paths->node[c].sibling;
    return c;
}

static uint32_t n_children(const struct json_paths *paths, uint32_t node)
{
    uint32_t n = 0;
    for (uint32_t c = paths->node[node].child; c; c = paths->node[c].sibling)
        n++;
    return n;
}

static uint32_t add_want(struct avro_plan *p, const struct avro_type *t, uint32_t node);

/* Adds a want for each member of a RECORD or UNION that a path needs, and sets child[] to their
 * indexes. Returns false if there is not enough memory. */
static bool add_members(struct avro_plan *p, const struct avro_type *t, uint32_t node,
                        uint32_t *child)
{
    for (uint32_t i = 0; i < t->n; i++) {
        uint32_t c = t->kind == AVRO_UNION ? node : child_of_key(p->paths, node, t->member[i].name);
        if (!c && t->kind == AVRO_RECORD) continue;
        child[i] = add_want(p, t->member[i].type, c);
        if (!child[i]) return false;
    }
    return true;
}

static bool avro_add_elements(struct avro_plan *p, const struct avro_type *t, uint32_t node,
                              uint32_t *child)
{
    enum json_step_kind kind = t->kind == AVRO_MAP ? JSON_KEY : JSON_ELEMENT;
    for (uint32_t c = p->paths->node[node].child; c; c = p->paths->node[c].sibling, child++) {
        if (p->paths->node[c].step.kind != kind) continue;
        *child = add_want(p, t->member[0].type, c);
        if (!*child) return false;
    }
    return true;
}

/* Adds a want for a type and a node, and wants for the values inside it. Returns its index, or 0 if
 * there is not enough memory. The recursion ends because the tree of paths is finite. */
static uint32_t add_want(struct avro_plan *p, const struct avro_type *t, uint32_t node)
{
    if (!grow(p)) return 0;
    uint32_t i = p->n++, *child = NULL;
    bool container = t->kind == AVRO_ARRAY || t->kind == AVRO_MAP;
    bool keeps = container || t->kind == AVRO_RECORD || t->kind == AVRO_UNION;
    uint32_t n = container ? n_children(p->paths, node) : t->n;
    if (keeps) child = calloc(n + 1, sizeof *child);
    p->want[i] = (struct want){node, child};
    if (!keeps) return i;
    bool good = child &&
                (container ? avro_add_elements(p, t, node, child) : add_members(p, t, node, child));
    return good ? i : 0;
}

struct avro_plan *avro_plan_new(const struct avro_schema *schema, const struct json_paths *paths)
{
    struct avro_plan *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->root = avro_schema_root(schema);
    p->paths = paths;
    if (grow(p)) {
        p->want[p->n++] = (struct want){0, NULL};
        if (add_want(p, p->root, 0)) return p;
    }
    avro_plan_free(p);
    return NULL;
}

void avro_plan_free(struct avro_plan *p)
{
    if (!p) return;
    for (uint32_t i = 0; i < p->n; i++)
        free(p->want[i].child);
    free(p->want);
    free(p);
}
