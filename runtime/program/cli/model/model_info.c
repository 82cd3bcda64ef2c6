/* model_info.c -- `leat model info`: what a snapshot holds. One JSON object is made; for people
 * it is laid out as lines. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "command_model.h"
#include "program/cli/summary/figures_json.h"
#include "host/log/json_text.h"
#include "core/report/text_out.h"
#include "program/cli/summary/summary.h"
#include "host/plugin/quantity.h"

uint64_t model_state_bytes(const struct model *m, const struct node *n)
{
    uint64_t sum = 0;
    for (int lane = 0; lane < n->lanes; lane++) {
        const struct snapshot_section *s = model_section(m, "stage", n, lane);
        sum += s ? s->n : 0;
    }
    return sum;
}

json_t *model_figures(const struct model *m, const struct node *n)
{
    return figures_json(run_instance(&m->run, n, 0)->learning.progressive);
}

json_t *model_head(const struct model *m)
{
    return json_pack("{s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "file", json_text(m->file),
                     "pipeline", m->graph.name, "seed", (json_int_t)m->graph.options.seed,
                     "checkpoint", (json_int_t)m->from.checkpoint, "created",
                     (json_int_t)m->run.saved_at, "bytes", (json_int_t)m->from.n_bytes, "records",
                     (json_int_t)run_records(&m->run), "rejected",
                     (json_int_t)m->run.rejects.count);
}

static json_t *stage_json(const struct model *m, const struct node *n)
{
    json_t *o = json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:o}", "id", n->id, "stage", n->name,
                          SUMMARY_COUNTS(&m->run, n), "state_bytes",
                          (json_int_t)model_state_bytes(m, n), "metrics", model_figures(m, n));
    summary_add_made(&m->run, n, o);
    return o;
}

static json_t *info_json(const struct model *m)
{
    json_t *o = model_head(m), *stages = json_array();
    for (uint32_t k = 0; k < m->graph.n_nodes; k++)
        json_array_append_new(stages, stage_json(m, &m->graph.node[k]));
    json_object_set_new(o, "reasons", summary_reasons(&m->run));
    json_t *merged = json_object_get(m->pipeline, "merged");
    if (merged) json_object_set(o, "merged", merged);
    if (merged) json_object_set(o, "dropped", json_object_get(m->pipeline, "dropped"));
    json_object_set_new(o, "stages", stages);
    return o;
}

/* ---- for people ---- */

void model_print(json_t *o, const struct command_line *c,
                 void (*put)(const json_t *, struct arena *), struct arena *a)
{
    if (c->json) json_print(json_incref(o), JSON_INDENT(1), stdout);
    if (!c->json) put(o, a);
    json_decref(o);
}

const char *model_made(const json_t *o, struct arena *a)
{
    uint64_t unix_ns = (uint64_t)json_integer_value(json_object_get(o, "created"));
    char text[64];
    struct tm t;
    time_t seconds = (time_t)(unix_ns / 1000000000u);
    if (!unix_ns || !gmtime_r(&seconds, &t)) return "at an unknown time";
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &t);
    return arena_strdup(a, text);
}

static const char *number(const json_t *v, struct arena *a)
{
    if (json_is_real(v)) return arena_printf(a, "%.4g", json_real_value(v));
    if (json_is_string(v)) return json_string_value(v);
    if (!json_is_integer(v)) return "-";
    char digits[32], *out = arena_alloc(a, 48);
    int n = snprintf(digits, sizeof digits, "%" JSON_INTEGER_FORMAT, json_integer_value(v)), k = 0;
    for (int i = 0; i < n; i++) {
        out[k++] = digits[i];
        if (i + 1 < n && (n - 1 - i) % 3 == 0 && digits[i] != '-') out[k++] = ',';
    }
    return out;
}

const char *model_of(const json_t *o, struct arena *a, const char *key)
{
    return number(json_object_get(o, key), a);
}

static const char *joined(const json_t *o, struct arena *a)
{
    const char *text = "", *key;
    json_t *v;
    json_object_foreach((json_t *)o, key, v)
    {
        text = arena_printf(a, "%s%s%s %s", text, *text ? ", " : "", key, number(v, a));
    }
    return text;
}

static const char *list(const json_t *all, struct arena *a)
{
    const char *text = "";
    size_t i;
    json_t *v;
    json_array_foreach((json_t *)all, i, v)
    {
        text = arena_printf(a, "%s%s%s", text, i ? ", " : "", json_string_value(v));
    }
    return text;
}

/* Blanks after a name that has fewer columns on a terminal. */
static int padding(const char *s, int width)
{
    int n = (int)text_width(s, strlen(s));
    return n < width ? width - n : 0;
}

static void put_stage(const json_t *s, struct arena *a)
{
    const char *id = model_of(s, a, "id"), *figures = joined(json_object_get(s, "metrics"), a);
    printf("  %s%*s  %-18s %12s %12s %10s %12s  %s\n", id, padding(id, 12), "",
           model_of(s, a, "stage"), model_of(s, a, "in"), model_of(s, a, "out"),
           model_of(s, a, "rejected"), model_of(s, a, "state_bytes"), figures);
}

static void put_info(const json_t *o, struct arena *a)
{
    const json_t *stages = json_object_get(o, "stages"), *merged = json_object_get(o, "merged");
    size_t i;
    json_t *s;
    printf("%s\n", model_of(o, a, "file"));
    printf("  pipeline  %s, seed %" JSON_INTEGER_FORMAT "\n", model_of(o, a, "pipeline"),
           json_integer_value(json_object_get(o, "seed")));
    printf("  snapshot  %s, made %s, %s bytes\n", model_of(o, a, "checkpoint"), model_made(o, a),
           model_of(o, a, "bytes"));
    if (merged)
        printf("  merged    from %s; without the states of %s\n", model_of(o, a, "merged"),
               list(json_object_get(o, "dropped"), a));
    const char *why = joined(json_object_get(o, "reasons"), a);
    printf("  records   %s\n  rejected  %s%s%s\n\n", model_of(o, a, "records"),
           model_of(o, a, "rejected"), *why ? ": " : "", why);
    printf("  %-12s  %-18s %12s %12s %10s %12s  %s\n", "id", "stage", "in", "out", "rejected",
           "state bytes", "figures");
    json_array_foreach(stages, i, s) { put_stage(s, a); }
}

int model_info(const struct command_line *c, struct registry *known)
{
    struct model m;
    int status = model_open(&m, c->operand[0], c->memory, known);
    if (status == LEAT_OK) model_print(info_json(&m), c, put_info, &m.arena);
    model_close(&m);
    return status;
}
