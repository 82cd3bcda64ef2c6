/* sink_rig.c -- implementation of sink_rig.h. */
#include "sink_rig.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- files ---- */

static char path[64];
static char text[1 << 16];

struct harness *sink_rig(const char *plugin, const char *stage, const char *format)
{
    struct harness *h = harness_new(plugin, stage);
    strcpy(path, "/tmp/leat_evaluate_XXXXXX");
    close(mkstemp(path));
    harness_set(h, "path", path);
    harness_set(h, "format", format);
    return h;
}

struct harness *sink_rig_evaluating(const char *stage, const char *format, uint32_t entries)
{
    struct harness *h = sink_rig("evaluate", stage, format);
    harness_has(h, LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL);
    h->in.examples_per_record = entries;
    h->in.entries_per_record = entries;
    return h;
}

char *sink_rig_finish(struct harness *h)
{
    harness_free(h);
    FILE *f = fopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    unlink(path);
    return text;
}

json_t *sink_rig_finish_json(struct harness *h)
{
    json_error_t e;
    json_t *j = json_loads(sink_rig_finish(h), 0, &e);
    ck_assert_msg(j != NULL, "%s: %s", e.text, text);
    return j;
}

double sink_rig_number(const json_t *j, const char *key)
{
    const json_t *v = json_object_get(j, key);
    ck_assert_msg(v != NULL, "no %s", key);
    return json_is_null(v) ? (double)NAN : json_number_value(v);
}

/* ---- answers of a learner ---- */

enum { ROWS = 64 };
static char name_text[ROWS][512];
static const char *names[ROWS];
static uint32_t name_len[ROWS];
static double weights[ROWS];
static uint32_t n_rows;

void sink_rig_row(const char *name, double weight)
{
    snprintf(name_text[n_rows], sizeof name_text[0], "%s", name);
    names[n_rows] = name_text[n_rows];
    name_len[n_rows] = (uint32_t)strlen(name);
    weights[n_rows++] = weight;
}

void sink_rig_show(struct harness *h, uint64_t examples, uint32_t last)
{
    static const char *const columns[] = {"weight"};
    struct leat_table t = {.size = sizeof t,
                           .kind = LEAT_QUERY_TOP,
                           .learner = "model",
                           .examples = examples,
                           .last = last,
                           .n_columns = 1,
                           .n_rows = n_rows,
                           .columns = columns,
                           .names = names,
                           .name_len = name_len,
                           .values = weights};
    ck_assert_int_eq(h->stage->asker->show(&h->ctx, h->self, &t), LEAT_OK);
    n_rows = 0;
}
