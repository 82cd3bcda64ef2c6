/* diag.c -- implementation of diag.h. */
#include "diag.h"

#include <assert.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <leat/plugin.h>

#include "core/text/nearest.h"
#include "core/text/plain_text.h"
#include "log.h"

/* True if problem p must stay after a new problem at `at`. The list is in order of file and line;
 * problems of the same line, or without a file, are in order of arrival. */
static bool comes_after(const struct problem *p, const struct location *at)
{
    if (!p->at.file || !at->file) return false;
    int c = strcmp(p->at.file, at->file);
    return c > 0 || (c == 0 && p->at.line > at->line);
}

static bool diag_same(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

/* True if d already has the problem. Schemas are negotiated more than once, so the same problem may
 * come again. */
static bool is_known(const struct diag *d, const struct problem *new)
{
    for (const struct problem *p = d->first; p; p = p->next)
        if (diag_same(p->stage, new->stage) && diag_same(p->at.file, new->at.file) &&
            p->at.line == new->at.line && !strcmp(p->text, new->text))
            return true;
    return false;
}

void diag_vadd(struct diag *d, enum diag_severity s, struct location at, const char *stage,
               const char *param, const char *format, va_list args)
{
    assert(d->arena && format);
    struct problem *p = arena_alloc(d->arena, sizeof *p);
    const char *name = param ? arena_strndup(d->arena, param, strlen(param)) : NULL;
    *p = (struct problem){s,    at,    stage, name, arena_vprintf(d->arena, format, args),
                          NULL, false, NULL};
    struct problem **link = &d->first;
    if (is_known(d, p)) return;
    while (*link && !comes_after(*link, &at))
        link = &(*link)->next;
    p->next = *link;
    *link = p;
    d->errors += s != DIAG_WARNING;
    d->file_errors += s == DIAG_FILE;
    d->warnings += s == DIAG_WARNING;
}

void diag_add(struct diag *d, enum diag_severity s, struct location at, const char *stage,
              const char *param, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_vadd(d, s, at, stage, param, format, args);
    va_end(args);
}

/* True if the text itself names the parameter, at its beginning or in quotes. */
static bool names_param(const char *text, const char *param)
{
    size_t n = strlen(param);
    if (!strncmp(text, param, n) && !isalnum((unsigned char)text[n]) && text[n] != '_') return true;
    for (const char *p = text; (p = strchr(p, '\'')); p++)
        if (!strncmp(p + 1, param, n) && p[1 + n] == '\'') return true;
    return false;
}

static const char *with_part(struct arena *a, const char *line, const char *part)
{
    return part ? arena_printf(a, "%s%s: ", line, part) : line;
}

static const char *line_of(const struct diag *d, const struct problem *p, const char *during)
{
    struct arena *a = d->arena;
    const char *line = with_part(a, "", during);
    const char *at = p->at.file && p->at.line > 0 ? arena_printf(a, "%s:%d", p->at.file, p->at.line)
                                                  : p->at.file;
    line = with_part(a, line, at);
    line = with_part(a, line, p->severity == DIAG_WARNING ? "warning" : "error");
    line = with_part(a, line, p->argument);
    line = with_part(a, line, p->stage);
    if (p->param && !names_param(p->text, p->param)) line = with_part(a, line, p->param);
    return arena_printf(a, "%s%s", line, p->text);
}

void diag_print(const struct diag *d, FILE *out)
{
    for (const struct problem *p = d->first; p; p = p->next)
        plain_text_line(out, "%s", line_of(d, p, NULL));
}

static void log_problem(const struct diag *d, const struct problem *p, const char *during)
{
    const char *text = with_part(d->arena, "", during);
    text = with_part(d->arena, text, p->argument);
    if (p->param && !names_param(p->text, p->param)) text = with_part(d->arena, text, p->param);
    log_json(p->severity == DIAG_WARNING ? LEAT_WARN : LEAT_ERROR, p->at.file, p->at.line, p->stage,
             arena_printf(d->arena, "%s%s", text, p->text));
}

void diag_log(struct diag *d, const char *during)
{
    for (struct problem *p = d->first; p; p = p->next) {
        if (p->logged) continue;
        p->logged = true;
        if (log_is_json())
            log_problem(d, p, during);
        else
            log_line(line_of(d, p, during));
    }
}

const char *diag_suggest(const char *word, const char *const *candidates, size_t n)
{
    struct nearest nearest = nearest_to(word);
    for (size_t i = 0; i < n; i++)
        nearest_try(&nearest, candidates[i]);
    return nearest.best;
}
