/* stage_tables.c -- implementation of stage_tables.h. */
#include "stage_tables.h"

#include <string.h>

static const char *const host_reasons[LEAT_R_COUNT] = {
    [LEAT_R_SYNTAX] = "syntax",       [LEAT_R_NUMBER] = "number", [LEAT_R_NONFINITE] = "nonfinite",
    [LEAT_R_LABEL] = "label",         [LEAT_R_QUOTE] = "quote",   [LEAT_R_TOO_LARGE] = "too_large",
    [LEAT_R_FIELDS] = "fields",       [LEAT_R_INPUT] = "input",   [LEAT_R_LUA] = "lua",
    [LEAT_R_LIMIT] = "lua_limit",     [LEAT_R_OTHER] = "other",   [LEAT_R_TIME] = "time",
    [LEAT_R_UNMATCHED] = "unmatched", [LEAT_R_CRASH] = "crash",
};

const char *stage_tables_reason(const struct leat_stage *s, int reason)
{
    if (reason >= 0 && reason < LEAT_R_COUNT) return host_reasons[reason];
    uint32_t own = (uint32_t)reason - LEAT_R_FIRST_OWN;
    return own < s->n_reasons ? s->reasons[own].word : NULL;
}

const struct leat_figure *stage_tables_figure(const struct leat_stage *s, const char *name)
{
    for (uint32_t i = 0; i < s->n_figures; i++)
        if (!strcmp(s->figures[i].name, name)) return &s->figures[i];
    return NULL;
}

const struct leat_param *stage_tables_flagged(const struct leat_stage *s, uint32_t flag)
{
    for (uint32_t i = 0; i < s->n_params; i++)
        if (s->params[i].flags & flag) return &s->params[i];
    return NULL;
}

/* True if the files of this parameter are all that the stage reads or writes. They are not if the
 * parameter may be left out, as that of a certificate may, or if another text must name a place. */
static bool is_only_place(const struct leat_stage *s, const struct leat_param *file)
{
    if (!(file->flags & LEAT_REQUIRED) && !file->def) return false;
    for (uint32_t i = 0; i < s->n_params; i++)
        if (&s->params[i] != file && s->params[i].flags & LEAT_REQUIRED &&
            s->params[i].type == LEAT_STRING)
            return false;
    return true;
}

static const char *touches(const struct leat_stage *s, uint32_t flag, uint32_t kind)
{
    const struct leat_param *file = stage_tables_flagged(s, flag);
    if (s->kind != kind) return file ? "files" : NULL;
    if (stage_tables_flagged(s, LEAT_STREAM | LEAT_SERVERS)) return "streams";
    return file && is_only_place(s, file) ? "files" : "anywhere";
}

const char *stage_tables_reads(const struct leat_stage *s)
{
    return touches(s, LEAT_READS_FILE, LEAT_SOURCE);
}

const char *stage_tables_writes(const struct leat_stage *s)
{
    return touches(s, LEAT_WRITES_FILE, LEAT_SINK);
}

bool stage_tables_learns(const struct leat_stage *s)
{
    return s->kind == LEAT_LEARNER || s->caps & LEAT_LEARNS;
}

bool stage_tables_is_word(const char *s)
{
    if (!s || *s < 'a' || *s > 'z') return false;
    size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return !s[n] && n <= LEAT_WORD_MAX;
}

static bool is_host_reason(const char *word)
{
    for (int k = 0; k < LEAT_R_COUNT; k++)
        if (host_reasons[k] && !strcmp(host_reasons[k], word)) return true;
    return false;
}

static const char *no_word(struct arena *a, const char *what, uint32_t i, const char *found)
{
    return arena_printf(
        a,
        "%s %u is called '%s'; a name begins with a lower-case letter and has at most %d "
        "lower-case letters, digits and _",
        what, i + 1, found ? found : "(nothing)", LEAT_WORD_MAX);
}

static const char *reason_fault(const struct leat_stage *s, uint32_t i, struct arena *a)
{
    const struct leat_own_reason *r = &s->reasons[i];
    if (!stage_tables_is_word(r->word)) return no_word(a, "reason", i, r->word);
    if (is_host_reason(r->word))
        return arena_printf(a, "reason '%s' is one of the host's: use the host's (leat/status.h)",
                            r->word);
    if (!r->doc || !*r->doc)
        return arena_printf(a, "reason '%s' has no text: describe it in a sentence", r->word);
    for (uint32_t j = 0; j < i; j++)
        if (!strcmp(s->reasons[j].word, r->word))
            return arena_printf(a, "reason '%s' is listed twice: words must differ", r->word);
    return NULL;
}

/* Returns the unit that a figure should use, a plural base unit: "seconds" for "ms". NULL if it is
 * not in the table. */
static const char *better_unit(const char *unit)
{
    static const char *const known[][2] = {
        {"s", "seconds"},       {"second", "seconds"}, {"ms", "seconds"},
        {"us", "seconds"},      {"ns", "seconds"},     {"milliseconds", "seconds"},
        {"minutes", "seconds"}, {"hours", "seconds"},  {"byte", "bytes"},
        {"kb", "bytes"},        {"mb", "bytes"},       {"gb", "bytes"},
        {"percent", "ratio"},   {"record", "records"}, {"example", "examples"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i][0], unit)) return known[i][1];
    return NULL;
}

static const char *unit_fault(const struct leat_figure *f, struct arena *a)
{
    if (!f->unit || (strcmp(f->unit, "1") && !stage_tables_is_word(f->unit)))
        return arena_printf(a,
                            "figure '%s' has the unit '%s'; a unit is a word, such as bytes, "
                            "seconds, records or ratio, or 1 for a plain number",
                            f->name, f->unit ? f->unit : "(nothing)");
    const char *better = better_unit(f->unit);
    return better ? arena_printf(a, "figure '%s' has the unit '%s': give its values in %s", f->name,
                                 f->unit, better)
                  : NULL;
}

static const char *figure_fault(const struct leat_stage *s, uint32_t i, struct arena *a)
{
    const struct leat_figure *f = &s->figures[i];
    if (!stage_tables_is_word(f->name)) return no_word(a, "figure", i, f->name);
    if (f->kind != LEAT_COUNTER && f->kind != LEAT_GAUGE)
        return arena_printf(a,
                            "figure '%s' has kind %u; it must be %d or %d (enum leat_figure_kind)",
                            f->name, f->kind, LEAT_COUNTER, LEAT_GAUGE);
    if (!f->doc || !*f->doc)
        return arena_printf(a, "figure '%s' has no text: say in a line what it is", f->name);
    for (uint32_t j = 0; j < i; j++)
        if (!strcmp(s->figures[j].name, f->name))
            return arena_printf(a, "figure '%s' is listed twice: names must differ", f->name);
    return unit_fault(f, a);
}

static const char *missing(const char *what, uint32_t n, const void *table, struct arena *a)
{
    return n && !table ? arena_printf(a, "it announces %u %s and lists none", n, what) : NULL;
}

const char *stage_tables_fault(const struct leat_stage *s, struct arena *a)
{
    const char *wrong = missing("reasons", s->n_reasons, s->reasons, a);
    if (!wrong) wrong = missing("figures", s->n_figures, s->figures, a);
    for (uint32_t i = 0; !wrong && i < s->n_reasons; i++)
        wrong = reason_fault(s, i, a);
    for (uint32_t i = 0; !wrong && i < s->n_figures; i++)
        wrong = figure_fault(s, i, a);
    return wrong;
}
