/* test_lua_stages.c -- lua.filter, lua.map and lua.batch on a batch made by hand.
 *
 *      carrier (text)   delay (number)   amount (text)   @label   @raw
 *   0  WN               5                10              1        r0
 *   1  AA               20               x               -1       r1
 *   2  none             none             none            none     r2
 *   3  DL               -3               (empty)         1        r3
 *   4  AA               16               1e2             -1       r4
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

#include "runtime/arena.h"
#include "runtime/lua_function.h"
#include "runtime/lua_run.h"
#include "runtime/lua_stages.h"
#include "tests/support/suite.h"

enum { ROWS = 5, COLUMNS_MAX = 8, TEXT = 512 };

struct rig {
    struct leat_ctx ctx; /* first: the fake host gets it */
    const struct leat_stage *stage;
    struct lua_cfg cfg;
    struct arena arena;
    void *self;
    struct leat_schema in, out;
    struct leat_column in_column[COLUMNS_MAX], out_column[COLUMNS_MAX];
    struct leat_batch b;
    union leat_cells cells[COLUMNS_MAX];
    struct leat_str text[COLUMNS_MAX][ROWS], raw[ROWS];
    double number[COLUMNS_MAX][ROWS];
    float label[ROWS], weight[ROWS];
    uint8_t status[ROWS];
    uint16_t reason[ROWS];
    uint32_t sel[ROWS];
    char bytes[4096];
    char why[ROWS][TEXT];    /* what each record was rejected with */
    char problems[4 * TEXT]; /* what was reported or failed        */
    int open, allocated;
};

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
    ck_assert_ptr_nonnull(ctx);
    ck_assert_str_eq(name, "lua_peak_bytes");
    ck_assert(value > 0);
}

static uint64_t host_seed(struct leat_ctx *ctx)
{
    (void)ctx;
    return 42;
}

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
                       uint32_t *index)
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

static int add_column(struct leat_negotiation *neg, const char *name, size_t len, uint32_t type)
{
    struct rig *g = ((struct deal *)neg)->g;
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

static struct leat_str put(struct rig *g, const char *s)
{
    uint32_t n = s ? (uint32_t)strlen(s) : LEAT_NULL;
    if (!s) return (struct leat_str){0, LEAT_NULL};
    memcpy(g->bytes + g->b.n_bytes, s, n);
    g->b.n_bytes += n;
    return (struct leat_str){g->b.n_bytes - n, n};
}

static void fill_batch(struct rig *g)
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
        g->raw[r] = put(g, raw);
        g->text[0][r] = put(g, carrier[r]);
        g->number[1][r] = delay[r];
        g->text[2][r] = put(g, amount[r]);
        g->label[r] = label[r];
    }
    g->cells[0].text = g->text[0];
    g->cells[1].number = g->number[1];
    g->cells[2].text = g->text[2];
}

static void set_schema(struct rig *g)
{
    g->in_column[0] = (struct leat_column){"carrier", LEAT_TEXT, 0};
    g->in_column[1] = (struct leat_column){"delay", LEAT_NUMBER, 0};
    g->in_column[2] = (struct leat_column){"amount", LEAT_TEXT, 0};
    g->in = (struct leat_schema){.size = sizeof g->in,
                                 .has = LEAT_HAS_RECORDS | LEAT_HAS_COLUMNS | LEAT_HAS_LABEL,
                                 .n_columns = 3,
                                 .column = g->in_column};
}

/* "a,b" as the host would hand it over. */
static struct leat_strings strings(struct rig *g, const char *list)
{
    const char **v = arena_alloc(&g->arena, COLUMNS_MAX * sizeof *v);
    struct leat_strings s = {.v = v};
    char *copy = arena_strdup(&g->arena, list), *save = NULL;
    for (char *p = strtok_r(copy, ",", &save); p; p = strtok_r(NULL, ",", &save))
        v[s.n++] = p;
    return s;
}

static const struct leat_function *function(struct rig *g, const char *source)
{
    char error[256];
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    int bad = luaL_loadbuffer(L, source, strlen(source), "@script.lua") || lua_pcall(L, 0, 1, 0);
    ck_assert_msg(!bad, "%s", lua_tostring(L, -1));
    const struct leat_function *f = function_capture(L, -1, &g->arena, error, sizeof error);
    ck_assert_msg(f != NULL, "%s", error);
    lua_close(L);
    return f;
}

static void prepare(struct rig *g, const char *stage, const char *source, const char *columns)
{
    memset(g, 0, sizeof *g);
    for (uint32_t i = 0; i < lua_plugin.n_stages; i++)
        if (!strcmp(lua_plugin.stages[i].name, stage)) g->stage = &lua_plugin.stages[i];
    ck_assert_ptr_nonnull(g->stage);
    set_schema(g);
    g->cfg = (struct lua_cfg){.fn = function(g, source),
                              .columns = strings(g, columns),
                              .into = strings(g, ""),
                              .instructions = 10000,
                              .memory = 1 << 20,
                              .text_bytes = 64};
}

/* validate and negotiate; what they say is in g->problems. */
static int check(struct rig *g)
{
    struct deal k = {.g = g};
    k.diag = (struct leat_diag){sizeof k.diag, 0, on_error, on_error};
    k.base = (struct leat_negotiation){.size = sizeof k.base,
                                       .in = &g->in,
                                       .out = &g->out,
                                       .diag = &k.diag,
                                       .column = find_column,
                                       .add_column = add_column};
    g->out = g->in;
    memcpy(g->out_column, g->in_column, sizeof g->in_column);
    g->out.column = g->out_column;
    if (g->stage->validate) g->stage->validate(&g->cfg, &k.diag);
    return g->stage->negotiate(&g->cfg, &k.base);
}

static int open_stage(struct rig *g)
{
    g->ctx = (struct leat_ctx){.size = sizeof g->ctx,
                               .host = &host,
                               .id = "lua",
                               .cfg = &g->cfg,
                               .in = &g->in,
                               .out = &g->out};
    g->self = aligned_alloc(64, (g->stage->instance_size + 63) & ~(size_t)63);
    memset(g->self, 0, g->stage->instance_size);
    fill_batch(g);
    int s = g->stage->open(&g->ctx, g->self);
    g->open = s == LEAT_OK;
    return s;
}

static void go(struct rig *g)
{
    fill_batch(g);
    ck_assert_int_eq(g->stage->process(&g->ctx, g->self, &g->b), LEAT_OK);
}

/* Everything up to the first batch. */
static void run(struct rig *g)
{
    ck_assert_int_eq(check(g), LEAT_OK);
    ck_assert_str_eq(g->problems, "");
    ck_assert_int_eq(open_stage(g), LEAT_OK);
    go(g);
}

static void tear_down(struct rig *g)
{
    if (g->open) {
        ck_assert_int_eq(g->stage->stop(&g->ctx, g->self), LEAT_OK);
        g->stage->close(&g->ctx, g->self);
    }
    ck_assert_int_eq(g->allocated, 0);
    free(g->self);
    arena_free(&g->arena);
}

/* The records that are still in, "0 3 4"; rejected ones as "!1". */
static const char *kept(const struct rig *g)
{
    static char out[64];
    out[0] = '\0';
    for (uint32_t r = 0; r < ROWS; r++)
        if (g->status[r] != LEAT_ROW_FILTERED)
            snprintf(out + strlen(out), 8, "%s%s%u", *out ? " " : "",
                     g->status[r] == LEAT_ROW_REJECTED ? "!" : "", r);
    return out;
}

static const char *cell(const struct rig *g, uint32_t column, uint32_t r)
{
    static char out[256];
    struct leat_str s = g->text[column][r];
    if (s.len == LEAT_NULL) return "none";
    snprintf(out, sizeof out, "%.*s", (int)s.len, g->bytes + s.off);
    return out;
}

#define SAYS(TEXT_, PART)                                                                          \
    ck_assert_msg(strstr(TEXT_, PART) != NULL, "'%s' does not say '%s'", TEXT_, PART)

static void filters(const char *source, const char *columns, const char *expected)
{
    struct rig g;
    prepare(&g, "lua.filter", source, columns);
    run(&g);
    ck_assert_msg(!strcmp(kept(&g), expected), "%s: kept %s, not %s (%s)", source, kept(&g),
                  expected, g.why[0]);
    tear_down(&g);
}

/* ---- lua.filter ---- */

START_TEST(filter_keeps_what_is_true)
{
    filters("return function(d) return d and d > 10 end", "delay", "1 4");
    filters("return function(c, d) return c == 'AA' or d == -3 end", "carrier,delay", "1 3 4");
    filters("return function() return 0 end", "", "0 1 2 3 4");
    filters("return function() return nil end", "", "");
    filters("return function() end", "", "");
    filters("return function(x) return x == nil end", "carrier", "2");
    filters("return function(x) return x == nil end", "delay", "2");
}
END_TEST

START_TEST(columns_are_read_as_asked)
{
    filters("return function(a) return math.type(a) == 'float' or a == nil end", "amount:number",
            "0 !1 2 3 4");
    filters("return function(a) return a == 100 end", "amount:number", "!1 4");
    filters("return function(d) return d == '5' or d == '-3' end", "delay:text", "0 3");
    filters("return function(a) return a == '' end", "amount", "3");
    filters("return function(r) return r == 'r2' end", "@raw", "2");
    filters("return function(l) return l == nil or l < 0 end", "@label", "1 2 4");
}
END_TEST

START_TEST(text_that_is_no_number_rejects_its_record_by_name)
{
    struct rig g;
    prepare(&g, "lua.filter", "return function(a) return true end", "amount:number");
    run(&g);
    ck_assert_int_eq(g.reason[1], LEAT_R_NUMBER);
    ck_assert_str_eq(g.why[1], "column 'amount': 'x' is no number");
    tear_down(&g);
}
END_TEST

START_TEST(an_error_rejects_its_record_and_only_that)
{
    struct rig g;
    prepare(&g, "lua.filter",
            "return function(c, d)\n  if c == 'AA' then error('no ' .. c) end\n"
            "  return d > 0\nend",
            "carrier,delay");
    run(&g);
    ck_assert_str_eq(kept(&g), "0 !1 !2 !4");
    ck_assert_int_eq(g.reason[1], LEAT_R_LUA);
    ck_assert_str_eq(g.why[1], "script.lua:2: no AA");
    SAYS(g.why[2], "script.lua:3: attempt to compare");
    SAYS(g.why[2], "(column 'carrier' has no value here)");
    go(&g);
    ck_assert_str_eq(kept(&g), "0 !1 !2 !4");
    tear_down(&g);
}
END_TEST

START_TEST(a_text_compared_with_a_number_is_explained)
{
    struct rig g;
    prepare(&g, "lua.filter", "return function(c, a) return a > 3 end", "carrier,amount");
    run(&g);
    SAYS(g.why[0], "attempt to compare number with string");
    SAYS(g.why[0], "column 'amount' is text here: write \"amount:number\"");
    tear_down(&g);
    prepare(&g, "lua.filter", "help = 1 return function() return help() end", "");
    run(&g);
    SAYS(g.why[0], "global 'help'");
    SAYS(g.why[0], "its globals are not");
    tear_down(&g);
}
END_TEST

START_TEST(errors_that_are_no_text_are_told)
{
    struct rig g;
    prepare(&g, "lua.filter",
            "local n = 0 local all = { {}, 3.5, true }\n"
            "return function() n = n + 1 error(all[n], 0) end",
            "");
    run(&g);
    ck_assert_str_eq(kept(&g), "!0 !1 !2 !3 !4");
    ck_assert_str_eq(g.why[0], "the function raised a table as an error");
    ck_assert_str_eq(g.why[1], "3.5");
    ck_assert_str_eq(g.why[2], "the function raised a boolean as an error");
    ck_assert_str_eq(g.why[3], "the function raised nil as an error");
    tear_down(&g);
}
END_TEST

START_TEST(limits_reject_a_record_and_leave_the_rest)
{
    struct rig g;
    prepare(&g, "lua.filter",
            "return function(d)\n  while d == 5 do end\n"
            "  if d == 20 then return string.rep('x', 1 << 30) end\n"
            "  for i = 1, 1000 do end return true end",
            "delay");
    run(&g);
    ck_assert_str_eq(kept(&g), "!0 !1 2 3 4");
    ck_assert_int_eq(g.reason[0], LEAT_R_LIMIT);
    ck_assert_str_eq(g.why[0], "script.lua:2: the function used up its 10000 instructions");
    ck_assert_int_eq(g.reason[1], LEAT_R_LIMIT);
    ck_assert_str_eq(g.why[1], "the function used up its 1024 KiB of memory");
    tear_down(&g);
}
END_TEST

START_TEST(only_selected_records_are_given)
{
    struct rig g;
    prepare(&g, "lua.filter", "local n = 0 return function(d) n = n + 1 return n == 2 end",
            "delay");
    ck_assert_int_eq(check(&g), LEAT_OK);
    ck_assert_int_eq(open_stage(&g), LEAT_OK);
    g.sel[0] = 1;
    g.sel[1] = 4;
    g.b.n_sel = 2;
    g.stage->process(&g.ctx, g.self, &g.b);
    ck_assert_str_eq(kept(&g), "0 2 3 4");
    tear_down(&g);
}
END_TEST

/* ---- checking ---- */

START_TEST(names_are_checked_before_the_run)
{
    struct rig g;
    prepare(&g, "lua.filter", "return function() end", "carrier,delai,amonut:number,@raw,@label");
    ck_assert_int_eq(check(&g), LEAT_EARG);
    ck_assert_str_eq(g.problems, "columns: no column 'delai'\ncolumns: no column 'amonut'\n");
    g.problems[0] = '\0';
    g.in.open = 1;
    ck_assert_int_eq(check(&g), LEAT_LATER);
    ck_assert_str_eq(g.problems, "");
    g.in.open = 0;
    g.in.has = LEAT_HAS_RECORDS;
    ck_assert_int_eq(check(&g), LEAT_EARG);
    SAYS(g.problems, "no columns arrive here, so no 'carrier'");
    SAYS(g.problems, "@label: no stage before this one makes a label");
    ck_assert_ptr_null(strstr(g.problems, "@raw"));
    tear_down(&g);
}
END_TEST

START_TEST(map_needs_somewhere_to_write)
{
    struct rig g;
    prepare(&g, "lua.map", "return function() end", "");
    check(&g);
    SAYS(g.problems, "into: nowhere to write");
    g.problems[0] = '\0';
    g.cfg.columns = strings(&g, "@raw");
    check(&g);
    SAYS(g.problems, "columns: @raw is read only");
    g.problems[0] = '\0';
    g.cfg.into = strings(&g, "fresh,carrier:number");
    ck_assert_int_eq(check(&g), LEAT_EARG);
    SAYS(g.problems, "two columns 'carrier'");
    tear_down(&g);
}
END_TEST

START_TEST(labels_are_not_set_behind_the_examples)
{
    struct rig g;
    prepare(&g, "lua.map", "return function() end", "");
    g.cfg.into = strings(&g, "@label");
    g.in.has = LEAT_HAS_RECORDS;
    ck_assert_int_eq(check(&g), LEAT_OK);
    ck_assert_uint_eq(g.out.has, LEAT_HAS_RECORDS | LEAT_HAS_LABEL);
    g.in.has |= LEAT_HAS_EXAMPLES;
    ck_assert_int_eq(check(&g), LEAT_EARG);
    SAYS(g.problems, "into: labels are set before examples are made");
    tear_down(&g);
}
END_TEST

START_TEST(a_function_larger_than_its_memory_fails_at_open)
{
    struct rig g;
    prepare(&g, "lua.filter",
            "local t = {} for i = 1, 50000 do t[i] = i .. 'x' end return function() return t end",
            "delay");
    check(&g);
    ck_assert_int_eq(open_stage(&g), LEAT_ENOMEM);
    SAYS(g.problems, "the function used up its 1024 KiB of memory");
    tear_down(&g);
}
END_TEST

/* ---- lua.map ---- */

START_TEST(map_rewrites_columns)
{
    struct rig g;
    prepare(&g, "lua.map",
            "return function(c, d) return c and c:lower() or 'nobody', d and d * 2 end",
            "carrier,delay");
    run(&g);
    ck_assert_str_eq(kept(&g), "0 1 2 3 4");
    ck_assert_str_eq(cell(&g, 0, 0), "wn");
    ck_assert_str_eq(cell(&g, 0, 2), "nobody");
    ck_assert_double_eq(g.number[1][1], 40);
    ck_assert_double_nan(g.number[1][2]);
    tear_down(&g);
}
END_TEST

START_TEST(map_makes_columns)
{
    struct rig g;
    prepare(&g, "lua.map",
            "return function(a, d) return a and a > 50, (a or 0) / 8, d, d and d > 10 end",
            "amount:number,delay");
    g.cfg.into = strings(&g, "big,eighth:number,text,@label");
    run(&g);
    ck_assert_uint_eq(g.out.n_columns, 6);
    ck_assert_uint_eq(g.out.column[4].type, LEAT_NUMBER);
    ck_assert_uint_eq(g.out.added_bytes_per_record, 64);
    ck_assert_str_eq(kept(&g), "0 !1 2 3 4");
    ck_assert_str_eq(cell(&g, 3, 0), "false");
    ck_assert_str_eq(cell(&g, 3, 2), "none");
    ck_assert_str_eq(cell(&g, 3, 4), "true");
    ck_assert_double_eq(g.number[4][0], 1.25);
    ck_assert_str_eq(cell(&g, 5, 0), "5");
    ck_assert_str_eq(cell(&g, 5, 3), "-3");
    ck_assert_float_eq(g.label[0], -1);
    ck_assert_float_nan(g.label[2]);
    ck_assert_float_eq(g.label[4], 1);
    ck_assert_str_eq(cell(&g, 2, 0), "10"); /* what was read stays */
    tear_down(&g);
}
END_TEST

START_TEST(what_does_not_fit_a_column_rejects_the_record)
{
    struct rig g;
    prepare(&g, "lua.map",
            "local n = 0 local all = { 'abc', 1 / 0, {}, '7', true }\n"
            "return function() n = n + 1 return all[n] end",
            "delay");
    run(&g);
    ck_assert_str_eq(kept(&g), "!0 !1 !2 3 4");
    ck_assert_int_eq(g.reason[0], LEAT_R_NUMBER);
    ck_assert_str_eq(g.why[0], "column 'delay' holds numbers; the function gave 'abc'");
    ck_assert_int_eq(g.reason[1], LEAT_R_NONFINITE);
    ck_assert_int_eq(g.reason[2], LEAT_R_LUA);
    SAYS(g.why[2], "a table cannot be stored in column 'delay'");
    ck_assert_double_eq(g.number[1][3], 7);
    ck_assert_double_eq(g.number[1][4], 1);
    tear_down(&g);
}
END_TEST

START_TEST(map_must_return_as_many_values_as_columns)
{
    struct rig g;
    prepare(&g, "lua.map",
            "return function(c, d) if d == 5 then return c end\n"
            "if d == 20 then return c, d, 1 end return c, d end",
            "carrier,delay");
    run(&g);
    ck_assert_str_eq(kept(&g), "!0 !1 2 3 4");
    ck_assert_str_eq(
        g.why[0], "script.lua:1: the function returned 1 values, and there are 2 columns to write");
    SAYS(g.why[1], "returned 3 values");
    tear_down(&g);
}
END_TEST

START_TEST(a_full_batch_rejects_and_names_the_remedy)
{
    struct rig g;
    prepare(&g, "lua.map", "return function(c, d) return ('y'):rep(d == 20 and 4090 or 3) end",
            "carrier,delay");
    g.cfg.into = strings(&g, "long");
    check(&g);
    open_stage(&g);
    go(&g);
    ck_assert_str_eq(kept(&g), "0 !1 2 3 4");
    ck_assert_int_eq(g.reason[1], LEAT_R_TOO_LARGE);
    SAYS(g.why[1], "no room left for 4090 bytes of text: raise 'text_bytes'");
    ck_assert_str_eq(cell(&g, 3, 4), "yyy");
    ck_assert_uint_le(g.b.n_bytes, g.b.cap_bytes);
    tear_down(&g);
}
END_TEST

START_TEST(text_that_did_not_change_takes_no_room)
{
    struct rig g;
    prepare(&g, "lua.map", "return function(c) return c end", "carrier");
    run(&g);
    uint32_t used = g.b.n_bytes;
    fill_batch(&g);
    ck_assert_uint_eq(g.b.n_bytes, used);
    tear_down(&g);
}
END_TEST

/* ---- lua.batch ---- */

static void batch_keeps(const char *body, const char *expected)
{
    struct rig g;
    char source[600];
    snprintf(source, sizeof source, "return function(b) %s end", body);
    prepare(&g, "lua.batch", source, "");
    g.cfg.labels = 1;
    run(&g);
    ck_assert_msg(!strcmp(kept(&g), expected), "%s: kept %s, not %s (%s)", body, kept(&g), expected,
                  g.why[0]);
    tear_down(&g);
}

START_TEST(a_view_reads_writes_and_drops)
{
    batch_keeps("for i = 1, #b do if b:get(i, 'delay') == nil then b:drop(i) end end", "0 1 3 4");
    batch_keeps("assert(b:n() == 5 and #b == 5) b:drop(2) assert(#b == 5 and b:count() == 4)\n"
                "for i in b:rows() do assert(i ~= 2) b:drop(i) end assert(b:count() == 0)",
                "");
    batch_keeps("assert(b:get(5, 'amount:number') == 100 and b:get(5, 'amount') == '1e2')\n"
                "assert(b:get(1, 'delay:text') == '5' and b:get(1, '@raw') == 'r0')\n"
                "assert(b:get(4, 'amount:number') == nil and b:label(1) == 1)\n"
                "assert(b:get(1, '@label') == 1 and b:label(3) == nil and b:examples() == 0)",
                "0 1 2 3 4");
    batch_keeps("b:get(2, 'amount:number')", "0 !1 2 3 4");
    batch_keeps("b:set(1, 'carrier', 'ZZ') assert(b:get(1, 'carrier') == 'ZZ')\n"
                "b:set(1, 'delay', nil) assert(b:get(1, 'delay') == nil)\n"
                "b:set(1, 'delay', '2.5') assert(b:get(1, 'delay') == 2.5)\n"
                "b:set(2, 'delay', 'two') b:set(3, 'delay', 1 / 0)\n"
                "b:set_label(3, true) assert(b:label(3) == 1)\n"
                "b:set(3, '@label', -1) assert(b:label(3) == -1)",
                "0 !1 !2 3 4");
    batch_keeps("b:reject(4, 'bad one')", "0 1 2 !3 4");
    batch_keeps("assert(tostring(b) == 'batch of 5 records' and getmetatable(b) == 'a batch')",
                "0 1 2 3 4");
}
END_TEST

START_TEST(where_keeps_what_holds)
{
    batch_keeps("assert(b:where('delay', '>', 10) == 2)", "1 4");
    batch_keeps("b:where('delay', '<', 5)", "3");
    batch_keeps("b:where('delay', '<=', 5)", "0 3");
    batch_keeps("b:where('delay', '>=', 16)", "1 4");
    batch_keeps("b:where('delay', '==', 16)", "4");
    batch_keeps("b:where('delay', '~=', 16)", "0 1 2 3");
    batch_keeps("b:where('carrier', '==', 'AA')", "1 4");
    batch_keeps("b:where('carrier', '~=', 'AA')", "0 2 3");
    batch_keeps("b:where('carrier', '~=', 'AA') b:where('delay', '>', 0)", "0");
    batch_keeps("b:where('carrier', '==', nil)", "2");
    batch_keeps("b:where('delay', '~=', nil)", "0 1 3 4");
    batch_keeps("b:where('amount:number', '>=', 10)", "0 !1 4");
    batch_keeps("b:where('amount', '>=', 10)", "0 !1 4");
    batch_keeps("b:where('carrier', '~=', 'AA') b:where('amount', '>=', 10)", "0");
    batch_keeps("b:where('@label', '<', 0)", "1 4");
    batch_keeps("b:where('@label', '~=', 1)", "1 2 4");
    batch_keeps("b:where('@raw', '==', 'r3')", "3");
    batch_keeps("b:where('amount', '==', '')", "3");
}
END_TEST

/* Each call is wrong in its own way; each rejects the whole batch and says why. */
START_TEST(wrong_use_of_a_view_rejects_the_batch_and_says_why)
{
    static const struct {
        const char *body, *why;
    } wrong[] = {
        {"b:get(1, 'carier')", "no column 'carier': did you mean 'carrier'?"},
        {"b:get(1, 'zzzzzzzzzz:number')", "no column 'zzzzzzzzzz'"},
        {"b:get(0, 'delay')", "row 0 is not among the 5 of this batch"},
        {"b:get(6, 'delay')", "row 6 is not among"},
        {"b:get(math.mininteger, 'delay')", "is not among"},
        {"b:get(1.5, 'delay')", "no integer representation"},
        {"b:get(1)", "string expected"},
        {"b.get(nil, 1, 'delay')", "leat.batch expected"},
        {"b.get({}, 1, 'delay')", "leat.batch expected"},
        {"b:set(1, 'delay')", "value expected"},
        {"b:set(1, 'delay', {})", "a table cannot be stored in column 'delay'"},
        {"b:set(1, '@raw', 'x')", "@raw is read only"},
        {"b:set_label(1, 1)", "labels = true"},
        {"b:set(1, '@label', 1)", "labels = true"},
        {"b:where('delay', '=', 3)", "invalid option '='"},
        {"b:where('carrier', '<', 'B')", "'<' compares numbers only, not a string"},
        {"b:where('delay', '==', 'x')",
         "'delay' holds numbers and cannot be compared with a string"},
        {"b:where('delay', '==', {})", "cannot be compared with a table"},
        {"b:where('delay', '>', nil)", "compares numbers only"},
        {"if b:get(1, 'amount') > 3 then end", "write \"name:number\""},
        {"b.x = 1", "attempt to index"},
        {"while true do end", "used up its 10000 instructions"},
        {"local s = 'x' while true do s = s .. s end", "used up its 1024 KiB of memory"},
    };
    char source[200];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct rig g;
        snprintf(source, sizeof source,
                 "local n = 0 return function(b) n = n + 1 if n == 1 then %s end end",
                 wrong[i].body);
        prepare(&g, "lua.batch", source, "");
        run(&g);
        ck_assert_msg(!strcmp(kept(&g), "!0 !1 !2 !3 !4"), "%s: %s", wrong[i].body, kept(&g));
        SAYS(g.why[4], wrong[i].why);
        SAYS(g.why[4], "(all 5 records of the batch)");
        go(&g); /* the state is usable */
        ck_assert_str_eq(kept(&g), "0 1 2 3 4");
        tear_down(&g);
    }
}
END_TEST

START_TEST(nothing_half_done_goes_on)
{
    batch_keeps("b:drop(1) b:where('delay', '>', 10) b:set(1, 'delay', 9) error('late')",
                "!0 !1 !2 !3 !4");
    batch_keeps("b:reject(1, 'mine') error('late')", "!0 !1 !2 !3 !4");
}
END_TEST

START_TEST(a_view_that_was_kept_is_dead)
{
    struct rig g;
    prepare(&g, "lua.batch",
            "local old, iterator, n = nil, nil, 0\n"
            "return function(b)\n  n = n + 1\n"
            "  if n == 1 then old, iterator = b, b:rows() end\n"
            "  if n == 2 then return old:get(1, 'delay') end\n"
            "  if n == 3 then return iterator(old, 0) end\n"
            "  if n == 4 then return #old end\n"
            "  if n == 5 then assert(tostring(old) == 'batch (gone)') end\n"
            "  if n == 6 then old = b error('x') end\n"
            "  if n == 7 then return old:count() end\nend",
            "");
    run(&g);
    for (int n = 1; n <= 7; n++, go(&g)) {
        int bad = n == 2 || n == 3 || n == 4 || n == 6 || n == 7;
        ck_assert_msg(!strcmp(kept(&g), bad ? "!0 !1 !2 !3 !4" : "0 1 2 3 4"), "call %d: %s", n,
                      g.why[0]);
        if (bad && n != 6) SAYS(g.why[0], "this batch is gone: it is lent for one call");
    }
    tear_down(&g);
}
END_TEST

/* From no memory at all to enough: open refuses or works, and a call that runs out rejects. */
START_TEST(tight_memory_never_ends_in_a_crash)
{
    int refused = 0, limited = 0, fine = 0;
    for (int64_t memory = 0; memory < 60000; memory += 211) {
        struct rig g;
        prepare(&g, "lua.batch",
                "local t = { 'some', 'data' } return function(b) for i in b:rows() do\n"
                "t[#t + 1] = b:get(i, 'carrier') b:set(i, 'amount', 'x' .. #t) end end",
                "");
        g.cfg.memory = memory;
        check(&g);
        if (open_stage(&g) != LEAT_OK)
            refused++;
        else
            for (int i = 0; i < 3; i++) {
                go(&g);
                limited += g.reason[0] == LEAT_R_LIMIT;
                fine += g.status[0] == LEAT_ROW_OK;
                ck_assert(g.status[0] == LEAT_ROW_OK || g.reason[0] == LEAT_R_LIMIT);
            }
        tear_down(&g);
    }
    ck_assert(refused > 0 && limited > 0 && fine > 0);
}
END_TEST

START_TEST(an_empty_batch_calls_nobody)
{
    struct rig g;
    prepare(&g, "lua.batch", "return function(b) error('called') end", "");
    check(&g);
    open_stage(&g);
    g.b.n_sel = 0;
    ck_assert_int_eq(g.stage->process(&g.ctx, g.self, &g.b), LEAT_OK);
    ck_assert_str_eq(kept(&g), "0 1 2 3 4");
    tear_down(&g);
}
END_TEST

START_TEST(every_parameter_and_stage_is_documented)
{
    ck_assert_uint_eq(lua_plugin.magic, LEAT_MAGIC);
    ck_assert_uint_eq(lua_plugin.n_stages, 3);
    for (uint32_t i = 0; i < lua_plugin.n_stages; i++) {
        const struct leat_stage *s = &lua_plugin.stages[i];
        ck_assert(s->summary && s->doc && s->example && s->process && s->open && s->close);
        for (uint32_t k = 0; k < s->n_params; k++) {
            ck_assert_ptr_nonnull(s->params[k].doc);
            ck_assert_uint_lt(s->params[k].offset, s->cfg_size);
        }
        lua_State *L = luaL_newstate();
        char chunk[400];
        snprintf(chunk, sizeof chunk, "return %s", s->example);
        ck_assert_msg(luaL_loadstring(L, chunk) == LUA_OK, "%s", lua_tostring(L, -1));
        lua_close(L);
    }
}
END_TEST

LEAT_SUITE("lua_stages", filter_keeps_what_is_true, columns_are_read_as_asked,
           text_that_is_no_number_rejects_its_record_by_name,
           an_error_rejects_its_record_and_only_that, a_text_compared_with_a_number_is_explained,
           errors_that_are_no_text_are_told, limits_reject_a_record_and_leave_the_rest,
           only_selected_records_are_given, names_are_checked_before_the_run,
           map_needs_somewhere_to_write, labels_are_not_set_behind_the_examples,
           a_function_larger_than_its_memory_fails_at_open, map_rewrites_columns, map_makes_columns,

           what_does_not_fit_a_column_rejects_the_record, map_must_return_as_many_values_as_columns,
           a_full_batch_rejects_and_names_the_remedy, text_that_did_not_change_takes_no_room,
           a_view_reads_writes_and_drops, where_keeps_what_holds,
           wrong_use_of_a_view_rejects_the_batch_and_says_why, nothing_half_done_goes_on,
           a_view_that_was_kept_is_dead, tight_memory_never_ends_in_a_crash,
           an_empty_batch_calls_nobody, every_parameter_and_stage_is_documented)
