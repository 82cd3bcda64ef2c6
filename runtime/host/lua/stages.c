/* stages.c -- declarations and checks of the stages that call a Lua function.
 *
 * The columns of a function are known before any input is read, so `leat check` finds a wrong name.
 * Only lua.batch requests columns at run time, from its view, and so its names are checked then.
 *
 * Not here: running the stages (run.c). */
#include "stages.h"

#include <stdio.h>
#include <string.h>

#include "column.h"
#include "persist.h"
#include "run.h"
#include "core/version.h"
#include "host/lua/docs.h"

enum { NAME_MAX_BYTES = 256 };

static const char *stages_targets_param(const struct lua_cfg *cfg)
{
    return cfg->into.n ? "into" : "columns";
}

static void stages_validate_names(const struct leat_strings *names, const char *param,
                                  struct leat_diag *diag)
{
    struct column c;
    for (uint32_t i = 0; i < names->n; i++) {
        column_parse(&c, names->v[i]);
        if (!c.n_name || c.n_name >= NAME_MAX_BYTES)
            diag->error(diag, param, "'%s': a column's name has 1 to %d bytes", names->v[i],
                        NAME_MAX_BYTES - 1);
    }
}

/* Validates the parameters of all stages except lua.batch, which has no parameter for columns. */
static int stages_rows_validate(const void *p, struct leat_diag *diag)
{
    const struct lua_cfg *cfg = p;
    stages_validate_names(&cfg->columns, "columns", diag);
    lua_persist_validate(cfg->fn, &cfg->state, diag);
    return LEAT_OK;
}

static int stages_map_validate(const void *p, struct leat_diag *diag)
{
    const struct lua_cfg *cfg = p;
    struct column c;
    stages_rows_validate(cfg, diag);
    stages_validate_names(&cfg->into, "into", diag);
    if (!lua_targets(cfg)->n)
        diag->error(diag, "into",
                    "the results have no column: name columns, or new ones in 'into'");
    for (uint32_t i = 0; i < lua_targets(cfg)->n; i++) {
        column_parse(&c, lua_targets(cfg)->v[i]);
        if (c.from == FROM_RAW)
            diag->error(diag, stages_targets_param(cfg),
                        "@raw is read-only: name the columns for the results in 'into'");
    }
    return LEAT_OK;
}

/* Negotiates one column that the function reads. Returns a status like
 * leat_negotiation.column(). */
static int stages_negotiate_column(struct leat_negotiation *neg, const char *spec)
{
    char name[NAME_MAX_BYTES];
    struct column c;
    uint32_t index;
    column_parse(&c, spec);
    if (c.n_name >= sizeof name || c.from == FROM_RAW)
        return LEAT_OK; /* validate() has reported the fault */
    if (c.from == FROM_LABEL && neg->in->has & LEAT_HAS_LABEL) return LEAT_OK;
    if (c.from == FROM_LABEL) {
        neg->diag->error(neg->diag, "columns", "@label: no earlier stage makes labels");
        return LEAT_EARG;
    }
    memcpy(name, c.name, c.n_name);
    name[c.n_name] = '\0';
    if (neg->in->has & LEAT_HAS_COLUMNS)
        return neg->column(neg, "columns", name, LEAT_TAKES_ANY, &index);
    neg->diag->error(
        neg->diag, "columns",
        "column '%s' does not exist, because no columns arrive here: put a parser such as "
        "parse.csv before this stage",
        name);
    return LEAT_EARG;
}

/* Returns the more serious of two statuses: an error, otherwise LEAT_LATER, otherwise LEAT_OK. */
static int stages_worse(int a, int b) { return a < 0 ? a : b < 0 ? b : a > b ? a : b; }

static int stages_rows_negotiate(const void *p, struct leat_negotiation *neg)
{
    const struct lua_cfg *cfg = p;
    int status = LEAT_OK;
    for (uint32_t i = 0; i < cfg->columns.n; i++)
        status = stages_worse(status, stages_negotiate_column(neg, cfg->columns.v[i]));
    return status;
}

/* Announces that the stage sets labels. Fails if an earlier stage has made examples, because each
 * example holds a copy of its record's label. */
static int stages_negotiate_label(struct leat_negotiation *neg, const char *param)
{
    neg->out->has |= LEAT_HAS_LABEL;
    if (!(neg->in->has & LEAT_HAS_EXAMPLES)) return LEAT_OK;
    neg->diag->error(neg->diag, param,
                     "labels must be set before examples are made: move this stage up");
    return LEAT_EARG;
}

/* Forgets the decimal and thousands separators of a text column that the function writes: Lua
 * writes plain numbers. */
static void stages_forget_form(struct leat_negotiation *neg, const struct column *c)
{
    for (uint32_t i = 0; i < neg->in->n_columns; i++) {
        const struct leat_column *in = &neg->in->column[i];
        bool named = !strncmp(in->name, c->name, c->n_name) && !in->name[c->n_name];
        if (named && in->decimal) neg->number_form(neg, i, '\0', '\0');
    }
}

static int stages_negotiate_target(const struct lua_cfg *cfg, struct leat_negotiation *neg,
                                   const char *spec)
{
    struct column c;
    column_parse(&c, spec);
    if (c.from == FROM_LABEL) return stages_negotiate_label(neg, stages_targets_param(cfg));
    if (!cfg->into.n) stages_forget_form(neg, &c);
    if (!cfg->into.n || c.from == FROM_RAW || c.n_name >= NAME_MAX_BYTES) return LEAT_OK;
    neg->out->has |= LEAT_HAS_COLUMNS;
    return neg->add_column(neg, c.name, c.n_name, c.as == AS_NUMBER ? LEAT_NUMBER : LEAT_TEXT,
                           NULL);
}

static void stages_add_text(const struct lua_cfg *cfg, struct leat_negotiation *neg)
{
    uint32_t bytes = (uint32_t)cfg->text_bytes;
    neg->add_bounds(neg, &(struct leat_bounds){.added_bytes_per_record = bytes});
}

static int stages_map_negotiate(const void *p, struct leat_negotiation *neg)
{
    const struct lua_cfg *cfg = p;
    int status = stages_rows_negotiate(cfg, neg);
    for (uint32_t i = 0; i < lua_targets(cfg)->n; i++)
        status = stages_worse(status, stages_negotiate_target(cfg, neg, lua_targets(cfg)->v[i]));
    stages_add_text(cfg, neg);
    return status;
}

static int stages_flat_validate(const void *p, struct leat_diag *diag)
{
    const struct lua_cfg *cfg = p;
    if (!cfg->into.n)
        diag->error(diag, "into",
                    "the new records have no columns: name the values that the function gives to "
                    "`emit`, such as { \"word\", \"place:number\" }");
    return cfg->into.n ? stages_map_validate(p, diag) : stages_rows_validate(p, diag);
}

/* Negotiates lua.flat. The new records have only the columns of `into`. */
static int stages_flat_negotiate(const void *p, struct leat_negotiation *neg)
{
    const struct lua_cfg *cfg = p;
    int status = LEAT_OK;
    for (uint32_t i = 0; i < cfg->columns.n; i++)
        if (!lua_is_end(cfg->columns.v[i]))
            status = stages_worse(status, stages_negotiate_column(neg, cfg->columns.v[i]));
    for (uint32_t i = 0; i < cfg->into.n; i++)
        status = stages_worse(status, stages_negotiate_target(cfg, neg, cfg->into.v[i]));
    stages_add_text(cfg, neg);
    return status;
}

/* ---- checks of lua.label, lua.features and lua.batch ---- */

static int stages_label_validate(const void *p, struct leat_diag *diag)
{
    const struct lua_cfg *cfg = p;
    const struct leat_strings *c = &cfg->classes;
    if (c->n == 1) diag->error(diag, "classes", "has only one class: name at least two, or none");
    for (uint32_t i = 0; i < c->n; i++)
        for (uint32_t j = 0; j < i; j++)
            if (!strcmp(c->v[i], c->v[j]))
                diag->error(diag, "classes", "has '%s' twice: leave one out", c->v[i]);
    return stages_rows_validate(p, diag);
}

static int stages_label_negotiate(const void *p, struct leat_negotiation *neg)
{
    const struct lua_cfg *cfg = p;
    int status = stages_worse(stages_rows_negotiate(p, neg), stages_negotiate_label(neg, "fn"));
    neg->out->n_classes = cfg->classes.n;
    neg->out->classes = cfg->classes.v;
    return status;
}

static int stages_features_negotiate(const void *p, struct leat_negotiation *neg)
{
    const struct lua_cfg *cfg = p;
    if (neg->in->has & LEAT_HAS_EXAMPLES)
        neg->diag->error(neg->diag, NULL,
                         "an earlier stage makes examples: leave out that stage or this one");
    uint32_t entries = (uint32_t)cfg->max_entries;
    neg->add_bounds(neg, &(struct leat_bounds){.examples_per_record = 1,
                                               .entries_per_record = entries,
                                               .parts_per_record = entries});
    stages_add_text(cfg, neg);
    return stages_rows_negotiate(p, neg);
}

/* Negotiates lua.batch. Requests every input column, because the function may use any of them. */
static int stages_batch_negotiate(const void *p, struct leat_negotiation *neg)
{
    const struct lua_cfg *cfg = p;
    uint32_t index;
    for (uint32_t i = 0; i < neg->in->n_columns; i++)
        neg->column(neg, NULL, neg->in->column[i].name, LEAT_TAKES_ANY, &index);
    stages_add_text(cfg, neg);
    return cfg->labels ? stages_negotiate_label(neg, "labels") : LEAT_OK;
}

static int stages_lua_plan(const void *p, const struct leat_schema *in,
                           const struct leat_schema *out, struct leat_plan *plan)
{
    const struct lua_cfg *cfg = p;
    /* with variables to save, a snapshot may take as much memory again as the Lua state */
    plan->work_bytes = (uint64_t)cfg->memory * (cfg->state.n ? 2 : 1);
    snprintf(plan->note, sizeof plan->note,
             "Lua state of at most %lld KiB, %lld instructions a call",
             (long long)(cfg->memory / 1024), (long long)cfg->instructions);
    return LEAT_OK;
}

static int stages_features_plan(const void *p, const struct leat_schema *in,
                                const struct leat_schema *out, struct leat_plan *plan)
{
    stages_lua_plan(p, in, out, plan);
    plan->work_bytes += lua_features_bytes(p);
    return LEAT_OK;
}

/* ---- declarations of the parameters and stages ---- */

#define FN                                                                                         \
    LEAT_PARAM(struct lua_cfg, fn, LEAT_FUNCTION, .flags = LEAT_REQUIRED, .doc = "the function")
#define COLUMNS(DOC)                                                                               \
    LEAT_PARAM(struct lua_cfg, columns, LEAT_STRINGS, .flags = LEAT_POSITIONAL, .doc = DOC)
#define INSTRUCTIONS(DEF)                                                                          \
    LEAT_PARAM(struct lua_cfg, instructions, LEAT_INT, .flags = LEAT_ADVANCED, .def = DEF,         \
               .min = 1000, .max = 2e9, .unit = "instructions",                                    \
               .doc = "Lua instructions that one call may take")
#define MEMORY                                                                                     \
    LEAT_PARAM(struct lua_cfg, memory, LEAT_SIZE, .flags = LEAT_ADVANCED, .def = "16MiB",          \
               .min = 262144, .max = 1e12, .unit = "bytes",                                        \
               .doc = "memory of the function: its variables and its garbage")
#define TEXT_BYTES TEXT_BYTES_OF("128")
#define TEXT_BYTES_OF(DEF)                                                                         \
    LEAT_PARAM(struct lua_cfg, text_bytes, LEAT_SIZE, .flags = LEAT_ADVANCED, .def = DEF,          \
               .max = 16777216, .unit = "bytes",                                                   \
               .doc = "space for new text: bytes a record, on average over a batch")
#define STATE                                                                                      \
    LEAT_PARAM(struct lua_cfg, state, LEAT_STRINGS,                                                \
               .doc = "variables of the function that snapshots hold: { \"seen\" }")

static const struct leat_param stages_filter_params[] = {
    FN, COLUMNS("the columns that the function gets, in this order"), STATE,
    INSTRUCTIONS("1000000"), MEMORY};

static const struct leat_param stages_map_params[] = {
    FN,
    COLUMNS("the columns that the function gets, in this order; they also take its results, "
            "unless 'into' is given"),
    LEAT_PARAM(
        struct lua_cfg, into, LEAT_STRINGS,
        .doc = "new columns for the results: \"name\" for text, \"name:number\", or \"@label\""),
    STATE,
    INSTRUCTIONS("1000000"),
    MEMORY,
    TEXT_BYTES,
    LEAT_PARAM(struct lua_cfg, expression, LEAT_STRING, .flags = LEAT_ADVANCED,
               .doc = "the expression that the function was made of: a run that continues "
                      "compares it, as it cannot compare functions"),
};

static const struct leat_param stages_flat_params[] = {
    FN,
    COLUMNS("the columns that the function gets after `emit`, in this order; \"@end\" is true "
            "in one more call, at the end of the stream"),
    LEAT_PARAM(struct lua_cfg, into, LEAT_STRINGS, .flags = LEAT_REQUIRED,
               .doc = "the columns of the new records, in the order of `emit`: \"name\" for "
                      "text, \"name:number\", or \"@label\""),
    STATE,
    INSTRUCTIONS("1000000"),
    MEMORY,
    TEXT_BYTES};

static const struct leat_param stages_label_params[] = {
    FN,
    COLUMNS("the columns that the function gets, in this order"),
    LEAT_PARAM(struct lua_cfg, classes, LEAT_STRINGS,
               .doc = "names of classes that the function returns: the first is 0, the next 1, …"),
    LEAT_PARAM(struct lua_cfg, missing, LEAT_CHOICE, .def = "none", .choices = lua_missing_names,
               .doc = "what to do with a record for which the function returns nil: give it no "
                      "label, filter it, or reject it as bad"),
    STATE,
    INSTRUCTIONS("1000000"),
    MEMORY};

static const struct leat_param stages_features_params[] = {
    FN,
    COLUMNS("the columns that the function gets, in this order"),
    LEAT_PARAM(struct lua_cfg, max_entries, LEAT_INT, .def = "64", .min = 1, .max = 65536,
               .unit = "features",
               .doc = "most features of a record; a record with more is rejected"),
    STATE,
    INSTRUCTIONS("1000000"),
    MEMORY,
    TEXT_BYTES_OF("512")};

static const struct leat_param stages_batch_params[] = {
    FN,
    LEAT_PARAM(struct lua_cfg, labels, LEAT_BOOL, .def = "false",
               .doc = "the function sets labels"),
    STATE,
    INSTRUCTIONS("10000000"),
    MEMORY,
    TEXT_BYTES};

static const struct leat_figure stages_figures[] = {
    {"lua_peak_bytes", "bytes", "the most memory that the function has taken", LEAT_GAUGE},
    {"lua_full_collections", "1", "number of full searches of its memory for garbage",
     LEAT_COUNTER},
};

/* Members that the declarations of all Lua stages share. */
#define LUA_STAGE(PARAMS) LUA_STAGE_ENDING(PARAMS, stages_figures, lua_run_finish)
#define LUA_STAGE_ENDING(PARAMS, FIGURES, FINISH)                                                  \
    .kind = LEAT_TRANSFORM, .needs = LEAT_HAS_RECORDS, LEAT_PARAMS(PARAMS, struct lua_cfg),        \
    LEAT_FIGURES(FIGURES), .instance_size = sizeof(struct lua_run), .close = lua_run_close,        \
    .stop = lua_run_stop, .finish = FINISH,                                                        \
    .state = LEAT_ROLE(leat_state, .version = 3, .snapshot = lua_persist_snapshot,                 \
                       .restore = lua_persist_restore)

static const struct leat_stage stages_stage[] = {
    {.name = "lua.filter",
     .summary = "keep the records for which a Lua function returns true",
     .doc = filter_doc,
     .example = "leat.filter(function(delay, carrier) return delay and delay > 15 and carrier ~= "
                "'WN' end,\n            { 'dep_delay:number', 'carrier' })",
     LUA_STAGE(stages_filter_params),
     .plan = stages_lua_plan,
     .validate = stages_rows_validate,
     .negotiate = stages_rows_negotiate,
     .open = lua_run_filter_open,
     .process = lua_run_rows_process},
    {.name = "lua.map",
     .summary = "rewrite columns, or make new ones, with a Lua function",
     .doc = map_doc,
     .example = "leat.map(function(dep) return dep // 100 end, { 'dep_time:number' }, "
                "{ 'hour:number' })",
     .caps = LEAT_REWRITES,
     LUA_STAGE(stages_map_params),
     .plan = stages_lua_plan,
     .validate = stages_map_validate,
     .negotiate = stages_map_negotiate,
     .open = lua_run_map_open,
     .process = lua_run_rows_process},
    {
        .name = "lua.flat",
        .summary = "make any number of records of each, with a Lua function",
        .doc = flat_doc,
        .example =
            "leat.flat(function(emit, user, items) for item in items:gmatch('%w+') do emit(user, "
            "item) end end,\n          { 'user', 'items' }, { 'user', 'item' })",
        LUA_STAGE_ENDING(stages_flat_params, stages_figures, lua_run_flat_finish),
        .plan = stages_lua_plan,
        .validate = stages_flat_validate,
        .negotiate = stages_flat_negotiate,
        .open = lua_run_flat_open,
        .expand = lua_run_flat_expand,
    },
    {.name = "lua.label",
     .summary = "label records with a Lua function",
     .doc = label_doc,
     .example = "leat.label(function(status, ms) return status >= 500 or ms > 1000 end, "
                "{ 'status:number', 'ms:number' })",
     .caps = LEAT_REWRITES,
     .makes = LEAT_HAS_LABEL,
     LUA_STAGE(stages_label_params),
     .plan = stages_lua_plan,
     .validate = stages_label_validate,
     .negotiate = stages_label_negotiate,
     .open = lua_run_label_open,
     .process = lua_run_rows_process},
    {.name = "lua.features",
     .summary = "make the features of records with a Lua function",
     .doc = features_doc,
     .example =
         "leat.features(function(city, amount) return 'city=' .. city, 'amount', amount end, "
         "{ 'city', 'amount:number' })",
     .makes = LEAT_HAS_EXAMPLES | LEAT_HAS_NAMES,
     LUA_STAGE(stages_features_params),
     .plan = stages_features_plan,
     .validate = stages_rows_validate,
     .negotiate = stages_features_negotiate,
     .open = lua_run_features_open,
     .process = lua_run_rows_process},
    {.name = "lua.batch",
     .summary = "a Lua function that gets whole batches",
     .doc = batch_doc,
     .example = "leat.batch(function(b) b:where('dep_delay:number', '>', 15) end)",
     .caps = LEAT_REWRITES,
     LUA_STAGE(stages_batch_params),
     .plan = stages_lua_plan,
     .validate = stages_rows_validate,
     .negotiate = stages_batch_negotiate,
     .open = lua_run_batch_open,
     .process = lua_run_batch_process},
};
static const struct leat_stage *const stages[] = {&stages_stage[0], &stages_stage[1],
                                                  &stages_stage[2], &stages_stage[3],
                                                  &stages_stage[4], &stages_stage[5]};

const struct leat_plugin lua_plugin = {
    .magic = LEAT_MAGIC,
    .abi_major = LEAT_ABI_MAJOR,
    .abi_minor = LEAT_ABI_MINOR,
    .size = sizeof(struct leat_plugin),
    .name = "lua",
    .version = LEAT_VERSION,
    .license = "Apache-2.0",
    .summary = "Lua functions as stages; built in",
    .n_stages = sizeof stages / sizeof *stages,
    .stage_size = sizeof(struct leat_stage),
    .stages = stages,
};
