/* fit_binding.c -- implementation of fit_binding.h. */
#include "fit_binding.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text/nearest.h"

enum { FIT_SENTENCE = 800 };

void fit_fault(struct fit_faults *f, const char *format, ...)
{
    char text[FIT_SENTENCE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    f->n++;
    f->say(f->to, text);
}

void fit_no_memory(struct fit_faults *f)
{
    fit_fault(f, "there is not enough memory for the schema");
}

/* Refuses two columns for one field. */
static void fit_check_names(const struct fit_column *column, uint32_t n, struct fit_faults *faults)
{
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = 0; k < i; k++)
            if (!strcmp(column[i].name, column[k].name)) {
                fit_fault(faults,
                          "columns '%.200s' and '%.200s' both go to field '%.200s': give one of "
                          "them another name in `columns`",
                          fit_column_shown(&column[k]), fit_column_shown(&column[i]),
                          column[i].name);
                return;
            }
}

bool fit_binding_open(struct fit_binding *b, const struct fit_column *column, uint32_t n,
                      struct fit_faults *faults)
{
    *b = (struct fit_binding){.column = column, .n = n, .faults = faults};
    b->used = calloc(n + 1, sizeof *b->used);
    if (!b->used) fit_no_memory(faults);
    fit_check_names(column, n, faults);
    return b->used != NULL;
}

void fit_binding_close(struct fit_binding *b)
{
    for (uint32_t i = 0; i < b->n_paths; i++)
        free(b->path[i]);
    free(b->path);
    free(b->used);
    *b = (struct fit_binding){.n = 0};
}

const char *fit_path(struct fit_binding *b, const char *outer, const char *name)
{
    if (b->n_paths == b->cap) {
        uint32_t cap = b->cap ? 2 * b->cap : 16;
        char **grown = realloc(b->path, cap * sizeof *grown);
        if (!grown) return NULL;
        b->path = grown;
        b->cap = cap;
    }
    size_t n = strlen(outer) + strlen(name) + 2;
    char *path = malloc(n);
    if (path) b->path[b->n_paths++] = path;
    if (path) snprintf(path, n, "%s%s%s", outer, *outer ? "." : "", name);
    return path;
}

uint32_t fit_bind(struct fit_binding *b, const char *path)
{
    for (uint32_t i = 0; i < b->n; i++)
        if (!strcmp(b->column[i].name, path)) {
            b->used[i] = true;
            return i;
        }
    return FIT_NO_COLUMN;
}

bool fit_binds_inside(const struct fit_binding *b, const char *path)
{
    size_t n = strlen(path);
    for (uint32_t i = 0; i < b->n; i++)
        if (!strncmp(b->column[i].name, path, n) && b->column[i].name[n] == '.') return true;
    return false;
}

void fit_refuse_field(struct fit_binding *b, const char *path, const char *type, const char *why)
{
    struct nearest near = nearest_to(path);
    for (uint32_t i = 0; i < b->n; i++)
        nearest_try(&near, b->column[i].name);
    fit_fault(b->faults, "field '%.200s' (%.100s) of the schema has no column%s%s%.200s%s", path,
              type, why, near.best ? ": did you mean column '" : "", near.best ? near.best : "",
              near.best ? "'?" : "");
}

void fit_refuse_type(struct fit_binding *b, uint32_t column, const char *path, const char *type)
{
    const struct fit_column *c = &b->column[column];
    fit_fault(b->faults,
              "column '%.200s' has %s, which field '%.200s' (%.100s) "
              "does not take",
              fit_column_shown(c), fit_kind_names[c->kind], path, type);
}

void fit_check_columns(struct fit_binding *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        struct nearest near = nearest_to(b->column[i].name);
        if (b->used[i]) continue;
        for (uint32_t k = 0; k < b->n_paths; k++)
            nearest_try(&near, b->path[k]);
        fit_fault(b->faults, "column '%.200s' is no field of the schema: %s%.200s%s",
                  b->column[i].name, near.best ? "did you mean '" : "list the others in `columns`",
                  near.best ? near.best : "", near.best ? "'?" : "");
    }
}
