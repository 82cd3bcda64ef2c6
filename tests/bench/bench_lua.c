/* bench_lua.c -- time of a Lua stage: ns a record, on batches of 1024 records.
 *
 * The columns: two of numbers, a text of 16 airlines, a text of numbers, a text with different
 * values. Each figure is the median of 15 passes over 400 batches. It does not include the time to
 * restore the selection between batches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <lauxlib.h>
#include <lualib.h>

#include "host/lua/function.h"
#include "host/lua/run.h"
#include "host/lua/stages.h"
#include "figures.h"

enum { ROWS = 1024, BATCHES = 400, PASSES = 15, COLUMNS = 6, BYTES = 1 << 20 };

static char bytes[BYTES];
static struct leat_str text[COLUMNS][ROWS], raw[ROWS];
static double number[COLUMNS][ROWS];
static float label[ROWS];
static uint8_t status[ROWS];
static uint16_t reason[ROWS];
static uint32_t sel[ROWS], filled;
static uint32_t ex_sel[ROWS], ex_start[ROWS + 1], ex_record[ROWS];
static float ex_label[ROWS], ex_weight[ROWS], weight[ROWS], value[4 * ROWS];
static uint64_t id[4 * ROWS];
static struct leat_name names[4 * ROWS];
static struct leat_part part[4 * ROWS];
static union leat_cells cells[COLUMNS];
static const struct leat_column columns[COLUMNS] = {
    {"delay", LEAT_NUMBER, 0}, {"distance", LEAT_NUMBER, 0}, {"carrier", LEAT_TEXT, 0},
    {"amount", LEAT_TEXT, 0},  {"flight", LEAT_TEXT, 0},     {"out", LEAT_TEXT, 0}};
static const struct leat_schema schema = {.size = sizeof schema,
                                          .has = LEAT_HAS_RECORDS | LEAT_HAS_COLUMNS,
                                          .n_columns = COLUMNS,
                                          .column = columns};

static void *host_alloc(struct leat_ctx *ctx, size_t n) { return calloc(1, n); }

static void host_free(struct leat_ctx *ctx, void *p) { free(p); }

static int host_fail(struct leat_ctx *ctx, int s, const char *format, ...)
{
    fprintf(stderr, "%s\n", format);
    return s;
}

static void host_reject(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, int why,
                        const char *format, ...)
{
    b->status[r] = LEAT_ROW_REJECTED;
    b->reason[r] = (uint16_t)why;
}

static uint64_t host_seed(struct leat_ctx *ctx) { return 1; }

static const struct leat_host host = {.size = sizeof host,
                                      .alloc = host_alloc,
                                      .free = host_free,
                                      .fail = host_fail,
                                      .reject = host_reject,
                                      .seed = host_seed};

static struct leat_str put(const char *s)
{
    uint32_t n = (uint32_t)strlen(s);
    memcpy(bytes + filled, s, n);
    filled += n;
    return (struct leat_str){filled - n, n};
}

static void fill(void)
{
    char s[40];
    for (uint32_t r = 0; r < ROWS; r++) {
        number[0][r] = (r * 7919 % 200) - 50.0;
        number[1][r] = r * 31 % 2500;
        snprintf(s, sizeof s, "%c%c", 'A' + r * 13 % 16, 'A');
        text[2][r] = put(s);
        snprintf(s, sizeof s, "%u.%02u", r * 97 % 3000, r % 100);
        text[3][r] = put(s);
        snprintf(s, sizeof s, "flight number %u", r);
        text[4][r] = put(s);
        text[5][r] = put("x");
    }
    for (int i = 0; i < COLUMNS; i++) {
        if (columns[i].type == LEAT_NUMBER)
            cells[i].number = number[i];
        else
            cells[i].text = text[i];
    }
}

static void fresh(struct leat_batch *b)
{
    *b = (struct leat_batch){.size = sizeof *b,
                             .bytes = bytes,
                             .n_bytes = filled,
                             .cap_bytes = BYTES,
                             .n = ROWS,
                             .cap = ROWS,
                             .n_sel = ROWS,
                             .sel = sel,
                             .status = status,
                             .reason = reason,
                             .raw = raw,
                             .label = label,
                             .weight = weight,
                             .cap_examples = ROWS,
                             .cap_entries = 4 * ROWS,
                             .cap_parts = 4 * ROWS,
                             .ex_sel = ex_sel,
                             .ex_start = ex_start,
                             .ex_record = ex_record,
                             .ex_label = ex_label,
                             .ex_weight = ex_weight,
                             .id = id,
                             .value = value,
                             .name = names,
                             .part = part,
                             .column = cells,
                             .n_columns = COLUMNS};
    memset(status, 0, sizeof status);
}

static const struct leat_function *function(struct arena *a, const char *source)
{
    char error[256];
    const struct leat_function *f = NULL;
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    if (luaL_loadstring(L, source) == LUA_OK && lua_pcall(L, 0, 1, 0) == LUA_OK)
        f = function_capture(L, -1, a, error, sizeof error);
    if (!f) {
        fprintf(stderr, "%s\n", lua_tostring(L, -1));
        exit(1);
    }
    lua_close(L);
    return f;
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double pass(const struct leat_stage *stage, struct leat_ctx *ctx, void *self)
{
    struct leat_batch b;
    double start = now_ns();
    for (int i = 0; i < BATCHES; i++) {
        fresh(&b);
        if (stage) stage->process(ctx, self, &b);
        __asm__ volatile("" ::: "memory");
    }
    return (now_ns() - start) / (BATCHES * ROWS);
}

static double median(const struct leat_stage *stage, struct leat_ctx *ctx, void *self)
{
    double all[PASSES];
    pass(stage, ctx, self);
    for (int i = 0; i < PASSES; i++)
        all[i] = pass(stage, ctx, self);
    return figures_median(all, PASSES);
}

static void measure(const char *what, const char *name, const char *source, const char *const *in,
                    uint32_t n)
{
    static double idle;
    const struct leat_stage *stage = NULL;
    struct arena arena = {0};
    struct lua_cfg cfg = {.fn = function(&arena, source),
                          .columns = {in, n, 0},
                          .instructions = 10000000,
                          .memory = 64 << 20,
                          .max_entries = 32,
                          .labels = 1};
    struct leat_ctx ctx = {
        .size = sizeof ctx, .host = &host, .id = "x", .cfg = &cfg, .in = &schema, .out = &schema};
    if (!idle) idle = median(NULL, NULL, NULL);
    for (uint32_t i = 0; i < lua_plugin.n_stages; i++)
        if (!strcmp(lua_plugin.stages[i]->name, name)) stage = lua_plugin.stages[i];
    void *self = aligned_alloc(64, (stage->instance_size + 63) & ~(size_t)63);
    memset(self, 0, stage->instance_size);
    if (stage->open(&ctx, self) != LEAT_OK) exit(1);
    printf("%-44s %7.1f ns/record\n", what, median(stage, &ctx, self) - idle);
    for (int r = 0; r < ROWS; r++)
        if (status[r] == LEAT_ROW_REJECTED) {
            printf("  records were rejected\n");
            break;
        }
    stage->close(&ctx, self);
    free(self);
    arena_free(&arena);
}

#define COLS(...)                                                                                  \
    (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)

int main(void)
{
    for (uint32_t r = 0; r < ROWS; r++)
        sel[r] = r;
    fill();
    measure("filter, 2 numbers", "lua.filter",
            "return function(d, x) return d > 10 and x < 2000 end", COLS("delay", "distance"));
    measure("filter, 1 text of 16 and 1 number", "lua.filter",
            "return function(c, d) return c == 'BA' or d > 10 end", COLS("carrier", "delay"));
    measure("filter, 1 text, all different", "lua.filter", "return function(f) return f ~= 'x' end",
            COLS("flight"));
    measure("filter, 1 text read as a number", "lua.filter",
            "return function(a) return a > 1000 end", COLS("amount:number"));
    measure("map, 1 number rewritten", "lua.map", "return function(d) return d + 1 end",
            COLS("delay"));
    measure("map, 1 text rewritten", "lua.map",
            "return function(o) return o == 'x' and 'y' or 'x' end", COLS("out"));
    measure("label, 1 number", "lua.label", "return function(d) return d > 10 end", COLS("delay"));
    measure("features, 2 names and a number", "lua.features",
            "return function(c, o, d) return 'c=' .. c, 'o=' .. o, 'delay', d end",
            COLS("carrier", "out", "delay"));
    measure("features, the same as a table", "lua.features",
            "return function(c, o, d) return { ['c=' .. c] = 1, ['o=' .. o] = 1, delay = d } end",
            COLS("carrier", "out", "delay"));
    measure("batch, loop, b:get of a number", "lua.batch",
            "return function(b) for i = 1, #b do if b:get(i, 'delay') < 10 then end end end", NULL,
            0);
    measure("batch, loop over rows(), get and drop", "lua.batch",
            "return function(b) for i in b:rows() do\n"
            "if b:get(i, 'delay') < 10 then b:drop(i) end end end",
            NULL, 0);
    measure("batch, loop, b:get of a text of 16", "lua.batch",
            "return function(b) for i = 1, #b do local c = b:get(i, 'carrier') end end", NULL, 0);
    measure("batch, where number", "lua.batch", "return function(b) b:where('delay', '>', 10) end",
            NULL, 0);
    measure("batch, where text", "lua.batch",
            "return function(b) b:where('carrier', '==', 'BA') end", NULL, 0);
    measure("batch, where text read as a number", "lua.batch",
            "return function(b) b:where('amount', '>', 1000) end", NULL, 0);
    return 0;
}
