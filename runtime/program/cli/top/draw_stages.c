/* draw_stages.c -- the table of stages: what came, how fast, and what their threads do. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "load.h"
#include "program/page/fields.h"
#include "core/report/text_out.h"

enum { MARK = 2, LEAST_NAME = 10 };

struct stage {
    const json_t *of;
    const char *id;
    struct load load;
    double rate;
    bool is_bottleneck, shown;
};

/* ---- columns ---- */

typedef const char *stage_cell(struct frame *f, const struct stage *s);

static const char *cell_plugin(struct frame *f, const struct stage *s)
{
    return field_text(s->of, "plugin");
}
static const char *cell_in(struct frame *f, const struct stage *s)
{
    return draw_count(f, field_number(s->of, "in"));
}
static const char *cell_rate(struct frame *f, const struct stage *s)
{
    return draw_count(f, s->rate);
}
static const char *cell_busy(struct frame *f, const struct stage *s)
{
    return draw_share(f, s->load.busy);
}
static const char *cell_starved(struct frame *f, const struct stage *s)
{
    return draw_share(f, s->load.starved);
}
static const char *cell_blocked(struct frame *f, const struct stage *s)
{
    return draw_share(f, s->load.blocked);
}
static const char *cell_rejected(struct frame *f, const struct stage *s)
{
    return draw_count(f, field_number(s->of, "rejected"));
}
static const char *cell_memory(struct frame *f, const struct stage *s)
{
    const json_t *m = field(s->of, "memory");
    return field_bytes(m ? field_number(m, "used") : field_number(s->of, "planned_bytes"),
                       &f->arena);
}
static const char *cell_state(struct frame *f, const struct stage *s)
{
    return field_bytes(field_number(s->of, "state_bytes"), &f->arena);
}

/* In their order; a narrow terminal leaves out those with the highest `drop` first. */
static const struct stage_column {
    const char *heading;
    size_t width;
    int drop; /* 0: never */
    enum { OF_RUN = 1, OF_SNAPSHOT = 2 } of;
    stage_cell *cell;
} all_columns[] = {{"records in", 14, 0, OF_RUN | OF_SNAPSHOT, cell_in},
                   {"a second", 12, 1, OF_RUN, cell_rate},
                   {"busy", 7, 0, OF_RUN, cell_busy},
                   {"starved", 9, 3, OF_RUN, cell_starved},
                   {"blocked", 9, 4, OF_RUN, cell_blocked},
                   {"rejected", 11, 2, OF_RUN | OF_SNAPSHOT, cell_rejected},
                   {"memory", 12, 5, OF_RUN, cell_memory},
                   {"state", 12, 5, OF_SNAPSHOT, cell_state}};
enum { N_COLUMNS = sizeof all_columns / sizeof *all_columns, MOST_DROP = 6 };

/* How many columns of the terminal are left for names, if those above `drop` are not there. */
static size_t width_left(const struct frame *f, const struct view *v, int drop)
{
    size_t width = MARK;
    for (size_t k = 0; k < N_COLUMNS; k++)
        if (all_columns[k].drop <= drop && all_columns[k].of & (v->of_dir ? OF_SNAPSHOT : OF_RUN))
            width += all_columns[k].width;
    return f->columns > width ? f->columns - width : 0;
}

struct widths {
    int drop; /* columns above it are left out */
    size_t id, plugin;
};

static size_t longest(const struct stage *s, size_t n, const char *key)
{
    size_t most = strlen("plugin");
    for (size_t k = 0; k < n; k++) {
        const char *text = field_text(s[k].of, key);
        size_t width = text_width(text, strlen(text));
        if (width > most) most = width;
    }
    return most;
}

static struct widths measure(const struct frame *f, const struct view *v, const struct stage *s,
                             size_t n)
{
    struct widths w = {.drop = MOST_DROP, .id = longest(s, n, "id")};
    size_t plugin = longest(s, n, "plugin") + 2, least = w.id < 16 ? w.id : 16;
    while (w.drop && width_left(f, v, w.drop) < least)
        w.drop--;
    size_t left = width_left(f, v, w.drop);
    if (left < w.id) w.id = left > LEAST_NAME ? left : LEAST_NAME;
    if (left >= w.id + plugin) w.plugin = plugin;
    return w;
}

static void put_row(struct frame *f, const struct view *v, const struct widths *w,
                    const struct stage *s)
{
    enum frame_style style = !s ? FRAME_HEADING : s->is_bottleneck ? FRAME_STRONG : FRAME_PLAIN;
    size_t at = MARK + w->id;
    if (s && s->is_bottleneck) frame_put(f, FRAME_WARNING, ">");
    frame_to(f, MARK);
    frame_name(f, style, s ? s->id : "stage", w->id);
    if (w->plugin) {
        frame_to(f, at + 2);
        frame_name(f, s ? FRAME_FAINT : style, s ? cell_plugin(f, s) : "plugin", w->plugin - 2);
        at += w->plugin;
    }
    for (size_t k = 0; k < N_COLUMNS; k++) {
        const struct stage_column *c = &all_columns[k];
        if (c->drop > w->drop || !(c->of & (v->of_dir ? OF_SNAPSHOT : OF_RUN))) continue;
        bool bad = s && c->cell == cell_rejected && field_number(s->of, "rejected") > 0;
        frame_right(f, bad ? FRAME_WARNING : style, at += c->width, s ? c->cell(f, s) : c->heading);
    }
    frame_line(f);
}

/* ---- rows ---- */

static int busier_first(const void *a, const void *b)
{
    const struct stage *x = *(const struct stage *const *)a, *y = *(const struct stage *const *)b;
    double u = isfinite(x->load.busy) ? x->load.busy : -1,
           v = isfinite(y->load.busy) ? y->load.busy : -1;
    return u != v ? (u < v) - (u > v) : (x > y) - (x < y);
}

/* Marks those that are shown: all, or those that are busiest. */
static void choose(struct frame *f, struct stage *s, size_t n, size_t rows)
{
    struct stage **order = arena_alloc(&f->arena, (n + 1) * sizeof(struct stage *));
    for (size_t k = 0; k < n; k++)
        order[k] = &s[k];
    if (rows < n) qsort(order, n, sizeof(struct stage *), busier_first);
    for (size_t k = 0; k < n && k < rows; k++)
        order[k]->shown = true;
}

void draw_stages(struct frame *f, const struct view *v, size_t rows)
{
    const json_t *stages = field(v->status, "stages");
    size_t n = json_array_size(stages);
    double share;
    const char *most = load_bottleneck(v->status, v->before, &share);
    struct stage *all = arena_alloc(&f->arena, (n + 1) * sizeof *all);
    for (size_t k = 0; k < n; k++) {
        const json_t *of = json_array_get(stages, k);
        const char *id = field_text(of, "id");
        all[k] = (struct stage){.of = of,
                                .id = id,
                                .load = load_of_stage(v->status, v->before, id),
                                .rate = load_stage_rate(v->status, v->before, id),
                                .is_bottleneck = most && !strcmp(most, id)};
    }
    struct widths w = measure(f, v, all, n);
    bool cut = rows < n && rows > 1;
    choose(f, all, n, cut ? rows - 1 : rows);
    frame_line(f);
    put_row(f, v, &w, NULL);
    for (size_t k = 0; k < n; k++)
        if (all[k].shown) put_row(f, v, &w, &all[k]);
    if (!cut) return;
    frame_put(f, FRAME_FAINT, "  and %zu more that are less busy", n - rows + 1);
    frame_line(f);
}
