/* abi.c -- implementation of abi.h.
 *
 * Old and new versions fit together because structs grow only at their ends and contain their own
 * size. This file walks a plugin's tables with the plugin's strides and copies the fields that
 * plugin and host both know. The rest of the host's copy stays zero, which every caller reads as
 * "absent". No other file sees a plugin's own tables.
 *
 * The checks run in the order in which fields can be trusted: the magic before the version, the
 * version before the size, the size before all later fields. */
#include "abi.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "host/params/params.h"
#include "stage_tables.h"

/* Bytes of struct TYPE from its start to the end of MEMBER. */
#define THROUGH(TYPE, MEMBER) (offsetof(TYPE, MEMBER) + sizeof(((TYPE *)0)->MEMBER))

/* Smallest sizes with which a descriptor is usable. */
enum {
    PLUGIN_MIN = THROUGH(struct leat_plugin, stages),
    STAGE_MIN = THROUGH(struct leat_stage, process),
    PARAM_MIN = THROUGH(struct leat_param, choices),
    REASON_MIN = THROUGH(struct leat_own_reason, doc),
    FIGURE_MIN = THROUGH(struct leat_figure, kind),
    HEADER = THROUGH(struct leat_plugin, size)
};

static const char rebuild[] = "rebuild it with the headers of this leat";

static const char *check_magic(const struct leat_plugin *p, size_t bytes, struct arena *a)
{
    if (bytes && bytes < HEADER)
        return arena_printf(a, "its symbol 'leat_plugin' has %zu bytes, at least %d are needed: %s",
                            bytes, PLUGIN_MIN, "define it with LEAT_PLUGIN(…)");
    if (p->magic != LEAT_MAGIC)
        return arena_printf(a, "its magic number is 0x%08x, not 0x%08x: %s", p->magic, LEAT_MAGIC,
                            "define 'leat_plugin' with LEAT_PLUGIN(…)");
    return NULL;
}

static const char *check_version(const struct leat_plugin *p, struct arena *a)
{
    if (p->abi_major == LEAT_ABI_MAJOR) return NULL;
    return arena_printf(a, "it was built for plugin ABI %u.%u, and this leat has %d.%d: %s",
                        p->abi_major, p->abi_minor, LEAT_ABI_MAJOR, LEAT_ABI_MINOR,
                        p->abi_major > LEAT_ABI_MAJOR ? "use a newer leat" : rebuild);
}

static const char *check_sizes(const struct leat_plugin *p, size_t bytes, struct arena *a)
{
    if (p->size < PLUGIN_MIN)
        return arena_printf(a, "its descriptor has %u bytes, at least %d are needed: %s", p->size,
                            PLUGIN_MIN, rebuild);
    if (bytes && bytes < p->size)
        return arena_printf(a, "its descriptor says it has %u bytes, but the symbol has %zu: %s",
                            p->size, bytes, rebuild);
    if (p->min_host_minor > LEAT_ABI_MINOR)
        return arena_printf(a, "it needs plugin ABI %d.%u or later, and this leat has %d.%d: %s",
                            LEAT_ABI_MAJOR, p->min_host_minor, LEAT_ABI_MAJOR, LEAT_ABI_MINOR,
                            "use a newer leat");
    if (p->stage_size < STAGE_MIN)
        return arena_printf(a, "its stages have %u bytes each, at least %d are needed: %s",
                            p->stage_size, STAGE_MIN, rebuild);
    return NULL;
}

static const char *check_list(const struct leat_plugin *p, struct arena *a)
{
    if (!p->name || !*p->name) return "it has no name: give LEAT_PLUGIN(…) one";
    if (!p->n_stages || !p->stages)
        return arena_printf(a,
                            "it lists %s stages: give LEAT_PLUGIN(…) the address of at least one",
                            p->n_stages ? "NULL instead of" : "no");
    return NULL;
}

static size_t abi_word(const char *s)
{
    return *s >= 'a' && *s <= 'z' ? strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_") : 0;
}

/* True if s has the form "group.name". A script writes it after "leat.". */
static bool is_stage_name(const char *s)
{
    size_t group = s ? abi_word(s) : 0;
    if (!group || s[group] != '.') return false;
    size_t name = abi_word(s + group + 1);
    return name && !s[group + 1 + name];
}

/* True if the stage's group has a name that the Lua module already uses. */
static bool is_reserved(const char *stage)
{
    static const char *const names[] = {
        "args", "batch", "beginning",  "dir",    "filter", "flag",     "from",  "info",  "list",
        "map",  "merge", "parameters", "parsed", "pieces", "pipeline", "route", "stage", "tee"};
    size_t n = abi_word(stage);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == n && !strncmp(names[i], stage, n)) return true;
    return false;
}

/* Returns the name of a function that this kind of stage must have and the stage lacks; NULL if it
 * lacks none. */
static const char *missing_function(const struct leat_stage *s)
{
    bool asks = s->asker->ask, shows = asks && s->asker->show, expands = s->expand;
    if (s->kind == LEAT_SOURCE) return s->source->produce ? NULL : "produce";
    if (s->kind == LEAT_SINK)
        return s->process || s->letters->take || shows ? NULL : "process, or ask and show";
    if (s->kind == LEAT_TRANSFORM && asks) return expands && shows ? NULL : "expand, or show";
    if (s->kind == LEAT_TRANSFORM) return s->process || expands ? NULL : "process, or expand";
    return s->process ? NULL : "process";
}

/* Returns a fault if the stage has one function of a role without another that the role needs;
 * otherwise NULL. */
static const char *half_a_role(const struct leat_stage *s)
{
    if (!s->state->snapshot != !s->state->restore)
        return "it has only one of snapshot and restore: both are needed";
    if (s->state->merge && !s->state->restore)
        return "it has merge without restore: both are needed";
    const struct leat_transaction *t = s->transaction;
    if (t->name && (!t->fence || !t->commit))
        return "its transaction lacks fence or commit: both are needed";
    if (!s->source->position != !s->source->position_format)
        return "it has only one of position and position_format: both are needed";
    return NULL;
}

/* Returns a fault if the stage has a role that only another kind of stage may have; otherwise
 * NULL. */
static const char *strange_role(const struct leat_stage *s)
{
    if (s->source->produce && s->kind != LEAT_SOURCE)
        return "it has the role source, which only a LEAT_SOURCE may have";
    if (s->expand && s->kind != LEAT_TRANSFORM)
        return "it has the function expand, which only a LEAT_TRANSFORM may have";
    if (s->learner->query && s->kind != LEAT_LEARNER && s->kind != LEAT_TRANSFORM)
        return "it has the role learner, which only a LEAT_LEARNER may have";
    if ((s->letters->take || s->transaction->name) && s->kind != LEAT_SINK)
        return "it has the role letters or transaction, which only a LEAT_SINK may have";
    return NULL;
}

/* Returns the property of a LEAT_PARALLEL stage that several lanes would break; NULL if none. Each
 * lane has its own instance, but a query, a snapshot or an output needs a single instance. */
static const char *split_by_lanes(const struct leat_stage *s)
{
    if (!(s->caps & LEAT_PARALLEL)) return NULL;
    if (s->kind != LEAT_TRANSFORM) return "is a source, learner or sink";
    if (s->caps & LEAT_STATEFUL) return "declares LEAT_STATEFUL";
    if (s->learner->query) return "has the function query";
    if (s->expand) return "has the function expand";
    return s->state->snapshot ? "has the function snapshot" : NULL;
}

static const char *check_stage(const struct leat_stage *s, struct arena *a)
{
    if (s->kind < LEAT_SOURCE || s->kind > LEAT_SINK)
        return arena_printf(a, "its kind is %u; it must be %d to %d (enum leat_stage_kind)",
                            s->kind, LEAT_SOURCE, LEAT_SINK);
    const char *function = missing_function(s);
    if (function) return arena_printf(a, "it lacks the function %s", function);
    const char *wrong = strange_role(s);
    if (!wrong) wrong = half_a_role(s);
    if (wrong) return wrong;
    const char *split = split_by_lanes(s);
    if (split)
        return arena_printf(a,
                            "it declares LEAT_PARALLEL but %s: each lane would keep a part; "
                            "remove LEAT_PARALLEL from its caps",
                            split);
    const char *wrong_table = params_table_fault(s, a);
    return wrong_table ? wrong_table : stage_tables_fault(s, a);
}

/* Copies entry i of an array whose entries have `stride` bytes. Copies only the fields that plugin
 * and host both know, and zeroes the rest of `to`. */
static void copy_entry(void *to, size_t size, const void *from, size_t stride, uint32_t i)
{
    memset(to, 0, size);
    memcpy(to, (const char *)from + (size_t)i * stride, stride < size ? stride : size);
}

/* A table of a stage: name for messages, address, length, and the sizes of an entry. */
struct table {
    const char *what;
    const void *at;
    uint32_t n, max, *stride; /* max 0: any number; *stride: bytes of an entry in the plugin */
    size_t min, size;
};

/* Copies the table into the host's layout and sets *copy. Returns the fault, or NULL. Returns NULL
 * for a table without an address, which a later check reports. */
static const char *adopt_table(struct table t, const void **copy, struct arena *a)
{
    if (t.max && t.n > t.max)
        return arena_printf(a, "it has %u %s; at most %u are possible", t.n, t.what, t.max);
    if (!t.n || !t.at) return NULL;
    if (*t.stride < t.min)
        return arena_printf(a, "its %s have %u bytes each, at least %zu are needed: %s", t.what,
                            *t.stride, t.min, rebuild);
    char *to = arena_alloc(a, t.n * t.size);
    for (uint32_t i = 0; i < t.n; i++)
        copy_entry(to + i * t.size, t.size, t.at, *t.stride, i);
    *t.stride = (uint32_t)t.size;
    *copy = to;
    return NULL;
}

static const char *adopt_tables(struct leat_stage *s, struct arena *a)
{
    const void *params = s->params, *reasons = s->reasons, *figures = s->figures;
    const char *wrong = adopt_table((struct table){"parameters", params, s->n_params, 0,
                                                   &s->param_size, PARAM_MIN, sizeof *s->params},
                                    &params, a);
    if (!wrong)
        wrong = adopt_table((struct table){"reasons", reasons, s->n_reasons, LEAT_MAX_REASONS,
                                           &s->reason_size, REASON_MIN, sizeof *s->reasons},
                            &reasons, a);
    if (!wrong)
        wrong = adopt_table((struct table){"figures", figures, s->n_figures, LEAT_MAX_FIGURES,
                                           &s->figure_size, FIGURE_MIN, sizeof *s->figures},
                            &figures, a);
    s->params = params;
    s->reasons = reasons;
    s->figures = figures;
    return wrong;
}

/* Returns the host's copy of a role that the stage declares; all zeros if it declares none. A role
 * starts with its own size. */
static const void *adopt_role(const void *declared, size_t size, struct arena *a)
{
    uint32_t own_size = 0;
    void *role = arena_alloc(a, size);
    if (declared) memcpy(&own_size, declared, sizeof own_size);
    copy_entry(role, size, declared ? declared : role, own_size, 0);
    return role;
}

void abi_adopt_roles(struct leat_stage *s, struct arena *a)
{
#define ADOPT(ROLE) s->ROLE = adopt_role(s->ROLE, sizeof *s->ROLE, a)
    ADOPT(source);
    ADOPT(learner);
    ADOPT(asker);
    ADOPT(letters);
    ADOPT(state);
    ADOPT(transaction);
#undef ADOPT
}

static const char *adopt_stages(struct leat_plugin *p, struct arena *a)
{
    struct leat_stage *copy = arena_alloc(a, p->n_stages * sizeof *copy);
    const struct leat_stage **stages = arena_alloc(a, p->n_stages * sizeof *stages);
    for (uint32_t i = 0; i < p->n_stages; i++) {
        struct leat_stage *s = &copy[i];
        stages[i] = s;
        if (!p->stages[i])
            return arena_printf(a, "stage %u is NULL: list the address of a stage", i + 1);
        copy_entry(s, sizeof *s, p->stages[i], p->stage_size, 0);
        if (!is_stage_name(s->name))
            return arena_printf(
                a, "stage %u is called '%s'; a name is a lower-case group.name such as learn.mine",
                i + 1, s->name ? s->name : "(nothing)");
        if (is_reserved(s->name))
            return arena_printf(a,
                                "stage %s: the leat module has a function or value leat.%.*s: "
                                "choose another group",
                                s->name, (int)abi_word(s->name), s->name);
        abi_adopt_roles(s, a);
        const char *wrong = adopt_tables(s, a);
        if (!wrong) wrong = check_stage(s, a);
        if (wrong) return arena_printf(a, "stage %s: %s", s->name, wrong);
        for (uint32_t j = 0; j < i; j++)
            if (!strcmp(copy[j].name, s->name))
                return arena_printf(a, "stage %s is listed twice: names must differ", s->name);
    }
    p->stages = stages;
    p->stage_size = sizeof *copy;
    return NULL;
}

const char *abi_adopt(const struct leat_plugin *found, size_t bytes, struct arena *a,
                      const struct leat_plugin **out)
{
    assert(found && out);
    const char *wrong = check_magic(found, bytes, a);
    if (!wrong) wrong = check_version(found, a);
    if (!wrong) wrong = check_sizes(found, bytes, a);
    if (!wrong) wrong = check_list(found, a);
    if (wrong) return wrong;
    struct leat_plugin *p = arena_alloc(a, sizeof *p);
    copy_entry(p, sizeof *p, found, found->size, 0);
    *out = p;
    return adopt_stages(p, a);
}
