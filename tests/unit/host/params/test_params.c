/* test_params.c -- settings of parameters: accepted values, their conversion, and refusals. */
#include "support/suite.h"

#include <math.h>
#include <string.h>

#include "host/params/param_type.h"
#include "host/params/params.h"

struct cfg {
    int32_t flag, loss;
    int64_t count, budget, wait;
    double rate;
    const char *title, *file;
    struct leat_interval every;
    struct leat_strings columns, places;
    const struct leat_function *fn;
};

static const char *const losses[] = {"logistic", "hinge", "squared", NULL};

#define P(FIELD, TYPE) .name = #FIELD, .type = TYPE, .offset = offsetof(struct cfg, FIELD)
static const struct leat_param params[] = {
    {P(flag, LEAT_BOOL)},
    {P(count, LEAT_INT), .def = "128", .min = 1, .max = 1e6, .unit = "rows"},
    {P(rate, LEAT_FLOAT), .def = "0.5"},
    {P(title, LEAT_STRING)},
    {P(file, LEAT_PATH)},
    {P(loss, LEAT_CHOICE), .def = "hinge", .choices = losses,
     .doc = "logistic (cross entropy), hinge (SVM), squared"},
    {P(budget, LEAT_SIZE), .def = "32KB", .min = 1024, .max = 1 << 30},
    {P(wait, LEAT_DURATION), .def = "250ms", .min = 0, .max = 60},
    {P(every, LEAT_INTERVAL), .def = "10s"},
    {P(columns, LEAT_STRINGS), .flags = LEAT_POSITIONAL, .def = "a, b"},
    {P(places, LEAT_STRINGS), .flags = LEAT_KEYED},
    {P(fn, LEAT_FUNCTION)},
};
enum { N_PARAMS = sizeof params / sizeof *params };
static const struct leat_stage stage = {.name = "learn.x", LEAT_PARAMS(params, struct cfg)};
static const char *const also[] = {"id", "lanes"};

static struct value text_of(const char *s)
{
    return (struct value){.type = VALUE_TEXT, .text = s, .n = strlen(s)};
}
static struct value integer(int64_t x)
{
    return (struct value){.type = VALUE_INT, .integer = x, .number = (double)x};
}
static struct value number(double x) { return (struct value){.type = VALUE_FLOAT, .number = x}; }
static struct value boolean(int x) { return (struct value){.type = VALUE_BOOL, .integer = x}; }

/* State of one fill: memory, reports and configuration. */
static struct arena arena;
static struct diag diag;
static struct cfg cfg;

/* Counts all errors except unknown names, which leave the configuration whole. */
static size_t value_errors(void)
{
    size_t n = 0;
    for (const struct problem *p = diag.first; p; p = p->next)
        n += strncmp(p->text, "unknown parameter", 17) != 0;
    return n;
}

/* A fake pipeline whose source has the parameters encoding and budgt. */
static const char *taker(const void *of, const char *key)
{
    ck_assert_ptr_null(of);
    return !strcmp(key, "encoding") || !strcmp(key, "budgt") ? "file (source.file)" : NULL;
}

static int fill_stage(const struct leat_stage *s, const struct setting *settings, size_t n)
{
    const struct param_scope scope = {.diag = &diag,
                                      .at = {"x.lua", 7},
                                      .stage = "model (learn.x)",
                                      .also = also,
                                      .n_also = 2,
                                      .taker = taker};
    arena_free(&arena);
    diag = (struct diag){.arena = &arena};
    memset(&cfg, 0xa5, sizeof cfg);
    int status = params_fill(s, settings, n, &cfg, &arena, &scope);
    ck_assert_int_eq(status, value_errors() ? LEAT_EARG : LEAT_OK);
    return diag.errors ? LEAT_EARG : LEAT_OK;
}

static int fill(const struct setting *settings, size_t n)
{
    return fill_stage(&stage, settings, n);
}

#define FILL(...)                                                                                  \
    fill((const struct setting[]){__VA_ARGS__},                                                    \
         sizeof((const struct setting[]){__VA_ARGS__}) / sizeof(struct setting))

static int one(const char *key, struct value v) { return fill(&(struct setting){key, v}, 1); }

/* Returns the only problem, which must be an error about `param` at x.lua, line 7. */
static const char *problem(const char *param)
{
    ck_assert_uint_eq(diag.errors, 1);
    ck_assert_str_eq(diag.first->at.file, "x.lua");
    ck_assert_int_eq(diag.first->at.line, 7);
    ck_assert_str_eq(diag.first->stage, "model (learn.x)");
    if (param) ck_assert_str_eq(diag.first->param, param);
    return diag.first->text;
}

static void ck_says(const char *text, const char *part)
{
    ck_assert_msg(text && strstr(text, part), "\"%s\" does not say \"%s\"", text, part);
}

START_TEST(without_settings_all_is_default_or_zero)
{
    ck_assert_int_eq(fill(NULL, 0), LEAT_OK);
    ck_assert_int_eq(cfg.flag, 0);
    ck_assert_int_eq(cfg.count, 128);
    ck_assert(cfg.rate == 0.5);
    ck_assert(!cfg.title && !cfg.file && !cfg.fn);
    ck_assert_int_eq(cfg.loss, 1);
    ck_assert_int_eq(cfg.budget, 32768);
    ck_assert_int_eq(cfg.wait, 250000000);
    ck_assert(cfg.every.ns == 10000000000 && cfg.every.examples == 0);
    ck_assert_uint_eq(cfg.columns.n, 2);
    ck_assert_str_eq(cfg.columns.v[0], "a");
    ck_assert_str_eq(cfg.columns.v[1], "b");
}
END_TEST

START_TEST(typed_values_and_their_text_mean_the_same)
{
    static const struct {
        const char *key, *text;
        struct value value;
    } same[] = {
        {"flag", "true", {.type = VALUE_BOOL, .integer = 1}},
        {"flag", "no", {.type = VALUE_BOOL, .integer = 0}},
        {"count", "77", {.type = VALUE_INT, .integer = 77}},
        {"count", "1e5", {.type = VALUE_FLOAT, .number = 1e5}},
        {"rate", "-1e-6", {.type = VALUE_FLOAT, .number = -1e-6}},
        {"rate", "3", {.type = VALUE_INT, .integer = 3}},
        {"budget", "4096", {.type = VALUE_INT, .integer = 4096}},
        {"wait", "1.5", {.type = VALUE_FLOAT, .number = 1.5}},
        {"wait", "2", {.type = VALUE_INT, .integer = 2}},
        {"every", "100000", {.type = VALUE_INT, .integer = 100000}},
        {"every", "1e5", {.type = VALUE_FLOAT, .number = 1e5}},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        ck_assert_int_eq(one(same[i].key, same[i].value), LEAT_OK);
        struct cfg typed = cfg;
        ck_assert_int_eq(one(same[i].key, text_of(same[i].text)), LEAT_OK);
        typed.columns = cfg.columns; /* every fill makes a new copy */
        ck_assert_mem_eq(&typed, &cfg, sizeof cfg);
    }
}
END_TEST

static uint64_t next(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    return *s ^= *s << 17;
}

START_TEST(shown_settings_read_back_as_the_same_configuration)
{
    static const char *const list[] = {"x y", "\"quoted\"", "comma,in", "back\\slash"};
    struct value items[4] = {text_of(list[0]), text_of(list[1]), text_of(list[2]),
                             text_of(list[3])};
    struct value columns = {.type = VALUE_LIST, .n = 4, .list = items};
    ck_assert_int_eq(FILL({"flag", boolean(1)}, {"count", integer(99)}, {"rate", number(0.1)},
                          {"title", text_of("a \"b\"")}, {"file", text_of("c/d")},
                          {"loss", text_of("squared")}, {"budget", integer(1500)},
                          {"wait", number(1.5)}, {"every", text_of("100K")}, {"columns", columns}),
                     LEAT_OK);
    static const char *const want[N_PARAMS] = {
        "true",      "99",
        "0.1",       "\"a \\\"b\\\"\"",
        "\"c/d\"",   "\"squared\"",
        "\"1500B\"", "\"1500ms\"",
        "100000",    "{ \"x y\", \"\\\"quoted\\\"\", \"comma,in\", \"back\\\\slash\" }",
        NULL};
    for (size_t i = 0; i < N_PARAMS; i++) {
        const char *text = param_show(&params[i], &cfg, &arena);
        if (want[i])
            ck_assert_str_eq(text, want[i]);
        else
            ck_assert_ptr_null(text);
    }
    struct setting again[N_PARAMS];
    struct arena own = {0}; /* fill empties the other arena */
    size_t n = 0;
    for (size_t i = 0; i < N_PARAMS; i++)
        if (want[i]) again[n++] = (struct setting){params[i].name, param_unshow(want[i], &own)};
    ck_assert_int_eq(fill_stage(&stage, again, n), LEAT_OK);
    for (size_t i = 0; i < N_PARAMS; i++)
        if (want[i]) ck_assert_str_eq(param_show(&params[i], &cfg, &arena), want[i]);
    arena_free(&own);
}
END_TEST

/* A snapshot may contain any text. */
START_TEST(any_bytes_survive_being_shown_and_broken_text_ends_where_it_ends)
{
    char bytes[256] = {0};
    for (int i = 1; i < 256; i++)
        bytes[i - 1] = (char)i;
    ck_assert_int_eq(one("title", text_of(bytes)), LEAT_OK);
    struct value back = param_unshow(param_show(&params[3], &cfg, &arena), &arena);
    ck_assert_int_eq(back.type, VALUE_TEXT);
    ck_assert_uint_eq(back.n, 255);
    ck_assert_mem_eq(back.text, bytes, 255);
    static const char *const broken[] = {"\"", "\"\\", "\"\\2", "{", "{ \"", "{ \"a\", \"\\", ""};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct value v = param_unshow(arena_strdup(&arena, broken[i]), &arena);
        ck_assert(v.type == VALUE_TEXT || v.type == VALUE_LIST);
        ck_assert_uint_le(v.n, strlen(broken[i]));
    }
}
END_TEST

START_TEST(a_misspelt_parameter_is_answered_with_the_near_one)
{
    one("conut", integer(3));
    ck_assert_str_eq(problem("conut"), "unknown parameter 'conut': did you mean 'count'?");
    one("lane", integer(3));
    ck_assert_str_eq(problem("lane"), "unknown parameter 'lane': did you mean 'lanes'?");
    one("xylophone", integer(3));
    ck_says(problem("xylophone"),
            "unknown parameter 'xylophone': the stage takes flag, count, rate, title");
    ck_says(problem("xylophone"), "fn, id, lanes");
    one("encoding", text_of("latin-1"));
    ck_assert_str_eq(problem("encoding"),
                     "unknown parameter 'encoding': set it in file (source.file), which takes it");
    one("budgt", integer(3));
    ck_assert_str_eq(problem("budgt"), "unknown parameter 'budgt': did you mean 'budget'?");
}
END_TEST

/* { [0] = 12, [1] = "end", [2] = "b/0=1", orders = { [7] = "-1h" } } as a script gives it. */
START_TEST(a_list_with_keys_is_its_entries)
{
    struct value places[2] = {text_of("end"), text_of("b/0=1")};
    struct setting seven = {"7", text_of("-1h")};
    struct setting keys[2] = {{"0", integer(12)},
                              {"orders", {.type = VALUE_LIST, .keyed = &seven, .n_keyed = 1}}};
    struct value table = {.type = VALUE_LIST, .n = 2, .list = places, .keyed = keys, .n_keyed = 2};
    ck_assert_int_eq(one("places", table), LEAT_OK);
    const char *const want[] = {"1=end", "b/0=1", "0=12", "orders/7=-1h"};
    ck_assert_uint_eq(cfg.places.n, 4);
    for (int i = 0; i < 4; i++)
        ck_assert_str_eq(cfg.places.v[i], want[i]);
    ck_assert_int_eq(one("places", text_of("latest, 0=12")), LEAT_OK);
    ck_assert_str_eq(cfg.places.v[0], "latest");
    ck_assert_str_eq(cfg.places.v[1], "0=12");
    one("places", integer(5));
    ck_says(problem("places"), "a table such as { [0] = 12, [1] = \"a\" }, not 5");
    keys[1].value = boolean(1);
    one("places", table);
    ck_says(problem("places"), "the value of orders must be a text or a whole number, not true");
}
END_TEST

START_TEST(a_choice_is_known_by_words_of_its_documentation)
{
    one("loss", text_of("SVM"));
    ck_says(problem("loss"), "not \"SVM\": did you mean \"hinge\"?");
    one("loss", text_of("entropy"));
    ck_says(problem("loss"), "did you mean \"logistic\"?");
    one("loss", text_of("unheard"));
    ck_assert_ptr_null(strstr(problem("loss"), "did you mean"));
}
END_TEST

START_TEST(wrong_types_say_what_is_wanted_by_example_and_what_was_given)
{
    struct value items[2] = {text_of("a"), integer(5)};
    struct value mixed = {.type = VALUE_LIST, .n = 2, .list = items};
    struct value function = {.type = VALUE_FUNCTION};
    struct setting yes = {"city", boolean(1)}, other = {"x", text_of("amount")};
    struct setting five = {"x", integer(5)};
    struct value keyed = {.type = VALUE_LIST, .keyed = &yes, .n_keyed = 1};
    struct value renamed = {
        .type = VALUE_LIST, .n = 1, .list = items, .keyed = &other, .n_keyed = 1};
    struct value numbered = {.type = VALUE_LIST, .keyed = &five, .n_keyed = 1};
    const struct {
        const char *key;
        struct value v;
        const char *says[2];
    } wrong[] = {
        {"budget", boolean(1), {"budget must be a size such as \"32KB\"", "not true"}},
        {"budget", text_of("32XB"), {"units B KB MB GB TB", "not \"32XB\""}},
        {"budget", number(2000.5), {"a size", "not 2000.5"}},
        {"budget", integer(-1), {"budget must be 1KB to 1GB", "not -1"}},
        {"flag", integer(1), {"flag must be true or false", "not 1"}},
        {"flag", text_of("maybe"), {"true or false", "not \"maybe\""}},
        {"count", number(2.5), {"a whole number such as", "not 2.5"}},
        {"count", text_of("many"), {"a whole number", "not \"many\""}},
        {"count", mixed, {"a whole number", "not a list of 2 values"}},
        {"rate", number(INFINITY), {"a finite number", "not inf"}},
        {"rate", number(NAN), {"a finite number", "nan"}},
        {"rate", text_of("inf"), {"a finite number", "not \"inf\""}},
        {"title", integer(3), {"text in quotes", "not 3"}},
        {"title", function, {"text in quotes", "not a function"}},
        {"file", boolean(0), {"a path in quotes", "not false"}},
        {"wait", text_of("5m"), {"units ns us ms s min h d", "not \"5m\""}},
        {"wait", number(-1), {"a duration such as \"10s\"", "not -1"}},
        {"every", text_of("soon"), {"an interval such as", "100000"}},
        {"every", text_of("2.5"), {"an interval such as", "not \"2.5\""}},
        {"every", integer(-1), {"an interval such as", "not -1"}},
        {"columns", mixed, {"a list such as { \"a\", \"b\" }", "value 2 is 5"}},
        {"columns",
         keyed,
         {"columns must be a list such as", "without keys such as \"city\": write { \"city\" }"}},
        {"columns",
         renamed,
         {"a list such as", "without keys such as \"x\": write { \"amount\" }"}},
        {"columns",
         numbered,
         {"a list such as { \"a\", \"b\" } or \"a,b\"", "without keys such as \"x\""}},
        {"count", keyed, {"a whole number", "not a table with the key \"city\""}},
        {"columns", text_of("a,,b"), {"columns has an empty value between two commas", "\"a,,b\""}},
        {"fn", text_of("f"), {"fn must be a Lua function", "not \"f\""}},
        {"loss",
         text_of("hnige"),
         {"\"logistic\", \"hinge\" or \"squared\"", "did you mean \"hinge\"?"}},
        {"loss", integer(1), {"\"logistic\", \"hinge\" or \"squared\"", "not 1"}},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_msg(one(wrong[i].key, wrong[i].v) == LEAT_EARG, "%s, case %zu", wrong[i].key, i);
        ck_says(problem(wrong[i].key), wrong[i].says[0]);
        ck_says(problem(wrong[i].key), wrong[i].says[1]);
    }
}
END_TEST

START_TEST(ranges_are_inclusive_and_named_with_their_unit)
{
    ck_assert_int_eq(one("count", integer(1)), LEAT_OK);
    ck_assert_int_eq(one("count", integer(1000000)), LEAT_OK);
    one("count", integer(0));
    ck_assert_str_eq(problem("count"), "count must be 1 to 1000000 rows, not 0");
    one("count", text_of("2M"));
    ck_assert_str_eq(problem("count"), "count must be 1 to 1000000 rows, not \"2M\"");
    one("count", text_of("99999999999999999999"));
    ck_says(problem("count"), "must be 1 to 1000000 rows");
    ck_assert_int_eq(one("budget", text_of("1GB")), LEAT_OK);
    one("budget", text_of("1000"));
    ck_assert_str_eq(problem("budget"), "budget must be 1KB to 1GB, not \"1000\"");
    ck_assert_int_eq(one("wait", integer(60)), LEAT_OK);
    one("wait", text_of("61s"));
    ck_assert_str_eq(problem("wait"), "wait must be 0s to 1min, not \"61s\"");
    one("rate", text_of("1e999"));
    ck_assert_str_eq(problem("rate"), "rate: \"1e999\" is too large");
}
END_TEST

START_TEST(a_bound_of_infinity_is_no_bound)
{
    struct leat_param p = {.name = "p", .type = LEAT_INT, .min = 1, .max = INFINITY};
    ck_assert_str_eq(param_range(&p, &arena), "at least 1");
    p.min = -INFINITY, p.max = 5;
    ck_assert_str_eq(param_range(&p, &arena), "at most 5");
    p.min = -INFINITY, p.max = INFINITY;
    ck_assert_ptr_null(param_range(&p, &arena));
    union param_cell cell;
    struct value v = text_of("99999999999999999999");
    ck_says(param_read(&p, &v, &arena, &cell), "is too large");
    v = integer(INT64_MAX);
    ck_assert_ptr_null(param_read(&p, &v, &arena, &cell));
    ck_assert_int_eq(cell.integer, INT64_MAX);
}
END_TEST

START_TEST(an_item_with_a_comma_stands_in_quotes)
{
    ck_assert_int_eq(FILL({"columns", text_of("a, \"b,\"\"c\" , \"d\",\"e")}), LEAT_OK);
    ck_assert_uint_eq(cfg.columns.n, 4);
    ck_assert_str_eq(cfg.columns.v[0], "a");
    ck_assert_str_eq(cfg.columns.v[1], "b,\"c");
    ck_assert_str_eq(cfg.columns.v[2], "\"d\""); /* without a comma it keeps its quotes */
    ck_assert_str_eq(cfg.columns.v[3], "\"e");
    FILL({"columns", text_of("\"a,b\"c")});
    ck_assert_uint_eq(cfg.columns.n, 2);
}
END_TEST

START_TEST(unnamed_values_fill_the_positional_parameter)
{
    struct value inner[2] = {text_of("c,d"), text_of("e")};
    struct value list = {.type = VALUE_LIST, .n = 2, .list = inner};
    ck_assert_int_eq(FILL({NULL, text_of("a b")}, {"count", integer(5)}, {NULL, list}), LEAT_OK);
    ck_assert_uint_eq(cfg.columns.n, 3);
    ck_assert_str_eq(cfg.columns.v[0], "a b");
    ck_assert_str_eq(cfg.columns.v[1], "c,d"); /* values of a list are not split */
    ck_assert_str_eq(cfg.columns.v[2], "e");
    FILL({NULL, text_of("a")}, {"columns", text_of("b")});
    ck_says(problem("columns"), "columns is set twice");
    FILL({NULL, integer(4)});
    ck_says(problem("columns"), "value 1 is 4");
}
END_TEST

START_TEST(a_positional_scalar_takes_one_unnamed_value)
{
    static const struct leat_param file[] = {
        {P(file, LEAT_PATH), .flags = LEAT_POSITIONAL | LEAT_REQUIRED}};
    static const struct leat_stage s = {LEAT_PARAMS(file, struct cfg)};
    struct setting two[] = {{NULL, text_of("x.csv")}, {NULL, text_of("y.csv")}};
    ck_assert_int_eq(fill_stage(&s, two, 1), LEAT_OK);
    ck_assert_str_eq(cfg.file, "x.csv");
    fill_stage(&s, two, 2);
    ck_assert_uint_ge(diag.errors, 1);
    ck_says(diag.first->text, "one unnamed value (file), not 2");
    static const struct leat_stage none = {.cfg_size = sizeof(struct cfg)};
    fill_stage(&none, two, 1);
    ck_says(problem(NULL), "no unnamed values");
}
END_TEST

START_TEST(required_parameters_are_missed_with_their_meaning)
{
    static const struct leat_param k[] = {{P(count, LEAT_INT), .flags = LEAT_REQUIRED,
                                           .def = "no number", .doc = "how many to keep"}};
    static const struct leat_stage s = {LEAT_PARAMS(k, struct cfg)};
    ck_assert_ptr_null(params_table_fault(&s, &arena)); /* .def is ignored */
    fill_stage(&s, NULL, 0);
    ck_assert_str_eq(problem("count"), "count is missing: how many to keep");
    struct setting nil = {"count", {.type = VALUE_NIL}};
    fill_stage(&s, &nil, 1);
    ck_says(problem("count"), "count is missing");
}
END_TEST

START_TEST(all_that_is_wrong_is_reported_and_the_rest_is_filled)
{
    ck_assert_int_eq(FILL({"conut", integer(1)}, {"budget", boolean(1)}, {"count", integer(7)},
                          {"count", integer(8)}, {"rate", text_of("0.25")}),
                     LEAT_EARG);
    ck_assert_uint_eq(diag.errors, 3);
    ck_assert_int_eq(cfg.count, 7);
    ck_assert(cfg.rate == 0.25);
    ck_assert_int_eq(cfg.budget, 0);
    ck_assert_int_eq(cfg.wait, 250000000);
}
END_TEST

START_TEST(texts_are_copied_and_may_not_hold_nul)
{
    char title[] = "first", list[] = "p,q";
    ck_assert_int_eq(FILL({"title", text_of(title)}, {"columns", text_of(list)}), LEAT_OK);
    memset(title, '#', 5);
    memset(list, '#', 3);
    ck_assert_str_eq(cfg.title, "first");
    ck_assert_str_eq(cfg.columns.v[1], "q");
    one("title", (struct value){.type = VALUE_TEXT, .text = "a\0b", .n = 3});
    ck_says(problem("title"), "zero byte");
    one("columns", (struct value){.type = VALUE_TEXT, .text = "a\0b", .n = 3});
    ck_says(problem("columns"), "columns must be");
}
END_TEST

START_TEST(long_and_unprintable_text_is_shown_cut_and_escaped)
{
    one("count", text_of("\033[31mred\n"));
    ck_says(problem("count"), "\"\\027[31mred\\010\"");
    one("count", text_of("ääääääääääääääääääääääääääääääääääääää"));
    const char *text = strstr(problem("count"), "not \"") + 5;
    ck_says(text, "…");
    ck_assert_uint_eq(strspn(text, "ä"), 40); /* whole characters */
}
END_TEST

START_TEST(lists_as_text_are_cut_at_commas)
{
    static const struct {
        const char *text;
        uint32_t n;
        const char *last;
    } lists[] = {
        {"a", 1, "a"}, {" a , b c ", 2, "b c"}, {"", 0, NULL}, {"  ", 0, NULL}, {"a,b,c", 3, "c"}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        ck_assert_int_eq(one("columns", text_of(lists[i].text)), LEAT_OK);
        ck_assert_uint_eq(cfg.columns.n, lists[i].n);
        if (lists[i].n) ck_assert_str_eq(cfg.columns.v[lists[i].n - 1], lists[i].last);
    }
    ck_assert_int_eq(one("columns", text_of(",")), LEAT_EARG);
    ck_assert_int_eq(one("columns", text_of("a,")), LEAT_EARG);
}
END_TEST

START_TEST(an_interval_is_time_with_a_unit_and_examples_without)
{
    ck_assert_int_eq(one("every", text_of("5min")), LEAT_OK);
    ck_assert(cfg.every.ns == 300000000000 && cfg.every.examples == 0);
    ck_assert_int_eq(one("every", text_of("2M")), LEAT_OK);
    ck_assert(cfg.every.ns == 0 && cfg.every.examples == 2000000);
    ck_assert_int_eq(one("every", integer(0)), LEAT_OK);
    ck_assert(cfg.every.ns == 0 && cfg.every.examples == 0);
}
END_TEST

/* `count` replaces `budget`; `rate` has a meaning only with `count`. */
static const struct leat_param beside_params[] = {
    {P(budget, LEAT_SIZE), .def = "32KB"},
    {P(count, LEAT_INT), .def = "0", .replaces = "budget"},
    {P(rate, LEAT_FLOAT), .def = "0.05", .only_with = "count"},
};
static const struct leat_stage beside_stage = {.name = "learn.x",
                                               LEAT_PARAMS(beside_params, struct cfg)};

START_TEST(a_value_that_another_one_makes_useless_is_refused)
{
    const struct setting total = {"count", integer(9)}, none = {"count", integer(0)};
    const struct setting budget = {"budget", text_of("32KB")}, rate = {"rate", number(0.05)};
    const struct {
        struct setting s[2];
        const char *param, *says; /* NULL if the settings are correct */
    } tries[] = {
        {{total, rate}, NULL, NULL},
        {{none, budget}, NULL, NULL},
        {{budget, total}, "budget", "has no effect together with count: leave one of the two out"},
        {{rate, budget}, "rate", "has no effect without count: set both, or leave rate out"},
        {{rate, none}, "rate", "has no effect without count"},
    };
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        fill_stage(&beside_stage, tries[i].s, 2);
        ck_assert_uint_eq(diag.errors, tries[i].says != NULL);
        if (tries[i].says) ck_says(problem(tries[i].param), tries[i].says);
    }
}
END_TEST

/* A table of one or two parameters with one fault. */
static const char *table_fault(const struct leat_param *p, uint32_t n, size_t cfg_size)
{
    struct leat_stage s = {
        .params = p, .n_params = n, .param_size = sizeof *p, .cfg_size = cfg_size};
    return params_table_fault(&s, &arena);
}

START_TEST(tables_that_would_write_astray_are_refused)
{
    static const char *const no_choices[] = {0};
    const struct {
        struct leat_param p[2];
        uint32_t n;
        const char *says;
    } bad[] = {
        {{{.name = "Big", .type = LEAT_INT}}, 1, "'Big'"},
        {{{.type = LEAT_INT}}, 1, "(nothing)"},
        {{{.name = "a", .type = 99}}, 1, "type 99; it must be 1 to 11"},
        {{{.name = "a"}}, 1, "type 0"},
        {{{.name = "a", .type = LEAT_INT, .offset = 12}},
         1,
         "bytes 12 to 20 of a configuration of 16 bytes"},
        {{{.name = "a", .type = LEAT_INT, .offset = SIZE_MAX - 3}},
         1,
         "of a configuration of 16 bytes"},
        {{{.name = "a", .type = LEAT_BOOL}, {.name = "a", .type = LEAT_BOOL, .offset = 8}},
         2,
         "listed twice"},
        {{{.name = "a", .type = LEAT_INT}, {.name = "b", .type = LEAT_BOOL, .offset = 4}},
         2,
         "share bytes"},
        {{{.name = "a", .type = LEAT_INT, .flags = LEAT_POSITIONAL},
          {.name = "b", .type = LEAT_INT, .offset = 8, .flags = LEAT_POSITIONAL}},
         2,
         "both take the unnamed"},
        {{{.name = "a", .type = LEAT_CHOICE}}, 1, "without choices"},
        {{{.name = "a", .type = LEAT_CHOICE, .choices = no_choices}}, 1, "without choices"},
        {{{.name = "a", .type = LEAT_INT, .min = 5, .max = 2}}, 1, "impossible range: 5 to 2"},
        {{{.name = "a", .type = LEAT_FLOAT, .min = 0, .max = NAN}}, 1, "range"},
        {{{.name = "a", .type = LEAT_INT, .def = "x"}}, 1, "default \"x\""},
        {{{.name = "a", .type = LEAT_INT, .def = "7", .min = 1, .max = 6}}, 1, "must be 1 to 6"},
        {{{.name = "a", .type = LEAT_CHOICE, .def = "x", .choices = losses}}, 1, "default \"x\""},
        {{{.name = "a", .type = LEAT_FUNCTION, .def = "f"}}, 1, "default \"f\""},
        {{{.name = "a", .type = LEAT_INT, .replaces = "b"}}, 1, "refers to 'b'"},
        {{{.name = "a", .type = LEAT_INT, .only_with = "a"}}, 1, "refers to 'a'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_says(table_fault(bad[i].p, bad[i].n, 16), bad[i].says);
    ck_says(table_fault(NULL, 3, 16), "it announces 3 parameters and lists none");
    ck_assert_ptr_null(table_fault(NULL, 0, 0));
    ck_assert_ptr_null(params_table_fault(&stage, &arena));
}
END_TEST

/* Random text against every type. Accepted values obey the declaration, and read back. */
START_TEST(random_text_is_refused_or_yields_a_value_within_its_declaration)
{
    static const char alphabet[] = "0123456789.eE+-KMGBikmsuhdn ,\"x\xc2\xb5";
    uint64_t seed = 2463534242;
    int taken = 0;
    for (int i = 0; i < 30000; i++) {
        char text[12] = {0};
        size_t n = next(&seed) % sizeof text;
        for (size_t k = 0; k < n; k++)
            text[k] = alphabet[next(&seed) % (sizeof alphabet - 1)];
        const struct leat_param *p = &params[next(&seed) % N_PARAMS];
        if (one(p->name, text_of(text)) != LEAT_OK) continue;
        taken++;
        ck_assert(cfg.count >= 1 && cfg.count <= 1000000);
        ck_assert(cfg.budget >= 1024 && cfg.budget <= 1 << 30);
        ck_assert(cfg.wait >= 0 && cfg.wait <= 60000000000);
        ck_assert(isfinite(cfg.rate) && cfg.loss >= 0 && cfg.loss < 3);
        ck_assert(cfg.every.ns >= 0 && cfg.every.examples >= 0);
        ck_assert(cfg.flag == 0 || cfg.flag == 1);
    }
    ck_assert_int_gt(taken, 1000);
    arena_free(&arena);
}
END_TEST

LEAT_SUITE(
    "params", without_settings_all_is_default_or_zero, typed_values_and_their_text_mean_the_same,
    shown_settings_read_back_as_the_same_configuration,
    any_bytes_survive_being_shown_and_broken_text_ends_where_it_ends,
    a_misspelt_parameter_is_answered_with_the_near_one, a_list_with_keys_is_its_entries,
    a_choice_is_known_by_words_of_its_documentation,
    wrong_types_say_what_is_wanted_by_example_and_what_was_given,
    ranges_are_inclusive_and_named_with_their_unit, a_bound_of_infinity_is_no_bound,
    unnamed_values_fill_the_positional_parameter, an_item_with_a_comma_stands_in_quotes,
    a_positional_scalar_takes_one_unnamed_value, required_parameters_are_missed_with_their_meaning,
    all_that_is_wrong_is_reported_and_the_rest_is_filled, texts_are_copied_and_may_not_hold_nul,
    long_and_unprintable_text_is_shown_cut_and_escaped, lists_as_text_are_cut_at_commas,
    an_interval_is_time_with_a_unit_and_examples_without,
    a_value_that_another_one_makes_useless_is_refused, tables_that_would_write_astray_are_refused,
    random_text_is_refused_or_yields_a_value_within_its_declaration)
