/* model_info.c -- `leat model info`, `leat model verify`, and the snapshot as a summary. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "model.h"
#include "model_inputs.h"
#include "core/report/text_out.h"
#include "core/text/plain_text.h"
#include "core/time/utc.h"
#include "core/version.h"
#include "host/log/log.h"
#include "host/log/json_text.h"
#include "host/params/quantity.h"
#include "host/checkpoint/splits.h"
#include "host/store/snapshot_dir.h"
#include "host/store/state_codec.h"
#include "model_question.h"
#include "program/cli/summary/summary.h"
#include "program/cli/summary/summary_parts.h"
#include "program/page/fields.h"

/* ---- `leat model info` ---- */

/* Returns the bytes of a stage's states in the snapshot. */
static uint64_t model_state_bytes(const struct model *m, const struct node *n)
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
    return json_pack("{s:o, s:s, s:I, s:O*, s:I, s:I, s:I, s:I, s:I}", "file", json_text(m->file),
                     "pipeline", m->graph.name, "seed", (json_int_t)m->graph.options.seed, "linalg",
                     json_object_get(m->pipeline, "linalg"), "checkpoint",
                     (json_int_t)m->from.checkpoint, "created", (json_int_t)m->run.saved_at,
                     "bytes", (json_int_t)m->from.n_bytes, "records", (json_int_t)m->records,
                     "rejected", (json_int_t)m->run.rejects.count);
}

/* Lets a learner report its own figures, such as `exact`, if its plugin is there. Returns LEAT_OK,
 * or the status of a learner that cannot be restored or asked, after printing the reason. */
static int info_ask_learner(struct model *m, struct node *n)
{
    const struct leat_ask none = {.size = sizeof none, .kind = LEAT_QUERY_TOP};
    struct answer answer;
    if (n->stage->kind != LEAT_LEARNER || !n->type || !model_can_open(m, n)) return LEAT_OK;
    int status = model_restore_stage(m, n);
    if (status != LEAT_OK || !n->stage->learner->query) return status;
    bool hushed = log_hush(true);
    status = answer_take(&answer, run_instance(&m->run, n, 0), &none, &m->arena);
    log_hush(hushed);
    return status < 0 ? model_tell(m, &m->run, n, status) : LEAT_OK;
}

static int info_ask_learners(struct model *m)
{
    int worst = LEAT_OK;
    for (uint32_t k = 0; k < m->graph.n_nodes; k++) {
        int status = info_ask_learner(m, &m->graph.node[k]);
        worst = status < worst ? status : worst;
    }
    return worst;
}

static void info_add_own_figures(struct model *m, const struct node *n, json_t *to)
{
    const struct instance *i = run_instance(&m->run, n, 0);
    for (uint32_t k = 0; k < i->n_metrics; k++)
        json_object_set_new(to, i->metric[k].figure->name, json_figure(i->metric[k].value));
}

static json_t *info_stage_json(struct model *m, struct node *n)
{
    json_t *o = json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:o}", "id", n->id, "stage", n->name,
                          SUMMARY_COUNTS(&m->run, n), "state_bytes",
                          (json_int_t)model_state_bytes(m, n), "metrics", model_figures(m, n));
    summary_add_made(&m->run, n, o);
    info_add_own_figures(m, n, json_object_get(o, "metrics"));
    return o;
}

static json_t *info_json(struct model *m)
{
    json_t *o = model_head(m), *stages = json_array();
    for (uint32_t k = 0; k < m->graph.n_nodes; k++)
        if (model_section(m, "host", &m->graph.node[k], 0))
            json_array_append_new(stages, info_stage_json(m, &m->graph.node[k]));
    json_object_set_new(o, "reasons", summary_reasons(&m->run));
    json_t *dropped = json_object_get(m->pipeline, "dropped");
    if (m->splits) json_object_set(o, "splits", m->splits);
    if (dropped) json_object_set(o, "dropped", dropped);
    json_object_set_new(o, "stages", stages);
    return o;
}

/* ---- output for people ---- */

void model_print(json_t *o, const struct command_line *c,
                 void (*put)(const json_t *, struct arena *), struct arena *a)
{
    if (c->json) json_print(json_incref(o), JSON_INDENT(1), stdout);
    if (!c->json) put(o, a);
    json_decref(o);
}

const char *model_made(const json_t *o, struct arena *a)
{
    json_int_t unix_ns = json_integer_value(json_object_get(o, "created"));
    char text[UTC_TEXT + 1] = "";
    if (unix_ns <= 0) return "";
    utc_write(text, unix_ns);
    return arena_printf(a, ", made %s", field_moment(arena_strdup(a, text), a));
}

static const char *info_number(const json_t *v, struct arena *a)
{
    if (json_is_real(v)) return arena_printf(a, "%.4g", json_real_value(v));
    if (json_is_string(v)) return json_string_value(v);
    if (!json_is_integer(v)) return "-";
    char text[32];
    json_int_t n = json_integer_value(v);
    size_t len = text_format_grouped(text, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
    return arena_printf(a, "%s%.*s", n < 0 ? "-" : "", (int)len, text);
}

const char *model_of(const json_t *o, struct arena *a, const char *key)
{
    return info_number(json_object_get(o, key), a);
}

static const char *joined(const json_t *o, struct arena *a)
{
    const char *text = "", *key;
    json_t *v;
    json_object_foreach((json_t *)o, key, v)
    {
        text = arena_printf(a, "%s%s%s %s", text, *text ? ", " : "", key, info_number(v, a));
    }
    return text;
}

static const char *info_list(const json_t *all, struct arena *a)
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

/* ---- tables ---- */

struct model_rows {
    const json_t *all;
    const struct report_column *column;
    struct arena *arena;
};

static struct report_value info_cell(const void *of, uint32_t row, uint32_t column)
{
    const struct model_rows *t = of;
    const json_t *v = json_object_get(json_array_get(t->all, row), t->column[column].name);
    switch (t->column[column].type) {
    case REPORT_COUNT:
        return report_count((uint64_t)json_integer_value(v));
    case REPORT_WORD:
    case REPORT_NAME:
        return report_word(json_is_object(v) ? joined(v, t->arena) : json_string_value(v));
    default:
        return report_number(json_is_number(v) ? json_number_value(v) : (double)NAN);
    }
}

void model_table(const json_t *rows, const char *title, const struct report_column *column,
                 uint32_t columns, struct arena *a)
{
    char buffer[4096];
    const struct model_rows table = {rows, column, a};
    struct text_out out = {
        .buf = buffer, .cap = sizeof buffer, .drain = text_to_file, .to = stdout};
    struct report r = {.out = &out, .format = REPORT_TABLE, .title = title, .headed = true};
    report_begin(&r, NULL);
    report_rows(&r, &(struct report_list){.column = column,
                                          .n_columns = columns,
                                          .n_rows = (uint32_t)json_array_size(rows),
                                          .cell = info_cell,
                                          .of = &table});
    report_end(&r);
    text_flush(&out);
}

/* Returns the first names of splits, such as ": 0, 1, 2, …". */
static const char *split_names(const json_t *splits, struct arena *a)
{
    enum { SHOWN = 8 };
    size_t i;
    json_t *split;
    char name[48];
    const char *text = "";
    json_array_foreach((json_t *)splits, i, split)
    {
        if (i == SHOWN) return arena_printf(a, "%s, …", text);
        text = arena_printf(a, "%s%s%s", text, i ? ", " : ": ", splits_name(split, name));
    }
    return text;
}

static void put_info(const json_t *o, struct arena *a)
{
    static const struct report_column columns[] = {
        {.name = "id", .type = REPORT_WORD},
        {.name = "stage", .type = REPORT_WORD},
        {.name = "in", .type = REPORT_COUNT},
        {.name = "out", .type = REPORT_COUNT},
        {.name = "rejected", .type = REPORT_COUNT},
        {.name = "state_bytes", .type = REPORT_COUNT},
        {.name = "metrics", .type = REPORT_NAME, .heading = "figures"}};
    const json_t *splits = json_object_get(o, "splits"), *dropped = json_object_get(o, "dropped");
    printf("%s\n", model_of(o, a, "file"));
    printf("  pipeline  %s, seed %" JSON_INTEGER_FORMAT "\n", model_of(o, a, "pipeline"),
           json_integer_value(json_object_get(o, "seed")));
    if (json_object_get(o, "linalg")) printf("  products  by %s\n", model_of(o, a, "linalg"));
    if (splits)
        printf("  splits    %zu%s; %s bytes\n", json_array_size(splits), split_names(splits, a),
               model_of(o, a, "bytes"));
    else
        printf("  snapshot  %s%s, %s bytes\n", model_of(o, a, "checkpoint"), model_made(o, a),
               model_of(o, a, "bytes"));
    if (dropped) printf("  without   the states of %s\n", info_list(dropped, a));
    const char *why = joined(json_object_get(o, "reasons"), a);
    printf("  records   %s\n  rejected  %s%s%s\n", model_of(o, a, "records"),
           model_of(o, a, "rejected"), *why ? ": " : "", why);
    model_table(json_object_get(o, "stages"), "stages", columns, sizeof columns / sizeof *columns,
                a);
}

int model_info(const struct command_line *c, struct registry *known)
{
    struct model m;
    int status = model_open(&m, c->operand[0], c->memory, known);
    bool opened = status == LEAT_OK;
    if (opened) status = info_ask_learners(&m);
    if (opened) model_print(info_json(&m), c, put_info, &m.arena);
    model_close(&m);
    return status;
}

/* ---- `leat model verify` ---- */

/* Returns the stage to which the section stage/ID/LANE belongs. */
static const struct node *info_stage_of(const struct model *m, const char *section)
{
    for (uint32_t i = 0; i < m->graph.n_nodes; i++)
        for (int lane = 0; lane < m->graph.node[i].lanes; lane++) {
            const struct snapshot_section *s = model_section(m, "stage", &m->graph.node[i], lane);
            if (s && !strcmp(s->name, section)) return &m->graph.node[i];
        }
    return NULL;
}

/* Returns LEAT_OK if the section is intact and belongs to a stage of the pipeline. */
static int info_check_section(struct model *m, const struct snapshot_section *s)
{
    bool is_stage = !strncmp(s->name, "stage/", 6);
    /* model_open() has read and checked all other sections */
    if (!is_stage && strncmp(s->name, "host/", 5)) return LEAT_OK;
    const struct node *n = is_stage ? info_stage_of(m, s->name) : NULL;
    struct state_reader r;
    if (is_stage && !n)
        return model_fail(m, LEAT_EDATA, "section %s: the pipeline lacks this stage", s->name);
    int status = state_reader_init(&r, s->bytes, s->n);
    if (status == LEAT_OK && n) status = state_reader_expect(&r, n->name, UINT32_MAX, 0, "");
    if (status != LEAT_OK) model_fail(m, status, "section %s: %s", s->name, r.error);
    state_reader_free(&r);
    return status;
}

static int verify_stages(struct model *m, unsigned *restored)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; i < m->graph.n_nodes; i++) {
        struct node *n = &m->graph.node[i];
        /* a merge drops states that cannot be merged */
        bool dropped = json_object_get(m->pipeline, "dropped") && !model_section(m, "stage", n, 0);
        if (!model_can_open(m, n) || dropped) continue;
        if (model_restore_stage(m, n) == LEAT_OK)
            ++*restored;
        else
            status = LEAT_EDATA;
    }
    return status;
}

/* Prints the stages whose bytes are intact, but which could not be restored here. */
static void list_closed(const struct model *m)
{
    for (uint32_t i = 0; i < m->graph.n_nodes; i++) {
        const struct node *n = &m->graph.node[i];
        const char *why = model_closed(m, n);
        if (why && (n->has_schema || model_section(m, "stage", n, 0)))
            printf("  %s: not verified: %s\n", n->label, why);
    }
}

/* Checks all sections of a model, and restores its stages. `status` is the result of
 * model_open(). */
static int verify(struct model *m, int status, unsigned *restored)
{
    for (uint32_t i = 0; i < m->from.n && status != LEAT_EIO; i++)
        if (m->graph.n_nodes && info_check_section(m, &m->from.section[i]) != LEAT_OK)
            status = LEAT_EDATA;
    if (status == LEAT_OK) status = verify_stages(m, restored);
    return status == LEAT_OK ? LEAT_OK : LEAT_EDATA;
}

int model_accept(const char *name, void *bytes, size_t n, uint64_t memory, struct registry *known)
{
    struct model m;
    unsigned restored = 0;
    int status = model_open_bytes(&m, name, bytes, n, memory, known);
    status = verify(&m, status, &restored);
    model_close(&m);
    return status;
}

/* Checks that a state has all of `n` splits; any number of them if n is 0. */
static int verify_splits(struct model *m, uint64_t n)
{
    char text[256];
    const char *missing = n ? splits_missing(m->splits, n, text) : NULL;
    size_t has = json_array_size(m->splits);
    if (missing) return model_fail(m, LEAT_EDATA, "splits are missing: %s", missing);
    if (n && has > n) return model_fail(m, LEAT_EDATA, "it has %zu splits", has);
    return LEAT_OK;
}

/* Verifies and closes a model. `status` is the result of model_open(). */
static int verify_file(struct model *m, int status, uint64_t splits)
{
    unsigned restored = 0;
    status = verify(m, status, &restored);
    if (status == LEAT_OK) status = verify_splits(m, splits);
    if (status == LEAT_OK) {
        printf("%s: ok: %u sections, %u stages restored\n", m->file, m->from.n, restored);
        list_closed(m);
    }
    model_close(m);
    return status;
}

static int verify_directory(const struct command_line *c, const char *path, struct registry *known)
{
    struct model m;
    uint64_t checkpoint[SNAPSHOT_DIR_CHECKPOINTS];
    int n = snapshot_dir_list(path, checkpoint), status = LEAT_OK;
    for (int i = 0; i < n; i++) {
        char name[32], file[4200];
        snapshot_dir_name(checkpoint[i], name);
        snprintf(file, sizeof file, "%.4096s/%s", path, name);
        int opened = model_open_listed(&m, file, c->memory, known);
        if (opened == LEAT_OK && m.from.checkpoint != checkpoint[i])
            opened = model_fail(&m, LEAT_EDATA,
                                "its name is of another checkpoint: rename it to %016llu.snapshot",
                                (unsigned long long)m.from.checkpoint);
        if (opened == LEAT_AGAIN)
            model_close(&m);
        else if (verify_file(&m, opened, c->of) != LEAT_OK)
            status = LEAT_EDATA;
    }
    if (n < 0) plain_text_line(stderr, "leat: %s cannot be read: %s", path, strerror(errno));
    if (n == 0 && model_inputs_are_in(path))
        plain_text_line(
            stderr,
            "leat: %s is a folder of states: name one of them, or merge them: leat model "
            "merge - %s | leat model verify -",
            path, path);
    else if (n == 0)
        plain_text_line(stderr, "leat: %s: this folder has no snapshot", path);
    return n > 0 ? status : LEAT_EDATA;
}

int model_verify(const struct command_line *c, struct registry *known)
{
    struct stat st;
    const char *path = c->operand[0];
    bool directory = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    if (directory) return verify_directory(c, path, known);
    struct model m;
    int opened = model_open(&m, path, c->memory, known);
    return verify_file(&m, opened, c->of);
}

/* ---- a snapshot as the summary of its run (summary.h) ---- */

static const json_t *info_parameters_of(const struct model *m, const struct node *n)
{
    const json_t *stage = json_array_get(json_object_get(m->pipeline, "stages"), n->index);
    return json_object_get(stage, "parameters");
}

static json_t *model_summary_stage_json(struct model *m, const struct node *n)
{
    const struct instance *first = run_instance(&m->run, n, 0);
    const struct stage_type *known = registry_find(m->known, n->name);
    json_t *o = json_pack("{s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:o}", "id", json_text(n->id),
                          "plugin", json_text(n->name), SUMMARY_COUNTS(&m->run, n), "state_bytes",
                          (json_int_t)model_state_bytes(m, n), "metrics",
                          figures_json(first->learning.progressive));
    summary_add_made(&m->run, n, o);
    summary_add_learner(first, o);
    settings_json_add_saved(info_parameters_of(m, n), known ? known->stage : NULL, o, &m->arena);
    return o;
}

/* Queries a learner. If the query fails, sets *to to NULL; a message has been printed. */
static int info_ask(struct model *m, struct node *n, const struct node *sink, json_t **to)
{
    struct answer answer;
    struct model_question q;
    int status = model_restore_stage(m, n);
    *to = NULL;
    if (status != LEAT_OK || !n->stage->learner->query) return status;
    if ((status = model_question_read(m, NULL, sink, &q)) != LEAT_OK) return status;
    status = answer_ask(&answer, run_instance(&m->run, n, 0), &q.want, &m->arena);
    if (status != LEAT_OK) return model_tell(m, &m->run, n, status);
    *to = answer_json(&answer, &(struct answer_shown){.sink = sink ? sink->id : "",
                                                      .learner = n->id,
                                                      .title = q.title,
                                                      .noun = q.noun,
                                                      .columns = {q.columns.name, q.columns.n, 0},
                                                      .examples = model_examples(m, n),
                                                      .time = model_time(m, n)});
    return LEAT_OK;
}

static json_t *answer_of(struct model *m, struct node *n)
{
    json_t *answer;
    const struct node *sink = model_question_sink(m, n);
    if (info_ask(m, n, sink, &answer) == LEAT_OK) return answer;
    return json_pack("{s:o, s:o, s:o}", "sink", json_text(sink ? sink->id : ""), "learner",
                     json_text(n->id), "error", json_text(m->fault));
}

static json_t *answers_json(struct model *m)
{
    json_t *all = json_array();
    for (uint32_t k = 0; k < m->graph.n_nodes; k++) {
        struct node *n = &m->graph.node[k];
        json_t *o = n->stage->kind == LEAT_LEARNER ? answer_of(m, n) : NULL;
        if (o) json_array_append_new(all, o);
    }
    return all;
}

static json_t *info_stages_json(struct model *m)
{
    json_t *stages = json_array();
    for (uint32_t k = 0; k < m->graph.n_nodes; k++)
        json_array_append_new(stages, model_summary_stage_json(m, &m->graph.node[k]));
    return stages;
}

json_t *model_summary(struct model *m)
{
    return json_pack("{s:o, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "pipeline",
                     json_text(m->graph.name), "file", json_text(m->file), "saved",
                     answer_json_time(m->run.saved_at ? (int64_t)m->run.saved_at : -1), "seed",
                     (json_int_t)m->graph.options.seed, "records", (json_int_t)m->records,
                     "rejected", (json_int_t)m->run.rejects.count, "rejections",
                     summary_reasons(&m->run), "version", json_text(LEAT_VERSION), "stages",
                     info_stages_json(m), "answers", answers_json(m));
}

/* ---- writing a snapshot ---- */

static bool info_is_directory(const char *path)
{
    struct stat st;
    size_t n = strlen(path);
    return (n && path[n - 1] == '/') || (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

static bool info_has_snapshots(const char *path)
{
    uint64_t there[SNAPSHOT_DIR_CHECKPOINTS];
    return snapshot_dir_list(path, there) > 0;
}

/* Writes the only snapshot of a directory. */
static int write_directory(const char *to, struct snapshot_file_form form,
                           const struct snapshot_section *section, uint32_t n)
{
    struct snapshot_dir d;
    int status = snapshot_dir_open(&d, to);
    if (status == LEAT_OK && !form.replaces && info_has_snapshots(to)) {
        status = LEAT_EARG;
        snprintf(d.error, sizeof d.error, "%s: the folder holds snapshots already; choose another",
                 to);
    }
    if (status == LEAT_OK) status = snapshot_dir_write(&d, form.checkpoint, section, n);
    if (status == LEAT_OK) snapshot_dir_cut(&d, form.checkpoint);
    if (status != LEAT_OK) log_message(LEAT_ERROR, "%s", d.error);
    snapshot_dir_close(&d);
    return status;
}

int model_write(const char *to, struct snapshot_file_form form,
                const struct snapshot_section *section, uint32_t n)
{
    char error[SNAPSHOT_MESSAGE];
    if (strcmp(to, "-") && info_is_directory(to) && !form.base64)
        return write_directory(to, form, section, n);
    int status = snapshot_file_write(to, form, section, n, error);
    if (status != LEAT_OK) log_message(LEAT_ERROR, "%s", error);
    return status;
}
