/* breaking.c -- feature.breaking: a stage that breaks one rule of stages, for --debug-plugins.
 *
 * `how` chooses the fault; "nothing" has none. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <leat/plugin.h>

struct cfg {
    const char *how;
};
static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, how, LEAT_STRING, .flags = LEAT_REQUIRED, .doc = "what it does"),
};

struct breaking {
    uint64_t calls;
};

static int negotiate(const void *config, struct leat_negotiation *n)
{
    const char *how = ((const struct cfg *)config)->how;
    uint32_t index;
    n->out->has |= LEAT_HAS_EXAMPLES;
    n->add_bounds(n, &(struct leat_bounds){.examples_per_record = 1, .entries_per_record = 1});
    if (n->in->n_columns && strcmp(how, "unasked"))
        n->column(n, NULL, n->in->column[0].name, LEAT_TAKES_TEXT, &index);
    if (!strcmp(how, "unknown type")) return n->add_column(n, "made", 4, 31, NULL);
    return n->add_column(n, "made", 4, strcmp(how, "boolean") ? LEAT_NUMBER : LEAT_BOOLEAN, NULL);
}

static void break_record(const char *how, struct leat_batch *b, const struct leat_schema *out,
                         uint32_t r)
{
    union leat_cells made = b->column[out->n_columns - 1];
    if (!strcmp(how, "boolean"))
        made.boolean[r] = 7;
    else if (strcmp(how, "unfilled"))
        made.number[r] = r;
    if (!strcmp(how, "unasked")) b->weight[r] = (float)b->column[0].text[r].len;
    if (!strcmp(how, "rewrite")) b->column[0].text[r].len = 0;
    if (!strcmp(how, "raw")) b->raw[r].len = 0;
    if (!strcmp(how, "label")) b->label[r] = 5.0f;
    if (leat_add_example(b, r) >= 0) leat_add_entry(b, 7, 1.0f);
}

static void break_counts(const char *how, struct leat_batch *b)
{
    if (!strcmp(how, "n")) b->n--;
    if (!strcmp(how, "n_sel")) b->n_sel--;
    if (!strcmp(how, "n_entries")) b->n_entries = b->cap_entries + 1;
}

static void break_batch(const char *how, struct leat_batch *b)
{
    if (!strcmp(how, "text")) b->bytes[0] = '!';
    if (!strcmp(how, "sel")) b->sel[0] = 1;
    if (!strcmp(how, "status")) b->status[0] = 9;
    if (!strcmp(how, "ex_start")) b->ex_start[1] = 294967298;
    if (!strcmp(how, "ex_record")) b->ex_record[0] = 4000000;
    if (!strcmp(how, "nan")) b->value[0] = NAN;
    if (!strcmp(how, "slice")) b->column[0].text[0] = (struct leat_str){b->n_bytes, 4};
    if (!strcmp(how, "beyond value")) b->value[b->cap_entries + 16] = 1;
    if (!strcmp(how, "beyond label")) b->label[b->cap + 16] = 1;
    if (!strcmp(how, "beyond status")) memset(b->status, 0, b->cap + 100);
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct cfg *cfg = ctx->cfg;
    struct breaking *st = self;
    for (LEAT_EACH_RECORD(b, r))
        break_record(cfg->how, b, ctx->out, r);
    break_batch(cfg->how, b);
    break_counts(cfg->how, b);
    if (!strcmp(cfg->how, "self")) memset(st + 1, 1, 100);
    if (!strcmp(cfg->how, "print")) puts("hello there");
    if (!strcmp(cfg->how, "write") && write(STDOUT_FILENO, "hello there\n", 12) < 0)
        return LEAT_EIO;
    st->calls++;
    return LEAT_OK;
}

static const struct leat_stage breaking = {
    .name = "feature.breaking",
    .summary = "does what no stage may do",
    .kind = LEAT_TRANSFORM,
    .needs = LEAT_HAS_COLUMNS,
    .makes = LEAT_HAS_EXAMPLES | LEAT_HAS_COLUMNS,
    LEAT_PARAMS(params, struct cfg),
    .instance_size = sizeof(struct breaking),
    .negotiate = negotiate,
    .process = process,
};

LEAT_PLUGIN("breaking", "1.0", "Apache-2.0", "breaks things", &breaking);
