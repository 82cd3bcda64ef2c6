/* good.c -- a plugin without fault: a source, and a transform with a parameter of every kind.
 *
 * Tests load it and read back the host's version of its tables. */
#include <leat/plugin.h>

struct every {
    int32_t flag;
    int64_t count;
    double rate;
    const char *title;
    const char *file;
    int32_t loss;
    int64_t budget;
    int64_t wait;
    struct leat_interval every;
    struct leat_strings columns;
};

static const char *const losses[] = {"logistic", "hinge", NULL};

#define P(FIELD, TYPE) .name = #FIELD, .type = TYPE, .offset = offsetof(struct every, FIELD)
static const struct leat_param every_params[] = {
    {P(flag, LEAT_BOOL), .def = "true", .doc = "a switch"},
    {P(count, LEAT_INT), .def = "64Ki", .min = 1, .max = 1e6, .unit = "rows", .doc = "how many"},
    {P(rate, LEAT_FLOAT), .def = "1e-6", .min = 0, .max = INFINITY, .doc = "how fast"},
    {P(title, LEAT_STRING), .doc = "what to call it"},
    {P(file, LEAT_PATH), .flags = LEAT_ADVANCED, .def = "a/b.csv", .doc = "where it lies"},
    {P(loss, LEAT_CHOICE), .def = "hinge", .choices = losses, .doc = "which loss | or none"},
    {P(budget, LEAT_SIZE), .def = "32KB", .min = 1024, .max = 1 << 30, .doc = "memory"},
    {P(wait, LEAT_DURATION), .def = "250ms", .min = 0, .max = 60, .doc = "patience"},
    {P(every, LEAT_INTERVAL), .def = "10s", .doc = "how often"},
    {P(columns, LEAT_STRINGS), .flags = LEAT_POSITIONAL | LEAT_REQUIRED, .doc = "which columns"},
};

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b) { return LEAT_OK; }

static int produce(struct leat_ctx *ctx, void *self, struct leat_batch *b) { return LEAT_EOS; }

static const struct leat_stage stage[] = {
    {.name = "source.nothing",
     .summary = "a stream without records",
     .kind = LEAT_SOURCE,
     .makes = LEAT_HAS_RECORDS,
     .source = LEAT_ROLE(leat_source, .framings = LEAT_FRAMINGS_OF_MESSAGES, .produce = produce)},
    {.name = "feature.every",
     .summary = "a parameter of every type",
     .doc =
         "The first paragraph is long enough that it has to be broken somewhere before it "
         "reaches the "
         "edge of the terminal.\n\n  w <- w - eta * g\n\nKeeps `alpha_1`-th records.\nThe last`_.",
     .example = "leat.feature.every { \"a\", \"b\", budget = \"32KB\" }",
     .kind = LEAT_TRANSFORM,
     .caps = LEAT_PARALLEL,
     .needs = LEAT_HAS_COLUMNS | LEAT_HAS_LABEL,
     .makes = LEAT_HAS_EXAMPLES | LEAT_HAS_NAMES,
     LEAT_PARAMS(every_params, struct every),
     .process = process},
};
LEAT_PLUGIN("good", "1.2", "MIT", "a plugin without fault", &stage[0], &stage[1]);
