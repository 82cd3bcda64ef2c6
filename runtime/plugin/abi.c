/* abi.c -- checking and copying descriptors.
 *
 * Old and new versions fit because structs only grow at their ends and contain their own size. This
 * file walks a plugin's tables with the plugin's strides and copies the fields that both sides
 * know; the rest of the host's copy stays zero, which every caller reads as "does not have it".
 * Nothing outside this file sees a plugin's own tables.
 *
 * The checks come in the order in which fields may be believed: the magic before the version, the
 * version before the size, the size before all later fields. */
#include "abi.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "params.h"

/* Up to and including a member. */
#define THROUGH(TYPE, MEMBER) (offsetof(TYPE, MEMBER) + sizeof(((TYPE *)0)->MEMBER))

/* The shortest descriptors that are of use. */
enum {
    PLUGIN_MIN = THROUGH(struct leat_plugin, stages),
    STAGE_MIN = THROUGH(struct leat_stage, process),
    PARAM_MIN = THROUGH(struct leat_param, choices),
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

static size_t word(const char *s)
{
    return *s >= 'a' && *s <= 'z' ? strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_") : 0;
}

/* "group.name": what a script writes after "leat." */
static bool is_stage_name(const char *s)
{
    size_t group = s ? word(s) : 0;
    if (!group || s[group] != '.') return false;
    size_t name = word(s + group + 1);
    return name && !s[group + 1 + name];
}

/* What the Lua module has under these names cannot be a group of stages. */
static bool is_reserved(const char *stage)
{
    static const char *const names[] = {
        "args", "batch", "beginning", "dir",        "filter",   "flag",  "from",  "info",
        "list", "map",   "merge",     "parameters", "pipeline", "route", "stage", "tee"};
    size_t n = word(stage);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == n && !strncmp(names[i], stage, n)) return true;
    return false;
}

/* The name of a function that the host always calls and the stage does not have; NULL: none. */
static const char *missing_function(const struct leat_stage *s)
{
    bool shows = s->ask && s->show;
    if (s->kind == LEAT_SOURCE) return s->produce ? NULL : "produce";
    if (s->kind == LEAT_SINK)
        return s->process || s->dead_letter || shows ? NULL : "process, or ask and show";
    if (s->kind == LEAT_TRANSFORM && s->ask) return s->expand && s->show ? NULL : "expand, or show";
    if (s->kind == LEAT_TRANSFORM) return s->process || s->expand ? NULL : "process, or expand";
    return s->process ? NULL : "process";
}

/* What lanes would split: each lane has an instance of its own, and a question, a snapshot or an
 * output is of one instance. NULL: nothing. */
static const char *split_by_lanes(const struct leat_stage *s)
{
    if (!(s->caps & LEAT_PARALLEL)) return NULL;
    if (s->kind != LEAT_TRANSFORM) return "is a source, learner or sink";
    if (s->caps & LEAT_STATEFUL) return "declares LEAT_STATEFUL";
    if (s->query) return "has the function query";
    if (s->expand) return "has the function expand";
    return s->snapshot ? "has the function snapshot" : NULL;
}

static const char *check_stage(const struct leat_stage *s, struct arena *a)
{
    if (s->kind < LEAT_SOURCE || s->kind > LEAT_SINK)
        return arena_printf(a, "its kind is %u; it must be %d to %d (enum leat_stage_kind)",
                            s->kind, LEAT_SOURCE, LEAT_SINK);
    const char *function = missing_function(s);
    if (function) return arena_printf(a, "it lacks the function %s", function);
    const char *split = split_by_lanes(s);
    if (split)
        return arena_printf(a,
                            "it declares LEAT_PARALLEL but %s: each lane would keep a part; "
                            "remove LEAT_PARALLEL from its caps",
                            split);
    return params_table_fault(s, a);
}

/* Copies the fields that both sides know of entry i of an array with another stride. The rest of
 * `to` is zero. */
static void copy_entry(void *to, size_t size, const void *from, size_t stride, uint32_t i)
{
    memset(to, 0, size);
    memcpy(to, (const char *)from + (size_t)i * stride, stride < size ? stride : size);
}

static const char *adopt_params(struct leat_stage *s, struct arena *a)
{
    if (!s->n_params || !s->params) return NULL; /* params_table_fault() checks params */
    if (s->param_size < PARAM_MIN)
        return arena_printf(a, "its parameters have %u bytes each, at least %d are needed: %s",
                            s->param_size, PARAM_MIN, rebuild);
    struct leat_param *copy = arena_alloc(a, s->n_params * sizeof *copy);
    for (uint32_t i = 0; i < s->n_params; i++)
        copy_entry(&copy[i], sizeof *copy, s->params, s->param_size, i);
    s->params = copy;
    s->param_size = sizeof *copy;
    return NULL;
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
                                "stage %s: leat.%.*s is a function or value of the leat module: "
                                "choose another group",
                                s->name, (int)word(s->name), s->name);
        const char *wrong = adopt_params(s, a);
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
