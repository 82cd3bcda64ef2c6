/* model_answers.c -- `leat model top` and `leat model dump`: queries to a snapshot, and its
 * states. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model.h"
#include "core/bits.h"
#include "core/report/answer_report.h"
#include "core/report/terminal.h"
#include "core/report/text_out.h"
#include "core/text/plain_text.h"
#include "host/exec/answers/answer.h"
#include "host/graph/pure_calls.h"
#include "host/log/json_text.h"
#include "host/params/params.h"
#include "host/store/state_codec.h"
#include "model_question.h"

/* ---- the query of the run (model_question.h) ---- */

/* Parameters of sink.top that define the form of the answer. Parameters with LEAT_QUESTION define
 * the query. The remaining parameters define the output, the learner and the times. */
static const char *const question_params[] = {"title", "noun", "columns", "format"};
enum { N_QUESTION_PARAMS = sizeof question_params / sizeof *question_params };

static bool asks(const struct leat_stage *s, const char *key)
{
    for (uint32_t i = 0; i < s->n_params; i++)
        if (s->params[i].flags & LEAT_QUESTION && !strcmp(s->params[i].name, key)) return true;
    return false;
}

/* True if the command line may replace this parameter of the run's sink.top. */
static bool answers_is_taken(const struct leat_stage *top, const char *key)
{
    for (int i = 0; i < N_QUESTION_PARAMS; i++)
        if (!strcmp(question_params[i], key)) return true;
    return asks(top, key);
}

static const struct leat_stage *answers_top_of(struct model *m)
{
    const struct stage_type *type = registry_find(m->known, "sink.top");
    if (!type) model_fail(m, LEAT_EARG, "the plugin of sink.top is missing");
    return type ? type->stage : NULL;
}

/* ---- parameters of the run's sink.top ---- */

/* Returns the nearest learner upstream of n, searching all inputs depth first; NULL if there is
 * none. *left limits the number of steps, because the graph of a damaged snapshot may have a
 * cycle. */
static const struct node *learner_before(const struct model *m, const struct node *n,
                                         unsigned *left)
{
    size_t i;
    json_t *before;
    const json_t *stage = json_array_get(json_object_get(m->pipeline, "stages"), n->index);
    json_array_foreach(json_object_get(stage, "after"), i, before)
    {
        const char *id = json_string_value(json_object_get(before, "id"));
        const struct node *at = id ? graph_find(&m->graph, id) : NULL;
        if (!at || !*left) continue;
        --*left;
        if (at->stage->kind != LEAT_LEARNER) at = learner_before(m, at, left);
        if (at) return at;
    }
    return NULL;
}

static const char *answers_text_of(const struct node *n, const char *key)
{
    for (size_t i = 0; i < n->n_settings; i++)
        if (!strcmp(n->settings[i].key, key)) return n->settings[i].value.text;
    return NULL;
}

const struct node *model_question_sink(const struct model *m, const struct node *learner)
{
    for (uint32_t i = 0; i < m->graph.n_nodes; i++) {
        const struct node *n = &m->graph.node[i];
        unsigned left = 1000;
        if (strcmp(n->name, "sink.top")) continue;
        const char *of = answers_text_of(n, "of");
        if (of ? !strcmp(of, learner->id) : learner_before(m, n, &left) == learner) return n;
    }
    return NULL;
}

static bool has_setting(const struct setting *s, size_t n, const char *key)
{
    while (n--)
        if (!strcmp(s[n].key, key)) return true;
    return false;
}

/* Adds the settings of the run's sink.top that the command line does not set. Omits the format,
 * which belongs to the run's output. Adds `columns` only for a table, because they were chosen for
 * people. */
static void answers_add_own(const struct leat_stage *top, const struct node *sink, bool table,
                            struct setting *s, size_t *n)
{
    for (size_t i = 0; sink && i < sink->n_settings; i++) {
        const char *key = sink->settings[i].key;
        bool own = answers_is_taken(top, key) && strcmp(key, "format") &&
                   (table || strcmp(key, "columns"));
        if (own && !has_setting(s, *n, key)) s[(*n)++] = sink->settings[i];
    }
}

static struct setting setting_of(const char *key, const char *value)
{
    return (struct setting){key, {.type = VALUE_TEXT, .text = value, .n = strlen(value)}};
}

static bool is_table(const struct setting *s, size_t n)
{
    while (n--)
        if (!strcmp(s[n].key, "format")) return !strcmp(s[n].value.text, "table");
    return true;
}

/* Returns the settings of the command line (--k, --format, and --set for all others). Then follow
 * the settings of the run's sink.top that the command line does not set. */
static struct setting *answers_settings_of(struct model *m, const struct leat_stage *top,
                                           const struct command_line *c, const struct node *own,
                                           size_t *n)
{
    size_t most = (c ? c->n_args : 0) + 2 + (own ? own->n_settings : 0);
    struct setting *s = arena_alloc(&m->arena, most * sizeof *s);
    *n = 0;
    if (c && c->k) s[(*n)++] = setting_of("k", arena_printf(&m->arena, "%u", c->k));
    if (c && c->format) s[(*n)++] = setting_of("format", c->format);
    for (size_t i = 0; c && i < c->n_args; i++)
        if (answers_is_taken(top, c->args[i].key))
            s[(*n)++] = setting_of(c->args[i].key, c->args[i].value);
    answers_add_own(top, own, is_table(s, *n), s, n);
    return s;
}

/* ---- parameters of the learner ---- */

static size_t answers_add_words(const struct leat_stage *s, const char **word, size_t n)
{
    for (uint32_t i = 0; i < s->n_params; i++)
        if (s->params[i].flags & LEAT_QUESTION) word[n++] = s->params[i].name;
    return n;
}

static int refuse_word(struct model *m, const struct leat_stage *top, const struct node *learner,
                       const char *key)
{
    const struct leat_stage *s = learner->stage;
    if (model_setting(m, learner, key)) {
        plain_text_line(
            stderr,
            "leat: --set %s: %s has learned with %s = %s: run the pipeline again to use "
            "another value",
            key, learner->label, key, model_setting(m, learner, key));
        return LEAT_EARG;
    }
    const char **word =
        arena_alloc(&m->arena, (N_QUESTION_PARAMS + top->n_params + s->n_params) * sizeof *word);
    memcpy(word, question_params, sizeof question_params);
    const char *near = diag_suggest(
        key, word, answers_add_words(s, word, answers_add_words(top, word, N_QUESTION_PARAMS)));
    plain_text_line(stderr, "leat: --set %s: model top of %s takes no '%s'%s%s%s", key,
                    learner->label, key, near ? ": did you mean '" : "", near ? near : "",
                    near ? "'?" : "");
    return LEAT_EARG;
}

static int set_own(struct model *m, struct node *learner, const struct argument *a)
{
    const char *why;
    const struct leat_param *p = learner->stage->params;
    while (strcmp(p->name, a->key))
        p++;
    /* An empty value removes a restriction, even one that the run's learner had. */
    if (!*a->value && p->type == LEAT_STRING) {
        model_setting_drop(m, learner, a->key);
        return LEAT_OK;
    }
    const char *value = model_setting_read(p, a->value, &m->arena, &why);
    if (!value) {
        plain_text_line(stderr, "leat: --set %s=%s: %s", a->key, a->value, why);
        return LEAT_EARG;
    }
    model_setting_change(m, learner, a->key, value);
    return LEAT_OK;
}

/* Checks that the learner's parameters fit together. Configures a copy of the node, because opening
 * the learner configures the node itself. */
static int check_together(struct model *m, struct node learner)
{
    graph_configure(&m->graph, &learner, &m->diag);
    if (learner.configured) return LEAT_OK;
    diag_print(&m->diag, stderr);
    return LEAT_EARG;
}

/* Sets the learner's query parameters (LEAT_QUESTION) that the command line contains. Call it
 * before the learner is opened. Returns LEAT_OK, or LEAT_EARG after a message. */
static int model_question_set(struct model *m, const struct command_line *c, struct node *learner)
{
    const struct leat_stage *top = answers_top_of(m);
    int status = top ? LEAT_OK : LEAT_EARG;
    bool own = false;
    for (size_t i = 0; i < c->n_args && status == LEAT_OK; i++) {
        const struct argument *a = &c->args[i];
        if (answers_is_taken(top, a->key)) continue;
        status = asks(learner->stage, a->key) ? set_own(m, learner, a)
                                              : refuse_word(m, top, learner, a->key);
        own = true;
    }
    return status == LEAT_OK && own ? check_together(m, *learner) : status;
}

/* ---- reading the query ---- */

/* Returns the address of a parameter's value in the sink's configuration. */
static const void *answers_value_of(const struct node *sink, const char *name)
{
    uint32_t i = 0;
    while (strcmp(sink->stage->params[i].name, name))
        i++;
    return (const char *)sink->cfg + sink->stage->params[i].offset;
}

int model_question_read(struct model *m, const struct command_line *c, const struct node *own,
                        struct model_question *q)
{
    struct node sink = {.id = "top", .label = "model top", .stage = answers_top_of(m)};
    if (!sink.stage) return LEAT_EARG;
    sink.settings = answers_settings_of(m, sink.stage, c, own, &sink.n_settings);
    graph_configure(&m->graph, &sink, &m->diag);
    if (!sink.configured) {
        diag_print(&m->diag, stderr);
        return LEAT_EARG;
    }
    const struct leat_strings *columns = answers_value_of(&sink, "columns");
    q->want = (struct leat_ask){.size = sizeof q->want};
    q->format = (enum report_format) * (const int32_t *)answers_value_of(&sink, "format");
    q->title = *(const char *const *)answers_value_of(&sink, "title");
    q->noun = *(const char *const *)answers_value_of(&sink, "noun");
    q->columns = (struct answer_columns){columns->v, columns->n};
    return pure_ask(&sink, &q->want);
}

/* ---- `leat model top` ---- */

/* ---- output: text is collected, then written to standard output ---- */

struct writer {
    struct report report;
    struct text_out text;
    char buf[4096];
};

static void writer_init(struct writer *w)
{
    w->text =
        (struct text_out){.buf = w->buf, .cap = sizeof w->buf, .drain = text_to_file, .to = stdout};
    w->report = (struct report){.out = &w->text, .terminal = terminal_columns(STDOUT_FILENO)};
}

/* ---- the answer of the learner ---- */

/* Returns the answer in the form that sinks receive. */
static struct leat_table table_of(const struct model *m, const struct node *n,
                                  const struct answer *a)
{
    return (struct leat_table){.size = sizeof(struct leat_table),
                               .kind = LEAT_QUERY_TOP,
                               .learner = n->id,
                               .examples = model_examples(m, n),
                               .last = 1,
                               .n_columns = a->n_columns,
                               .n_rows = a->n_rows,
                               .columns = a->column,
                               .names = a->name,
                               .name_len = a->len,
                               .values = a->values,
                               .also = a->also,
                               .time = model_time(m, n)};
}

/* Returns the number of merged models that a learner has reported; 0 if it is not merged. */
static uint64_t answers_merged(const struct instance *i)
{
    uint32_t k = 0;
    while (k < i->n_metrics && strcmp(i->metric[k].figure->name, ANSWER_MERGED))
        k++;
    return k < i->n_metrics ? (uint64_t)i->metric[k].value : 0;
}

static int write_answer(struct model *m, const struct node *n, const struct leat_table *t,
                        const struct model_question *q, struct writer *w)
{
    char columns[ANSWER_COLUMNS];
    const char *unknown = answer_report_unknown(t, q->columns);
    answer_report_columns(t, columns, sizeof columns);
    if (unknown)
        return model_fail(m, LEAT_EARG, "columns: %s has no column '%s' (columns: %s)", n->label,
                          unknown, columns);
    w->report.format = q->format;
    w->report.title = q->title;
    w->report.noun = q->noun;
    answer_report_top(&w->report, t, t->time >= 0, answers_merged(run_instance(&m->run, n, 0)),
                      q->columns);
    return LEAT_OK;
}

static int show_learner(struct model *m, struct node *n, const struct command_line *c,
                        struct writer *w)
{
    struct answer answer;
    struct model_question q, given;
    int status = model_question_set(m, c, n);
    if (status == LEAT_OK) status = model_restore_stage(m, n);
    if (status != LEAT_OK) return status;
    if (!n->stage->learner->query)
        return model_fail(m, LEAT_EARG, "%s: this learner does not list its features", n->label);
    if ((status = model_question_read(m, c, NULL, &given)) != LEAT_OK) return status;
    if ((status = model_question_read(m, c, model_question_sink(m, n), &q)) != LEAT_OK)
        return status;
    status = answer_ask(&answer, run_instance(&m->run, n, 0), &q.want, &m->arena);
    if (status != LEAT_OK) return model_tell(m, &m->run, n, status);
    struct leat_table t = table_of(m, n, &answer);
    /* The conditions of the run's sink.top are not checked, because the run has reported them. */
    const char *unmet = answer_report_unmet(&t, &given.want);
    if (unmet) return model_fail(m, LEAT_EARG, "%s: %s " ANSWER_UNMET, unmet, n->label);
    return write_answer(m, n, &t, &q, w);
}

static int show_all(struct model *m, const struct command_line *c, struct writer *w)
{
    uint32_t shown = 0;
    struct node *only = c->stage ? model_find(m, c->stage) : NULL;
    if (c->stage && !only) return LEAT_EARG;
    for (uint32_t i = 0; i < m->graph.n_nodes; i++) {
        struct node *n = &m->graph.node[i];
        if (only ? n != only : n->stage->kind != LEAT_LEARNER) continue;
        if (n->stage->kind != LEAT_LEARNER)
            return model_fail(m, LEAT_EARG, "%s is not a learner: --stage must name a learner",
                              n->label);
        int status = show_learner(m, n, c, w);
        if (status != LEAT_OK) return status;
        shown++;
    }
    if (!shown && m->splits && !m->records)
        return model_fail(m, LEAT_EARG, "its splits are empty, so nothing was learned");
    return shown ? LEAT_OK : model_fail(m, LEAT_EARG, "the snapshot holds no learner");
}

int model_top(const struct command_line *c, struct registry *known)
{
    struct model m;
    int status = model_open(&m, c->operand[0], c->memory, known);
    if (status == LEAT_OK) {
        struct writer w;
        writer_init(&w);
        status = show_all(&m, c, &w);
        text_flush(&w.text);
    }
    model_close(&m);
    return status;
}

/* ---- `leat model dump` ---- */

static void put_u64(uint64_t v, FILE *out)
{
    fprintf(out, v > UINT64_C(1) << 53 ? "\"%" PRIu64 "\"" : "%" PRIu64, v);
}

static void put_i64(int64_t v, FILE *out)
{
    bool large = v > INT64_C(1) << 53 || v < -(INT64_C(1) << 53);
    fprintf(out, large ? "\"%" PRId64 "\"" : "%" PRId64, v);
}

/* Prints a number with as few digits as possible. Does not print a JSON integer, because -0.0 would
 * lose its sign. */
static void put_real(double v, bool single, FILE *out)
{
    char text[TEXT_NUMBER];
    text[text_format_real(text, v, single)] = 0;
    fputs(text, out);
    if (!strpbrk(text, ".e")) fputs(".0", out);
}

static void put_f64(double v, FILE *out)
{
    if (isfinite(v))
        put_real(v, false, out);
    else
        fprintf(out, "\"0x%016" PRIx64 "\"", bits_of_double(v));
}

static void put_f32(float v, FILE *out)
{
    if (isfinite(v))
        put_real((double)v, true, out);
    else
        fprintf(out, "\"0x%08" PRIx32 "\"", bits_of_float(v));
}

/* Prints element i of the array. The elements have this machine's byte order. */
static void answers_put_element(const struct stored_field *f, uint64_t i, FILE *out)
{
    union {
        uint32_t u32;
        uint64_t u64;
        int64_t i64;
        float f32;
        double f64;
    } v = {.u64 = 0};
    size_t each = f->element == LEAT_U32 || f->element == LEAT_F32 ? 4 : 8;
    memcpy(&v, f->payload + i * each, each);
    if (f->element == LEAT_U32)
        put_u64(v.u32, out);
    else if (f->element == LEAT_U64)
        put_u64(v.u64, out);
    else if (f->element == LEAT_I64)
        put_i64(v.i64, out);
    else if (f->element == LEAT_F32)
        put_f32(v.f32, out);
    else
        put_f64(v.f64, out);
}

static bool answers_is_plain(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)s[i] < ' ' || s[i] == 127) return false;
    return true;
}

/* Prints ,"text":"…". Prints ,"hex":"…" if s is not text. */
static void answers_put_bytes(const char *s, size_t n, bool plain_only, FILE *out)
{
    json_t *text = !plain_only || answers_is_plain(s, n) ? json_stringn(s, n) : NULL;
    if (text) {
        fputs(",\"text\":", out);
        json_dumpf(text, out, JSON_ENCODE_ANY);
        json_decref(text);
        return;
    }
    fputs(",\"hex\":\"", out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%02x", (unsigned char)s[i]);
    putc('"', out);
}

static void answers_put_text(const char *s, size_t n, FILE *out)
{
    json_t *text = json_text_n(s, n);
    json_dumpf(text, out, JSON_ENCODE_ANY);
    json_decref(text);
}

static void answers_begin_line(const char *section, FILE *out)
{
    fputs("{\"section\":", out);
    answers_put_text(section, strlen(section), out);
}

static void dump_field(const char *section, const struct stored_field *f, FILE *out)
{
    answers_begin_line(section, out);
    fputs(",\"field\":", out);
    answers_put_text(f->name, f->name_len, out);
    fprintf(out, ",\"type\":\"%s\"", f->text ? "text" : state_element_name(f->element));
    if (f->element == LEAT_U8) {
        answers_put_bytes(f->payload, f->count, !f->text, out);
    } else {
        fputs(f->array ? ",\"values\":[" : ",\"value\":", out);
        for (uint64_t i = 0; i < f->count; i++) {
            if (i) putc(',', out);
            answers_put_element(f, i, out);
        }
        if (f->array) putc(']', out);
    }
    fputs("}\n", out);
}

static int dump_state(struct model *m, const struct snapshot_section *s, FILE *out)
{
    struct state_reader r;
    int status = state_reader_init(&r, s->bytes, s->n);
    if (status != LEAT_OK) {
        model_fail(m, status, "section %s: %s", s->name, r.error);
    } else {
        answers_begin_line(s->name, out);
        fputs(",\"stage\":", out);
        answers_put_text(r.stage, strlen(r.stage), out);
        fprintf(out, ",\"version\":%u}\n", r.version);
        for (uint32_t i = 0; i < r.n_fields; i++)
            dump_field(s->name, &r.field[i], out);
    }
    state_reader_free(&r);
    return status;
}

static int dump_section(struct model *m, const struct snapshot_section *s, FILE *out)
{
    if (s->n >= 8 && !memcmp(s->bytes, "leatSTAT", 8)) return dump_state(m, s, out);
    answers_begin_line(s->name, out);
    answers_put_bytes(s->bytes, s->n, false, out);
    fputs("}\n", out);
    return LEAT_OK;
}

/* True for a section whose name is stage/ID/… or host/ID/…. */
static bool answers_is_of(const struct snapshot_section *s, const char *id)
{
    const char *slash = strchr(s->name, '/');
    size_t n = strlen(id);
    return slash && !strncmp(slash + 1, id, n) && slash[1 + n] == '/' &&
           !strchr(slash + n + 2, '/');
}

int model_dump(const struct command_line *c, struct registry *known)
{
    struct model m;
    int status = model_open(&m, c->operand[0], c->memory, known);
    if (status == LEAT_OK && c->stage && !model_find(&m, c->stage)) status = LEAT_EARG;
    if (status == LEAT_OK)
        printf("{\"snapshot\":%d,\"checkpoint\":%" PRIu64 "}\n", SNAPSHOT_FORMAT,
               m.from.checkpoint);
    for (uint32_t i = 0; i < m.from.n && status == LEAT_OK; i++)
        if (!c->stage || answers_is_of(&m.from.section[i], c->stage))
            status = dump_section(&m, &m.from.section[i], stdout);
    model_close(&m);
    return status;
}
