/* model_top.c -- `leat model top`: the heaviest features of the learners in a snapshot, as
 * sink.top writes them in its formats jsonl and csv; for people a plain table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "answer.h"
#include "command_model.h"
#include "base/json_text.h"

enum { DEFAULT_K = 20, LEAST_WIDTH = 10 };

struct shown {
    struct model *m;
    const struct node *n;
    struct answer answer;
    uint64_t examples;
    int first; /* of the learners */
};

static void put_csv_text(const char *s, size_t n, FILE *out)
{
    int quote = n != strcspn(s, ",\"\r\n") || !n;
    if (!quote) {
        fwrite(s, 1, n, out);
        return;
    }
    putc('"', out);
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '"') putc('"', out);
        putc(s[i], out);
    }
    putc('"', out);
}

static void show_csv(const struct shown *t, FILE *out)
{
    const struct answer *a = &t->answer;
    if (t->first) {
        fputs("learner,examples,rank,feature", out);
        for (uint32_t c = 0; c < a->n_columns; c++)
            fprintf(out, ",%s", a->column[c]);
        putc('\n', out);
    }
    for (uint32_t r = 0; r < a->n_rows; r++) {
        put_csv_text(t->n->id, strlen(t->n->id), out);
        fprintf(out, ",%llu,%u,", (unsigned long long)t->examples, r + 1);
        put_csv_text(a->row[r].name, a->row[r].len, out);
        for (uint32_t c = 0; c < a->n_columns; c++) {
            putc(',', out);
            if (!isnan(a->row[r].values[c])) fprintf(out, "%.15g", a->row[r].values[c]);
        }
        putc('\n', out);
    }
}

static void show_jsonl(const struct shown *t, FILE *out)
{
    const struct answer *a = &t->answer;
    json_t *rows = json_array();
    for (uint32_t r = 0; r < a->n_rows; r++) {
        json_t *o = json_pack("{s:o}", "feature", json_text_n(a->row[r].name, a->row[r].len));
        for (uint32_t c = 0; c < a->n_columns; c++) {
            double v = a->row[r].values[c];
            json_object_set_new(o, a->column[c], isfinite(v) ? json_real(v) : json_null());
        }
        json_array_append_new(rows, o);
    }
    json_t *o = json_pack("{s:s, s:I, s:o}", "learner", t->n->id, "examples",
                          (json_int_t)t->examples, "top", rows);
    json_dumpf(o, out, JSON_COMPACT | JSON_REAL_PRECISION(15));
    putc('\n', out);
    json_decref(o);
}

static int cell(char text[40], double v)
{
    if (isnan(v)) return snprintf(text, 40, "-");
    if (floor(v) == v && fabs(v) < 1e9) return snprintf(text, 40, "%.0f", v);
    return snprintf(text, 40, "%.4g", v);
}

static int column_width(const char *name)
{
    int n = (int)strlen(name);
    return n > LEAST_WIDTH ? n : LEAST_WIDTH;
}

static void show_table(const struct shown *t, FILE *out)
{
    const struct answer *a = &t->answer;
    char text[40];
    json_t *examples = json_integer((json_int_t)t->examples);
    fprintf(out, "%sHeaviest features (%s, %s examples)\n", t->first ? "" : "\n", t->n->id,
            model_number(examples, &t->m->arena));
    json_decref(examples);
    fputs(a->n_rows ? "     #" : "none\n", out);
    for (uint32_t c = 0; a->n_rows && c < a->n_columns; c++)
        fprintf(out, "  %*s", column_width(a->column[c]), a->column[c]);
    if (a->n_rows) fputs("  feature\n", out);
    for (uint32_t r = 0; r < a->n_rows; r++) {
        fprintf(out, "%6u", r + 1);
        for (uint32_t c = 0; c < a->n_columns; c++) {
            cell(text, a->row[r].values[c]);
            fprintf(out, "  %*s", column_width(a->column[c]), text);
        }
        fputs("  ", out);
        for (size_t i = 0; i < a->row[r].len; i++) { /* a name may hold anything */
            unsigned char b = (unsigned char)a->row[r].name[i];
            putc(b < ' ' || b == 127 ? '?' : b, out);
        }
        putc('\n', out);
    }
}

typedef void shower(const struct shown *, FILE *);

static shower *format_of(const char *name)
{
    if (!name || !strcmp(name, "table")) return show_table;
    if (!strcmp(name, "jsonl")) return show_jsonl;
    if (!strcmp(name, "csv")) return show_csv;
    fprintf(stderr, "leat: --format wants table, jsonl or csv, not %s\n", name);
    return NULL;
}

static int show_learner(struct model *m, struct node *n, uint32_t k, shower *show, int first)
{
    struct shown t = {.m = m, .n = n, .examples = model_examples(m, n), .first = first};
    int s = model_restore_stage(m, n);
    if (s != LEAT_OK) return s;
    if (!n->stage->query) return model_fail(m, LEAT_EARG, "%s: it answers no questions", n->label);
    s = answer_ask(&t.answer, run_instance(&m->run, n, 0), k, &m->arena);
    if (s != LEAT_OK) return model_fail(m, s, "%s", m->run.reason);
    show(&t, stdout);
    return LEAT_OK;
}

static int show_all(struct model *m, const struct command_line *c, shower *show)
{
    uint32_t shown = 0;
    struct node *only = c->stage ? model_find(m, c->stage) : NULL;
    if (c->stage && !only) return LEAT_EARG;
    for (uint32_t i = 0; i < m->graph.n_nodes; i++) {
        struct node *n = &m->graph.node[i];
        if (only ? n != only : n->stage->kind != LEAT_LEARNER) continue;
        if (n->stage->kind != LEAT_LEARNER)
            return model_fail(m, LEAT_EARG, "%s: it is no learner", n->label);
        int s = show_learner(m, n, c->k ? c->k : DEFAULT_K, show, !shown++);
        if (s != LEAT_OK) return s;
    }
    return shown ? LEAT_OK : model_fail(m, LEAT_EARG, "there is no learner in it");
}

int model_top(const struct command_line *c, const struct registry *known)
{
    struct model m;
    shower *show = format_of(c->format);
    if (!show) return LEAT_EARG;
    int s = model_open(&m, c->operand[0], known);
    if (s == LEAT_OK) s = show_all(&m, c, show);
    model_close(&m);
    return s;
}
