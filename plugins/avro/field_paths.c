/* field_paths.c -- see field_paths.h. */
#include "field_paths.h"

#include <string.h>

/* A recursive schema has paths without end: the walk ends after so many bytes, or types. */
enum { PATH_BYTES = 240, TYPES = 4096 };

struct walk {
    struct path_names *names;
    uint32_t types;
    char path[PATH_BYTES];
};

/* The path of `at` bytes leads to this type. */
static void walk(struct walk *w, const struct avro_type *type, size_t at);

static void step(struct walk *w, const struct avro_type *type, size_t at, const char *dot,
                 const char *name)
{
    size_t n_dot = at ? strlen(dot) : 0, n = strlen(name);
    if (at + n_dot + n > PATH_BYTES) return;
    memcpy(w->path + at, dot, n_dot);
    memcpy(w->path + at + n_dot, name, n);
    walk(w, type, at + n_dot + n);
}

static void walk(struct walk *w, const struct avro_type *type, size_t at)
{
    if (w->types++ >= TYPES || type->kind == AVRO_NULL || type->kind == AVRO_MAP) return;
    if (type->kind < AVRO_RECORD) path_names_add(w->names, w->path, (uint32_t)at);
    for (uint32_t i = 0; type->kind >= AVRO_RECORD && i < type->n; i++) {
        const struct avro_member *m = &type->member[i];
        if (type->kind == AVRO_RECORD)
            step(w, m->type, at, ".", m->name);
        else if (type->kind == AVRO_ARRAY)
            step(w, m->type, at, "", "[*]");
        else
            walk(w, m->type, at);
    }
}

void field_paths_note(const struct avro_schema *schema, struct path_names *names)
{
    struct walk w = {.names = names};
    walk(&w, avro_schema_root(schema), 0);
}
