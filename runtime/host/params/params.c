/* params.c -- implementation of params.h.
 *
 * Invariant: in a table that passed params_table_fault(), all defaults are valid, and all offsets
 * lie within cfg and do not overlap. So filling cfg can fail only because of the script. */
#include "params.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/text/nearest.h"
#include "param_type.h"

enum { LISTED_MAX = 24 };

struct fill {
    const struct leat_stage *stage;
    const struct param_scope *scope;
    char *cfg;
    struct arena *arena;
    unsigned char *given; /* given[i]: parameter i has a value already */
    int faults, replaced;
};

static void fault(struct fill *f, const char *param, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void fault(struct fill *f, const char *param, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_vadd(f->scope->diag, DIAG_ERROR, f->scope->at, f->scope->stage, param, format, args);
    va_end(args);
    f->faults++;
}

static const struct leat_param *params_find(const struct leat_stage *stage, const char *name)
{
    for (uint32_t i = 0; i < stage->n_params; i++)
        if (!strcmp(stage->params[i].name, name)) return &stage->params[i];
    return NULL;
}

const struct leat_param *params_positional(const struct leat_stage *stage)
{
    for (uint32_t i = 0; i < stage->n_params; i++)
        if (stage->params[i].flags & LEAT_POSITIONAL) return &stage->params[i];
    return NULL;
}

/* Reports an unknown name, with a suggestion. This is not counted in f->faults, because cfg without
 * this setting is valid for the stage. */
static void report_unknown(struct fill *f, const char *key)
{
    size_t n = 0, n_also = f->scope->n_also;
    const char **known = arena_alloc(f->arena, (f->stage->n_params + n_also + 1) * sizeof *known);
    for (uint32_t i = 0; i < f->stage->n_params; i++)
        known[n++] = f->stage->params[i].name;
    for (size_t i = 0; i < n_also; i++)
        known[n++] = f->scope->also[i];
    const char *near = diag_suggest(key, known, n);
    const char *list = n ? known[0] : "none";
    for (size_t i = 1; i < n && i < LISTED_MAX; i++)
        list = arena_printf(f->arena, "%s, %s", list, known[i]);
    const struct param_scope *at = f->scope;
    bool slip = near && nearest_distance(key, near) <= 2;
    const char *taker = at->taker && !slip ? at->taker(at->of, key) : NULL;
    if (taker)
        diag_add(at->diag, DIAG_ERROR, at->at, at->stage, key,
                 "unknown parameter '%s': set it in %s, which takes it", key, taker);
    else if (near)
        diag_add(at->diag, DIAG_ERROR, at->at, at->stage, key,
                 "unknown parameter '%s': did you mean '%s'?", key, near);
    else
        diag_add(at->diag, DIAG_ERROR, at->at, at->stage, key,
                 "unknown parameter '%s': the stage takes %s%s", key, list,
                 n > LISTED_MAX ? ", …" : "");
}

static void store(struct fill *f, const struct leat_param *p, const union param_cell *cell)
{
    memcpy(f->cfg + p->offset, cell, param_type_size(p->type));
}

/* Warns if `every` has no unit and is small: `every` is a duration in some stages, and a number of
 * examples or records in others. The script may mean minutes, or records. */
static void warn_of_unit(struct fill *f, const struct leat_param *p, const struct value *v)
{
    const struct param_scope *at = f->scope;
    if (p->type != LEAT_DURATION || v->type != VALUE_INT || v->integer >= 60) return;
    if (!strcmp(p->name, "every"))
        diag_add(at->diag, DIAG_WARNING, at->at, at->stage, p->name,
                 "every = %d means seconds: write the unit, \"%ds\", or \"%dmin\" for minutes",
                 (int)v->integer, (int)v->integer, (int)v->integer);
}

static void take_default(struct fill *f, const struct leat_param *p)
{
    union param_cell cell;
    if (p->flags & LEAT_REQUIRED) {
        fault(f, p->name, "%s is missing%s%s%s", p->name, p->doc ? ": " : "", p->doc ? p->doc : "",
              f->scope->missing ? f->scope->missing : "");
        return;
    }
    const char *wrong = param_default(p, f->arena, &cell);
    if (wrong)
        fault(f, p->name, "its default does not fit: %s", wrong);
    else
        store(f, p, &cell);
}

/* True if v is the text that a snapshot has for an unset parameter without a default. This value
 * may be out of the parameter's range. */
static bool is_unset(struct fill *f, const struct leat_param *p, const struct value *v)
{
    union param_cell none = {.integer = 0};
    struct leat_param at_start = *p;
    at_start.offset = 0;
    if (!f->scope->whole || (p->flags & LEAT_REQUIRED) || p->def || v->type != VALUE_TEXT)
        return false;
    const char *shown = param_show(&at_start, &none, f->arena);
    struct value given = shown ? param_unshow(shown, f->arena) : *v;
    return shown && given.type == VALUE_TEXT && !strcmp(given.text, v->text);
}

static bool is_number(const struct leat_param *p)
{
    return p->type == LEAT_INT || p->type == LEAT_FLOAT || p->type == LEAT_SIZE ||
           p->type == LEAT_DURATION;
}

/* Takes a value for parameter p. A second value is an error instead of an override, because the
 * intention is unclear. */
static void params_take(struct fill *f, const struct leat_param *p, const struct value *v)
{
    unsigned char *given = &f->given[p - f->stage->params];
    if (*given) {
        fault(f, p->name, "%s is set twice%s", p->name,
              p->flags & LEAT_POSITIONAL ? " (values without a name belong to it, too)" : "");
        return;
    }
    *given = 1;
    if (is_unset(f, p, v)) {
        take_default(f, p);
        return;
    }
    union param_cell cell;
    const char *wrong = param_read(p, v, f->arena, &cell);
    if (!wrong) {
        store(f, p, &cell);
        warn_of_unit(f, p, v);
        return;
    }
    fault(f, p->name, "%s", wrong);
    if (!f->scope->lenient || p->flags & LEAT_REQUIRED || !is_number(p)) return;
    f->faults--;
    f->replaced++;
    take_default(f, p);
}

static void take_named(struct fill *f, const struct setting *s)
{
    const struct leat_param *p = params_find(f->stage, s->key);
    if (p)
        params_take(f, p, &s->value);
    else
        report_unknown(f, s->key);
}

/* Returns all unnamed values as one list. The elements of an unnamed list become elements of that
 * list. */
static struct value unnamed_values(struct fill *f, const struct setting *settings, size_t n)
{
    size_t capacity = 0, k = 0;
    for (size_t i = 0; i < n; i++)
        if (!settings[i].key)
            capacity += settings[i].value.type == VALUE_LIST ? settings[i].value.n : 1;
    struct value all = {.type = VALUE_LIST};
    all.list = arena_alloc(f->arena, (capacity + 1) * sizeof *all.list);
    for (size_t i = 0; i < n; i++) {
        const struct value *v = &settings[i].value;
        if (settings[i].key || v->type == VALUE_NIL) continue;
        if (v->type != VALUE_LIST) {
            all.list[k++] = *v;
        } else if (v->n) {
            memcpy(all.list + k, v->list, v->n * sizeof *v);
            k += v->n;
        }
    }
    all.n = k;
    return all;
}

static void take_unnamed(struct fill *f, const struct setting *settings, size_t n)
{
    struct value all = unnamed_values(f, settings, n);
    if (all.n == 0) return;
    const struct leat_param *p = params_positional(f->stage);
    if (!p)
        fault(f, NULL, "the stage takes no unnamed values: write name = value");
    else if (p->type == LEAT_STRINGS)
        params_take(f, p, &all);
    else if (all.n > 1)
        fault(f, p->name, "the stage takes one unnamed value (%s), not %zu", p->name, all.n);
    else
        params_take(f, p, all.list);
}

static bool params_is_given(const struct fill *f, const struct leat_param *p)
{
    return p && f->given[p - f->stage->params];
}

/* True if the script sets the parameter to a value other than its default. */
static bool is_set(struct fill *f, const struct leat_param *p)
{
    union param_cell def;
    if (!params_is_given(f, p)) return false;
    return param_default(p, f->arena, &def) ||
           memcmp(f->cfg + p->offset, &def, param_type_size(p->type)) != 0;
}

/* True if parameter p enables parameters that depend on it (only_with). A BOOL that the script sets
 * counts even if it is false: an argument may turn it off and leave the rest of the script
 * unchanged. */
static bool is_with(struct fill *f, const struct leat_param *p)
{
    return is_set(f, p) || (p->type == LEAT_BOOL && params_is_given(f, p));
}

/* Reports a parameter that another one makes ineffective, because the intention is unclear. */
static void check_beside(struct fill *f, const struct leat_param *p)
{
    if (p->replaces && is_set(f, p) && params_is_given(f, params_find(f->stage, p->replaces)))
        fault(f, p->replaces, "has no effect together with %s: leave one of the two out", p->name);
    if (p->only_with && params_is_given(f, p) && !is_with(f, params_find(f->stage, p->only_with)))
        fault(f, p->name, "has no effect without %s: set both, or leave %s out", p->only_with,
              p->name);
}

const struct leat_param *params_integer(const struct leat_stage *stage, const char *name)
{
    const struct leat_param *p = stage ? params_find(stage, name) : NULL;
    return p && p->type == LEAT_INT ? p : NULL;
}

int params_fill(const struct leat_stage *stage, const struct setting *settings, size_t n, void *cfg,
                struct arena *arena, const struct param_scope *scope)
{
    assert(scope->diag && (cfg || !stage->cfg_size));
    struct fill f = {.stage = stage, .scope = scope, .cfg = cfg, .arena = arena};
    f.given = arena_alloc(arena, stage->n_params + 1);
    if (stage->cfg_size) memset(cfg, 0, stage->cfg_size);
    for (size_t i = 0; i < n; i++)
        if (settings[i].key && settings[i].value.type != VALUE_NIL) take_named(&f, &settings[i]);
    take_unnamed(&f, settings, n);
    for (uint32_t i = 0; i < stage->n_params; i++)
        if (!f.given[i]) take_default(&f, &stage->params[i]);
    for (uint32_t i = 0; i < stage->n_params && !scope->whole; i++)
        check_beside(&f, &stage->params[i]);
    if (f.faults) return LEAT_EARG;
    return f.replaced ? LEAT_LATER : LEAT_OK;
}

/* True if s can be a field of a Lua table: lower-case letters, digits and _, with a letter
 * first. */
static bool params_is_name(const char *s)
{
    return s && *s >= 'a' && *s <= 'z' && !s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

static int overlap(const struct leat_param *p, const struct leat_param *q)
{
    return p->offset < q->offset + param_type_size(q->type) &&
           q->offset < p->offset + param_type_size(p->type);
}

static const char *place_fault(const struct leat_stage *stage, const struct leat_param *p,
                               struct arena *a)
{
    size_t size = param_type_size(p->type);
    if (p->offset > stage->cfg_size || size > stage->cfg_size - p->offset)
        return arena_printf(a,
                            "parameter '%s' takes bytes %zu to %zu of a configuration of %zu bytes",
                            p->name, p->offset, p->offset + size, stage->cfg_size);
    for (const struct leat_param *q = stage->params; q < p; q++) {
        if (!strcmp(p->name, q->name))
            return arena_printf(a, "parameter '%s' is listed twice", p->name);
        if (overlap(p, q))
            return arena_printf(a, "parameters '%s' and '%s' share bytes of the configuration",
                                q->name, p->name);
        if (p->flags & q->flags & LEAT_POSITIONAL)
            return arena_printf(a, "parameters '%s' and '%s' both take the unnamed values", q->name,
                                p->name);
    }
    return NULL;
}

static const char *beside_fault(const struct leat_stage *stage, const struct leat_param *p,
                                struct arena *a)
{
    const char *const names[] = {p->replaces, p->only_with};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i] && (!params_find(stage, names[i]) || !strcmp(names[i], p->name)))
            return arena_printf(a,
                                "parameter '%s' refers to '%s', which is not another "
                                "parameter of the stage",
                                p->name, names[i]);
    return NULL;
}

const char *params_text(const struct leat_param *p, const void *cfg, uint32_t k)
{
    const char *at = (const char *)cfg + p->offset, *one;
    const struct leat_strings *list = (const void *)at;
    if (p->type == LEAT_STRINGS) return k < list->n ? list->v[k] : NULL;
    memcpy(&one, at, sizeof one);
    return k ? NULL : one;
}

static const char *value_fault(const struct leat_param *p, struct arena *a)
{
    if (p->type == LEAT_CHOICE && !(p->choices && p->choices[0]))
        return arena_printf(a, "parameter '%s' is a choice without choices", p->name);
    if ((p->flags & (LEAT_SECRET | LEAT_OPERATIONAL)) == LEAT_SECRET)
        return arena_printf(a, "parameter '%s' is secret: make it operational, too", p->name);
    if (p->flags & (LEAT_READS_FILE | LEAT_WRITES_FILE) && p->type != LEAT_STRING &&
        p->type != LEAT_PATH && p->type != LEAT_STRINGS)
        return arena_printf(a, "parameter '%s' names files, but its type is not a text", p->name);
    if (p->flags & LEAT_MAY_COME && p->type != LEAT_BOOL)
        return arena_printf(a, "parameter '%s' has LEAT_MAY_COME, but its type is not LEAT_BOOL",
                            p->name);
    if (!(p->min <= p->max))
        return arena_printf(a, "parameter '%s' has an impossible range: %g to %g", p->name, p->min,
                            p->max);
    if (p->flags & LEAT_REQUIRED) return NULL;
    union param_cell cell;
    const char *wrong = param_default(p, a, &cell);
    return wrong ? arena_printf(a, "parameter '%s' has the default \"%s\": %s", p->name, p->def,
                                wrong)
                 : NULL;
}

const char *params_table_fault(const struct leat_stage *stage, struct arena *a)
{
    if (stage->n_params && !stage->params)
        return arena_printf(a, "it announces %u parameters and lists none", stage->n_params);
    for (uint32_t i = 0; i < stage->n_params; i++) {
        const struct leat_param *p = &stage->params[i];
        if (!params_is_name(p->name))
            return arena_printf(
                a, "parameter %u is called '%s'; a name has lower-case letters, digits and _",
                i + 1, p->name ? p->name : "(nothing)");
        if (!param_type_name(p->type))
            return arena_printf(a,
                                "parameter '%s' has type %u; it must be 1 to %d (enum leat_type)",
                                p->name, p->type, LEAT_FUNCTION);
        const char *wrong = place_fault(stage, p, a);
        if (!wrong) wrong = value_fault(p, a);
        if (wrong) return wrong;
    }
    for (uint32_t i = 0; i < stage->n_params; i++) {
        const char *wrong = beside_fault(stage, &stage->params[i], a);
        if (wrong) return wrong;
    }
    return NULL;
}
