/* lua_rig.c -- implementation of lua_rig.h. */
#include "lua_rig.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <lauxlib.h>
#include <lualib.h>

#include "host/graph/bounds.h"
#include "host/lua/function.h"

/* Replaces Check's assertions, because the benchmarks link this folder without Check. */
static void must(int ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "lua_rig: %s\n", what);
    abort();
}

/* ---- a host ---- */

static void *host_alloc(struct leat_ctx *ctx, size_t n)
{
    ((struct rig *)ctx)->allocated++;
    return calloc(1, n);
}

static void host_free(struct leat_ctx *ctx, void *p)
{
    ((struct rig *)ctx)->allocated -= p != NULL;
    free(p);
}

static void add_problem(struct rig *g, const char *format, va_list args)
{
    size_t n = strlen(g->problems);
    vsnprintf(g->problems + n, sizeof g->problems - n, format, args);
    strncat(g->problems, "\n", sizeof g->problems - strlen(g->problems) - 1);
}

static int host_fail(struct leat_ctx *ctx, int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_problem((struct rig *)ctx, format, args);
    va_end(args);
    return status;
}

static void host_reject(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, int reason,
                        const char *format, ...)
{
    struct rig *g = (struct rig *)ctx;
    if (b->status[r] == LEAT_ROW_REJECTED) return;
    b->status[r] = LEAT_ROW_REJECTED;
    b->reason[r] = (uint16_t)reason;
    va_list args;
    va_start(args, format);
    vsnprintf(g->why[r], TEXT, format, args);
    va_end(args);
}

static void host_metric(struct leat_ctx *ctx, const char *name, double value)
{
    bool peak = !strcmp(name, "lua_peak_bytes");
    must(peak || !strcmp(name, "lua_full_collections"), name);
    must(!peak || value > 0, "a peak of no bytes");
}

static uint64_t host_seed(struct leat_ctx *ctx) { return 42; }

static const struct leat_host host = {.size = sizeof host,
                                      .alloc = host_alloc,
                                      .free = host_free,
                                      .fail = host_fail,
                                      .reject = host_reject,
                                      .metric = host_metric,
                                      .seed = host_seed};

/* ---- negotiation ---- */

struct deal {
    struct leat_negotiation base;
    struct leat_diag diag;
    struct rig *g;
};

static void on_error(struct leat_diag *diag, const char *param, const char *format, ...)
{
    struct deal *k = (struct deal *)((char *)diag - offsetof(struct deal, diag));
    va_list args;
    va_start(args, format);
    snprintf(k->g->problems + strlen(k->g->problems), 40, "%s: ", param ? param : "-");
    add_problem(k->g, format, args);
    va_end(args);
}

static int find_column(struct leat_negotiation *neg, const char *param, const char *name,
                       uint32_t types, uint32_t *index)
{
    for (uint32_t i = 0; i < neg->in->n_columns; i++)
        if (!strcmp(neg->in->column[i].name, name)) {
            *index = i;
            return LEAT_OK;
        }
    if (neg->in->open) return LEAT_LATER;
    on_error(neg->diag, param, "no column '%s'", name);
    return LEAT_EARG;
}

static int add_column(struct leat_negotiation *neg, const char *name, size_t len, uint32_t type,
                      uint32_t *index)
{
    struct rig *g = ((struct deal *)neg)->g;
    if (index) *index = g->out.n_columns;
    for (uint32_t i = 0; i < g->out.n_columns; i++)
        if (strlen(g->out_column[i].name) == len && !memcmp(g->out_column[i].name, name, len)) {
            on_error(neg->diag, NULL, "two columns '%.*s'", (int)len, name);
            return LEAT_EARG;
        }
    uint32_t i = g->out.n_columns++;
    g->out_column[i] =
        (struct leat_column){.name = arena_strndup(&g->arena, name, len), .type = type};
    if (type == LEAT_NUMBER)
        g->cells[i].number = g->number[i];
    else
        g->cells[i].text = g->text[i];
    return LEAT_OK;
}

/* ---- the rig ---- */

struct leat_str rig_put(struct rig *g, const char *s)
{
    uint32_t n = s ? (uint32_t)strlen(s) : LEAT_NULL;
    if (!s) return (struct leat_str){0, LEAT_NULL};
    memcpy(g->bytes + g->b.n_bytes, s, n);
    g->b.n_bytes += n;
    return (struct leat_str){g->b.n_bytes - n, n};
}

void rig_fill(struct rig *g)
{
    static const char *const carrier[] = {"WN", "AA", NULL, "DL", "AA"};
    static const char *const amount[] = {"10", "x", NULL, "", "1e2"};
    static const double delay[] = {5, 20, NAN, -3, 16};
    static const float label[] = {1, -1, NAN, 1, -1};
    char raw[] = "r0";
    g->b = (struct leat_batch){.size = sizeof g->b,
                               .bytes = g->bytes,
                               .cap_bytes = sizeof g->bytes,
                               .n = ROWS,
                               .cap = ROWS,
                               .n_sel = ROWS,
                               .sel = g->sel,
                               .status = g->status,
                               .reason = g->reason,
                               .raw = g->raw,
                               .label = g->label,
                               .weight = g->weight,
                               .column = g->cells,
                               .n_columns = COLUMNS_MAX};
    memset(g->why, 0, sizeof g->why);
    for (uint32_t r = 0; r < ROWS; r++, raw[1]++) {
        g->sel[r] = r;
        g->status[r] = LEAT_ROW_OK;
        g->reason[r] = LEAT_R_NONE;
        g->raw[r] = rig_put(g, raw);
        g->text[0][r] = rig_put(g, carrier[r]);
        g->number[1][r] = delay[r];
        g->text[2][r] = rig_put(g, amount[r]);
        g->label[r] = label[r];
    }
    g->cells[0].text = g->text[0];
    g->cells[1].number = g->number[1];
    g->cells[2].text = g->text[2];
}

static void set_schema(struct rig *g)
{
    g->in_column[0] = (struct leat_column){.name = "carrier", .type = LEAT_TEXT};
    g->in_column[1] = (struct leat_column){.name = "delay", .type = LEAT_NUMBER};
    g->in_column[2] = (struct leat_column){.name = "amount", .type = LEAT_TEXT};
    g->in = (struct leat_schema){.size = sizeof g->in,
                                 .has = LEAT_HAS_RECORDS | LEAT_HAS_COLUMNS | LEAT_HAS_LABEL,
                                 .n_columns = 3,
                                 .column = g->in_column};
}

/* Converts "a,b" to the host's form. */
struct leat_strings rig_strings(struct rig *g, const char *list)
{
    const char **v = arena_alloc(&g->arena, COLUMNS_MAX * sizeof *v);
    struct leat_strings s = {.v = v};
    char *copy = arena_strdup(&g->arena, list), *save = NULL;
    for (char *p = strtok_r(copy, ",", &save); p; p = strtok_r(NULL, ",", &save))
        v[s.n++] = p;
    return s;
}

const struct leat_function *rig_function(struct arena *a, const char *source)
{
    char error[256];
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    int bad = luaL_loadbuffer(L, source, strlen(source), "@script.lua") || lua_pcall(L, 0, 1, 0);
    must(!bad, bad ? lua_tostring(L, -1) : "");
    const struct leat_function *f = function_capture(L, -1, a, error, sizeof error);
    must(f != NULL, error);
    lua_close(L);
    return f;
}

void rig_prepare(struct rig *g, const char *stage, const char *source, const char *columns)
{
    memset(g, 0, sizeof *g);
    for (uint32_t i = 0; i < lua_plugin.n_stages; i++)
        if (!strcmp(lua_plugin.stages[i]->name, stage)) g->stage = lua_plugin.stages[i];
    must(g->stage != NULL, stage);
    set_schema(g);
    g->cfg = (struct lua_cfg){.fn = rig_function(&g->arena, source),
                              .columns = rig_strings(g, columns),
                              .into = rig_strings(g, ""),
                              .instructions = 10000,
                              .memory = 1 << 20,
                              .text_bytes = 64};
}

static void add_bounds(struct leat_negotiation *neg, const struct leat_bounds *made)
{
    bounds_add(neg->out, neg->in, made);
}

/* Calls validate and negotiate. g->problems gets their messages. */
int rig_check(struct rig *g)
{
    struct deal k = {.g = g};
    k.diag = (struct leat_diag){sizeof k.diag, 0, on_error, on_error};
    k.base = (struct leat_negotiation){.size = sizeof k.base,
                                       .in = &g->in,
                                       .out = &g->out,
                                       .diag = &k.diag,
                                       .column = find_column,
                                       .add_column = add_column,
                                       .add_bounds = add_bounds};
    g->out = g->in;
    memcpy(g->out_column, g->in_column, sizeof g->in_column);
    g->out.column = g->out_column;
    if (g->stage->validate) g->stage->validate(&g->cfg, &k.diag);
    return g->stage->negotiate(&g->cfg, &k.base);
}

int rig_open(struct rig *g)
{
    g->ctx = (struct leat_ctx){.size = sizeof g->ctx,
                               .host = &host,
                               .id = "lua",
                               .cfg = &g->cfg,
                               .in = &g->in,
                               .out = &g->out};
    g->self = aligned_alloc(64, (g->stage->instance_size + 63) & ~(size_t)63);
    memset(g->self, 0, g->stage->instance_size);
    rig_fill(g);
    int s = g->stage->open(&g->ctx, g->self);
    g->open = s == LEAT_OK;
    return s;
}

void rig_go(struct rig *g)
{
    rig_fill(g);
    must(g->stage->process(&g->ctx, g->self, &g->b) == LEAT_OK, "process failed");
}

/* Does all steps up to the first batch. */
void rig_run(struct rig *g)
{
    must(rig_check(g) == LEAT_OK, "check failed");
    must(!g->problems[0], g->problems);
    must(rig_open(g) == LEAT_OK, "open failed");
    rig_go(g);
}

void rig_fini(struct rig *g)
{
    if (g->open) {
        must(g->stage->stop(&g->ctx, g->self) == LEAT_OK, "stop failed");
        g->stage->close(&g->ctx, g->self);
    }
    must(g->allocated == 0, "memory was not given back");
    free(g->self);
    arena_free(&g->arena);
}

/* Returns the accepted records, "0 3 4", with rejected ones as "!1". */
const char *rig_kept(const struct rig *g)
{
    static char out[64];
    out[0] = '\0';
    for (uint32_t r = 0; r < ROWS; r++)
        if (g->status[r] != LEAT_ROW_FILTERED)
            snprintf(out + strlen(out), 8, "%s%s%u", *out ? " " : "",
                     g->status[r] == LEAT_ROW_REJECTED ? "!" : "", r);
    return out;
}

const char *rig_cell(const struct rig *g, uint32_t column, uint32_t r)
{
    static char out[256];
    struct leat_str s = g->text[column][r];
    if (s.len == LEAT_NULL) return "none";
    snprintf(out, sizeof out, "%.*s", (int)s.len, g->bytes + s.off);
    return out;
}
