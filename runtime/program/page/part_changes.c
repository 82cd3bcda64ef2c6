/* part_changes.c -- what entered and left the answer to a question that was asked again and again:
 * each feature with its ranks at the moments that were kept, its first and its last. */
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "parts.h"

enum { MOST_FEATURES = 200, MOST_ROWS = 60 };

struct seen {
    const char *name;
    uint32_t first, last, best; /* moments; best rank */
};

struct changes {
    const json_t *moments;
    uint32_t n_moments, n, worst;
    bool timed; /* moments are shown by event time */
    struct seen seen[MOST_FEATURES];
    struct arena *arena;
};

static const json_t *features_at(const struct changes *c, uint32_t moment)
{
    return field(json_array_get(c->moments, moment), "features");
}

/* 1, 2, …; 0: it is not there. */
static uint32_t rank_at(const struct changes *c, const char *name, uint32_t moment)
{
    const json_t *features = features_at(c, moment);
    for (size_t i = 0; i < json_array_size(features); i++) {
        const char *other = json_string_value(json_array_get(features, i));
        if (other && !strcmp(other, name)) return (uint32_t)i + 1;
    }
    return 0;
}

static struct seen *find(struct changes *c, const char *name, uint32_t moment)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (!strcmp(c->seen[i].name, name)) return &c->seen[i];
    if (c->n == MOST_FEATURES) return NULL;
    c->seen[c->n] = (struct seen){.name = name, .first = moment, .best = UINT32_MAX};
    return &c->seen[c->n++];
}

static void add_moment(struct changes *c, uint32_t moment)
{
    const json_t *features = features_at(c, moment);
    for (uint32_t i = 0; i < json_array_size(features); i++) {
        const char *name = json_string_value(json_array_get(features, i));
        struct seen *s = name ? find(c, name, moment) : NULL;
        if (!s) continue;
        s->last = moment;
        if (i + 1 < s->best) s->best = i + 1;
        if (i + 1 > c->worst) c->worst = i + 1;
    }
}

/* Those that are there at the end come first, by their rank; then those that left last. */
static uint32_t order_of(const struct changes *c, const struct seen *s)
{
    uint32_t end = c->n_moments - 1;
    uint32_t rank = s->last == end ? rank_at(c, s->name, end) : 0;
    return rank ? rank : 1000 + (end - s->last) * 1000 + s->best;
}

static void sort(struct changes *c)
{
    for (uint32_t i = 1; i < c->n; i++)
        for (uint32_t k = i; k && order_of(c, &c->seen[k]) < order_of(c, &c->seen[k - 1]); k--) {
            struct seen s = c->seen[k];
            c->seen[k] = c->seen[k - 1];
            c->seen[k - 1] = s;
        }
}

static const char *moment_text(const struct changes *c, uint32_t moment)
{
    const json_t *m = json_array_get(c->moments, moment);
    if (c->timed) return field_moment(field_text(m, "time"), c->arena);
    return field_count(field_number(m, "examples"), c->arena);
}

/* After the last moment: missing. */
static struct report_value moment_value(const struct changes *c, uint32_t moment)
{
    bool over = moment == c->n_moments;
    if (c->timed) return over ? report_text(NULL, 0) : report_word(moment_text(c, moment));
    return report_number(over ? (double)NAN
                              : field_number(json_array_get(c->moments, moment), "examples"));
}

/* ---- the table ---- */

enum { NOW, FEATURE, ENTERED, LEFT, BEST, COLUMNS };

static struct report_value cell(const void *of, uint32_t row, uint32_t column)
{
    const struct changes *c = of;
    const struct seen *s = &c->seen[row];
    uint32_t end = c->n_moments - 1, now = rank_at(c, s->name, end);
    switch (column) {
    case NOW:
        return report_number(now ? now : (double)NAN);
    case FEATURE:
        return report_word(s->name);
    case ENTERED:
        return moment_value(c, s->first);
    case LEFT:
        return moment_value(c, s->last + 1);
    default:
        return report_number(s->best);
    }
}

static uint32_t rank(const void *of, uint32_t row, uint32_t moment)
{
    const struct changes *c = of;
    return rank_at(c, c->seen[row].name, moment);
}

static void put_changes(const struct page *p, struct changes *c, const json_t *answer)
{
    const char *by = c->timed ? "event time" : "examples";
    enum report_type moment = c->timed ? REPORT_WORD : REPORT_NUMBER;
    uint32_t shown = c->n < MOST_ROWS ? c->n : MOST_ROWS;
    const struct report_column column[COLUMNS] = {
        [NOW] = {.name = "last rank", .type = REPORT_NUMBER},
        [FEATURE] = {.name = "feature", .type = REPORT_NAME},
        [ENTERED] = {.name = arena_printf(p->arena, "entered (%s)", by), .type = moment},
        [LEFT] = {.name = arena_printf(p->arena, "left (%s)", by), .type = moment},
        [BEST] = {.name = "best rank", .type = REPORT_NUMBER}};
    const struct report_list list = {
        .column = column, .n_columns = COLUMNS, .n_rows = shown, .cell = cell, .of = c};
    const struct sheet_ranks ranks = {c->n_moments, c->worst, rank, c};
    page_heading(p, "What entered and left");
    page_table(p, (struct sheet_table){
                      .list = &list,
                      .caption = arena_printf(p->arena, "%s: the first %u at %s, from %s to %s",
                                              field_text(answer, "learner"), (unsigned)c->worst,
                                              field_counted(c->n_moments, "moment", p->arena),
                                              moment_text(c, 0), moment_text(c, c->n_moments - 1)),
                      .ranks = &ranks});
    if (c->n > shown)
        page_say(p, SHEET_NOTE,
                 arena_printf(p->arena, "%u more were there before.", (unsigned)(c->n - shown)));
}

static bool has_times(const json_t *moments)
{
    for (size_t i = 0; i < json_array_size(moments); i++)
        if (!json_is_string(field(json_array_get(moments, i), "time"))) return false;
    return true;
}

/* true: there is a table. */
static bool put_answer(const struct page *p, const json_t *answer)
{
    const json_t *moments = field(answer, "moments");
    if (json_array_size(moments) < 2) return false;
    struct changes *c = arena_alloc(p->arena, sizeof *c);
    c->moments = moments;
    c->n_moments = (uint32_t)json_array_size(moments);
    c->timed = has_times(moments);
    c->arena = p->arena;
    for (uint32_t i = 0; i < c->n_moments; i++)
        add_moment(c, i);
    sort(c);
    put_changes(p, c, answer);
    return true;
}

void part_changes(const struct page *p)
{
    const json_t *answers = field(p->summary, "answers");
    bool any = false;
    for (size_t i = 0; i < json_array_size(answers); i++)
        any |= put_answer(p, json_array_get(answers, i));
    if (any || !json_array_size(answers)) return;
    page_heading(p, "What entered and left");
    page_say(
        p, SHEET_NOTE,
        *field_text(p->summary, "saved")
            ? "A snapshot has the answer at one moment. The report of a run whose sink asks "
              "again and again (every = 10000; of many pipelines --set every=10000) shows what "
              "entered and left."
            : "The sink asked once, at the end. Let it ask again and again (every = 10000; of "
              "many pipelines --set every=10000) to see what enters and leaves, and when.");
}
