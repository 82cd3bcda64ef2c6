/* trace_print.c -- prints a trace for people (trace.h). Escapes all texts of the trace. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/memory/memory.h"
#include "core/text/plain_text.h"
#include "core/report/terminal.h"
#include "core/report/text_out.h"
#include "program/page/fields.h"
#include "trace.h"

enum {
    WIDTH = 80, /* columns, if standard output is not a terminal */
    LEAST = 40,
    PIECE = 36,    /* most columns of a name with its value */
    PIECES = 24,   /* most name=value pieces in a step */
    FEATURES = 10, /* most features of a prediction, largest contribution first */
    DEEPEST = 12   /* deepest indentation */
};

struct page {
    struct text_out out;
    size_t width, used; /* used: number of columns already printed in this line */
    int depth;
    char buf[4096];
};

/* Returns the number of columns by which a line is indented. */
static size_t indent(const struct page *p)
{
    return 2 * (size_t)(p->depth < DEEPEST ? p->depth : DEEPEST);
}

static void trace_begin_line(struct page *p)
{
    text_pad(&p->out, indent(p));
    p->used = indent(p);
}

static void end_line(struct page *p)
{
    text_line(&p->out);
    p->used = 0;
}

/* Prints a text. If it is wider than `most` columns, cuts its middle. */
static void trace_put(struct page *p, const char *s, size_t most)
{
    size_t cap = 4 * strlen(s) + 1, room = p->width > p->used ? p->width - p->used : 1;
    char *plain = memory_take(cap);
    size_t n = plain_text(plain, cap, s), wide = text_width(plain, n);
    if (most > room) most = room;
    text_shown(&p->out, plain, n, most);
    p->used += wide < most ? wide : most;
    free(plain);
}

static void trace_put_line(struct page *p, const char *s)
{
    trace_begin_line(p);
    trace_put(p, s, p->width);
    end_line(p);
}

/* Prints a sentence. Breaks it into lines at blanks. */
static void put_sentence(struct page *p, const char *s)
{
    while (*s) {
        size_t most = p->width - indent(p), n = strlen(s), cut = n;
        for (; text_width(s, cut) > most; cut = n) /* goes back to the last blank that fits */
            for (n = cut - 1; n && s[n] != ' '; n--) {
            }
        if (!cut) cut = strlen(s); /* a word wider than the line loses its middle */
        char *part = memory_take(cut + 1);
        memcpy(part, s, cut);
        part[cut] = 0;
        trace_put_line(p, part);
        free(part);
        s += cut + strspn(s + cut, " ");
    }
}

/* Returns a value as text; "-" if there is none. */
static const char *trace_value_text(const json_t *v, char buf[64])
{
    if (json_is_string(v)) return json_string_value(v);
    if (json_is_boolean(v)) return json_is_true(v) ? "true" : "false";
    if (json_is_integer(v))
        snprintf(buf, 64, "%lld", (long long)json_integer_value(v));
    else if (json_is_real(v))
        snprintf(buf, 64, "%.6g", json_real_value(v));
    else
        snprintf(buf, 64, "-");
    return buf;
}

/* ---- names and values, as many as fit in a line ---- */

static void put_piece(struct page *p, const char *name, const char *equals, const char *value)
{
    size_t n = strlen(name) + strlen(equals) + strlen(value) + 1, cap = 4 * n;
    char *joined = memory_take(n), *plain = memory_take(cap);
    snprintf(joined, n, "%s%s%s", name, equals, value);
    size_t wide = text_width(plain, plain_text(plain, cap, joined));
    if (wide > PIECE) wide = PIECE;
    if (p->used > indent(p) && p->used + 2 + wide > p->width) {
        end_line(p);
        trace_begin_line(p);
    }
    if (p->used > indent(p)) {
        text_pad(&p->out, 2);
        p->used += 2;
    }
    trace_put(p, joined, PIECE);
    free(plain);
    free(joined);
}

static void put_more(struct page *p, size_t n)
{
    char more[40];
    if (!n) return;
    snprintf(more, sizeof more, "... and %zu more", n);
    put_piece(p, more, "", "");
}

static void trace_print_trace_put_columns(struct page *p, const json_t *columns)
{
    size_t i, n = json_array_size(columns);
    json_t *c;
    char buf[64];
    if (!n) return;
    trace_begin_line(p);
    json_array_foreach(columns, i, c) if (i < PIECES) put_piece(
        p, field_text(c, "name"), " = ", trace_value_text(json_object_get(c, "value"), buf));
    put_more(p, n > PIECES ? n - PIECES : 0);
    end_line(p);
}

/* Prints an example. Does not print a feature's value if it is 1. */
static void trace_print_trace_put_example(struct page *p, const json_t *example)
{
    const json_t *features = json_object_get(example, "features");
    size_t i, n = json_array_size(features);
    json_t *f;
    char buf[64], text[64];
    snprintf(text, sizeof text, "%zu feature%s:", n, n == 1 ? "" : "s");
    trace_begin_line(p);
    trace_put(p, text, p->width);
    json_array_foreach(features, i, f)
    {
        const json_t *value = json_object_get(f, "value");
        bool one = json_number_value(value) == 1;
        if (i < PIECES)
            put_piece(p, field_text(f, "name"), one ? "" : " x ",
                      one ? "" : trace_value_text(value, buf));
    }
    put_more(p, n > PIECES ? n - PIECES : 0);
    end_line(p);
}

static void put_examples(struct page *p, const json_t *examples)
{
    size_t i;
    json_t *e;
    json_array_foreach(examples, i, e) { trace_print_trace_put_example(p, e); }
    if (examples && !json_array_size(examples)) trace_put_line(p, "no examples left");
}

/* ---- predictions ---- */

static void trace_put_number(struct page *p, const char *name, const json_t *v)
{
    char buf[64];
    if (!v) return;
    trace_put(p, p->used > indent(p) ? ", " : "", p->width);
    trace_put(p, name, p->width);
    trace_put(p, trace_value_text(v, buf), p->width);
}

static void put_share(struct page *p, const json_t *o)
{
    char text[96], value[64];
    trace_begin_line(p);
    snprintf(text, sizeof text, "%12.5g  %12.5g  %9s  ",
             json_number_value(json_object_get(o, "contribution")),
             json_number_value(json_object_get(o, "weight")),
             trace_value_text(json_object_get(o, "value"), value));
    trace_put(p, text, p->width);
    trace_put(p, field_text(o, "feature"), p->width);
    end_line(p);
}

static void put_sum(struct page *p, double sum, const char *format, size_t n)
{
    char name[64], text[128];
    snprintf(name, sizeof name, format, n);
    snprintf(text, sizeof text, "%12.5g  %12s  %9s  %s", sum, "", "", name);
    trace_put_line(p, text);
}

/* Prints the contributions. They add up to the prediction, except for rounding. */
static void put_shares(struct page *p, const json_t *o)
{
    const json_t *all = json_object_get(o, "contributions");
    double base = json_number_value(json_object_get(o, "base")), others = 0, size = fabs(base);
    double rest = json_number_value(json_object_get(o, "rest"));
    size_t i, n = json_array_size(all);
    json_t *c;
    if (!all) return;
    trace_put_line(p, "contribution        weight      value  feature");
    json_array_foreach(all, i, c)
    {
        double adds = json_number_value(json_object_get(c, "contribution"));
        size += fabs(adds);
        if (i < FEATURES)
            put_share(p, c);
        else
            others += adds;
    }
    if (n > FEATURES) put_sum(p, others, "%zu other features", n - FEATURES);
    if (base != 0) put_sum(p, base, "(without features)", 0);
    if (fabs(rest) > 1e-5 * (size + 1)) put_sum(p, rest, "(features together)", 0);
}

static void put_prediction(struct page *p, const json_t *o)
{
    static const char *const names[] = {"margin", "value", "probability", "class", "name"};
    const json_t *score = json_object_get(o, "score");
    const json_t *label = json_object_get(score, "label");
    char name[32];
    trace_begin_line(p);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(name, sizeof name, "%s ", names[i]);
        trace_put_number(p, name, json_object_get(score, names[i]));
    }
    trace_put_number(p, "predicts ", label);
    trace_put_number(p, "label ", json_object_get(o, "label"));
    end_line(p);
    put_shares(p, o);
}

/* ---- steps ---- */

static void trace_print_trace_put_record(struct page *p, const json_t *record, const char *title);

static void trace_print_trace_put_made(struct page *p, const json_t *made)
{
    size_t i;
    json_t *r;
    char title[48];
    if (!made) return;
    if (!json_array_size(made)) trace_put_line(p, "no record yet");
    json_array_foreach(made, i, r)
    {
        snprintf(title, sizeof title, "makes record %zu", i + 1);
        trace_print_trace_put_record(p, r, title);
    }
}

static void put_steps(struct page *p, const json_t *steps);

static void put_branches(struct page *p, const json_t *branches)
{
    size_t i;
    json_t *b;
    char title[32];
    json_array_foreach(branches, i, b)
    {
        snprintf(title, sizeof title, "branch %zu", i + 1);
        trace_put_line(p, title);
        p->depth++;
        put_steps(p, json_object_get(b, "stages"));
        p->depth--;
    }
}

static void put_pair(struct page *p, const char *name, const char *value)
{
    trace_begin_line(p);
    trace_put(p, name, p->width);
    trace_put(p, value, p->width);
    end_line(p);
}

static void put_new(struct page *p, const json_t *step, const char *key)
{
    char name[32], buf[64];
    const json_t *v = json_object_get(step, key);
    if (!v) return;
    snprintf(name, sizeof name, "%s ", key);
    put_pair(p, name, trace_value_text(v, buf));
}

static void put_fate(struct page *p, const json_t *step)
{
    if (json_object_get(step, "filtered")) trace_put_line(p, "filtered: the record ends here");
    if (!json_object_get(step, "rejected")) return;
    put_pair(p, "rejected: ", field_text(step, "rejected"));
    put_sentence(p, field_text(step, "message"));
}

static void put_step(struct page *p, const json_t *step)
{
    size_t i;
    json_t *o;
    trace_begin_line(p);
    trace_put(p, field_text(step, "stage"), PIECE);
    trace_put(p, " (", p->width);
    trace_put(p, field_text(step, "plugin"), p->width);
    trace_put(p, ")", p->width);
    if (json_object_get(step, "note")) trace_put(p, ": ", p->width);
    trace_put(p, field_text(step, "note"), p->width);
    end_line(p);
    p->depth++;
    put_new(p, step, "raw");
    trace_print_trace_put_columns(p, json_object_get(step, "columns"));
    put_new(p, step, "label");
    put_new(p, step, "weight");
    put_examples(p, json_object_get(step, "examples"));
    json_array_foreach(json_object_get(step, "predictions"), i, o) { put_prediction(p, o); }
    put_fate(p, step);
    put_new(p, step, "branch");
    put_branches(p, json_object_get(step, "branches"));
    trace_print_trace_put_made(p, json_object_get(step, "made"));
    p->depth--;
}

static void put_steps(struct page *p, const json_t *steps)
{
    size_t i;
    json_t *s;
    json_array_foreach(steps, i, s) { put_step(p, s); }
}

static void trace_print_trace_put_record(struct page *p, const json_t *record, const char *title)
{
    char where[48];
    const json_t *line = json_object_get(record, "line"), *at = json_object_get(record, "number");
    snprintf(where, sizeof where, line ? ":%lld" : " record %lld",
             (long long)json_integer_value(line ? line : at));
    trace_begin_line(p);
    trace_put(p, title, p->width);
    trace_put(p, ": ", p->width);
    trace_put(p, field_text(record, "input"),
              p->width - p->used > 24 ? p->width - p->used - 24 : 1);
    trace_put(p, where, p->width);
    end_line(p);
    p->depth++;
    if (*field_text(record, "raw")) trace_put_line(p, field_text(record, "raw"));
    trace_print_trace_put_columns(p, json_object_get(record, "columns"));
    put_steps(p, json_object_get(record, "stages"));
    p->depth--;
}

static void put_all(struct page *p, const json_t *trace)
{
    size_t i;
    json_t *o;
    char title[48];
    json_array_foreach(json_object_get(trace, "records"), i, o)
    {
        snprintf(title, sizeof title, "record %zu", i + 1);
        if (i) end_line(p);
        trace_print_trace_put_record(p, o, title);
    }
    json_array_foreach(json_object_get(trace, "end"), i, o)
    {
        end_line(p);
        trace_put_line(p, "at the end of these records");
        p->depth++;
        put_step(p, o);
        p->depth--;
    }
}

void trace_print(const json_t *trace)
{
    struct page p = {.width = terminal_columns(STDOUT_FILENO)};
    if (!p.width) p.width = WIDTH;
    if (p.width < LEAST) p.width = LEAST;
    p.out =
        (struct text_out){.buf = p.buf, .cap = sizeof p.buf, .drain = text_to_file, .to = stdout};
    put_all(&p, trace);
    text_flush(&p.out);
}
