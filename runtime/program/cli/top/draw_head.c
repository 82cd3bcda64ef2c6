/* draw_head.c -- the first lines: which run, and its figures as a whole. */
#include <math.h>
#include <string.h>

#include "draw.h"
#include "load.h"
#include "program/page/fields.h"
#include "core/report/text_out.h"

/* On the next line where this one has no room for it. */
static void item(struct frame *f, const char *label, enum frame_style style, const char *value)
{
    size_t width = text_width(label, strlen(label)) + 1 + text_width(value, strlen(value));
    if (f->column && f->column + 3 + width > f->columns) frame_line(f);
    if (f->column) frame_put(f, FRAME_PLAIN, "   ");
    if (*label) frame_put(f, FRAME_FAINT, "%s ", label);
    frame_put(f, style, "%s", value);
}

static void draw_title(struct frame *f, const struct view *v)
{
    const char *state = field_text(v->status, "state");
    enum frame_style style = !strcmp(state, "running") ? FRAME_POSITIVE : FRAME_WARNING;
    size_t target = text_width(v->target, strlen(v->target));
    size_t room = f->columns > target + 40 ? f->columns - target - 30 : f->columns;
    frame_name(f, FRAME_STRONG, v->status ? field_text(v->status, "pipeline") : "leat top", room);
    if (v->status && !v->of_dir) {
        frame_put(f, *v->trouble ? FRAME_WARNING : style, "  %s",
                  *v->trouble ? "no answer" : state);
        if (!*v->trouble)
            frame_put(f, FRAME_PLAIN, " for %s", draw_span(f, field_number(v->status, "seconds")));
    }
    if (f->column + 2 + target <= f->columns) frame_right(f, FRAME_FAINT, f->columns, v->target);
    frame_line(f);
}

static void draw_records(struct frame *f, const struct view *v)
{
    const json_t *s = v->status;
    double records = field_number(s, "records"), rejected = field_number(s, "rejected");
    double dead = field_number(s, "dead_letters"), lag = field_number(s, "lag");
    struct arena *a = &f->arena;
    item(f, "records", FRAME_STRONG, draw_count(f, records));
    if (!v->of_dir)
        item(f, "", FRAME_STRONG,
             arena_printf(a, "%s/s%s", draw_count(f, fmax(load_rate(s, v->before), 0)),
                          v->before ? "" : " since the start"));
    item(f, "rejected", rejected > 0 ? FRAME_WARNING : FRAME_PLAIN,
         records > 0 && rejected > 0
             ? arena_printf(a, "%s (%.3g %%)", draw_count(f, rejected), 100 * rejected / records)
             : draw_count(f, rejected));
    if (dead > 0) item(f, "dead letters", FRAME_PLAIN, draw_count(f, dead));
    if (field(s, "lag"))
        item(f, "lag", FRAME_STRONG, isfinite(lag) ? draw_count(f, lag) : "unknown");
}

static void draw_memory(struct frame *f, const struct view *v)
{
    const json_t *m = field(v->status, "memory");
    double planned = field_number(m, "planned"), used = field_number(m, "used");
    if (!m) return;
    item(f, "memory", used > planned ? FRAME_WARNING : FRAME_PLAIN,
         arena_printf(&f->arena, "%s of %s planned", field_bytes(used, &f->arena),
                      field_bytes(planned, &f->arena)));
}

static void draw_snapshots(struct frame *f, const struct view *v)
{
    const json_t *s = field(v->status, "snapshots");
    double age = field_number(s, "age"), since = (double)(v->now_ns - v->seen_ns) / 1e9;
    if (v->now_ns < v->seen_ns) since = 0;
    if (v->of_dir) {
        item(f, "snapshot", FRAME_STRONG,
             arena_printf(&f->arena, "%s, %s ago",
                          draw_count(f, field_number(v->status, "checkpoint")),
                          draw_span(f, field_number(v->status, "age") + since)));
        item(f, "saved", FRAME_PLAIN, field_moment(field_text(v->status, "saved"), &f->arena));
    } else if (s) {
        item(f, "snapshot", FRAME_PLAIN,
             isfinite(age) ? arena_printf(&f->arena, "%s ago", draw_span(f, age)) : "none yet");
    }
}

static void draw_bottleneck(struct frame *f, const struct view *v)
{
    double share;
    const char *id = load_bottleneck(v->status, v->before, &share);
    if (id)
        item(f, "bottleneck", FRAME_STRONG,
             arena_printf(&f->arena, "%s (%s)", id, draw_share(f, share)));
}

void draw_head(struct frame *f, const struct view *v)
{
    draw_title(f, v);
    if (v->status) {
        draw_records(f, v);
        frame_line(f);
        draw_memory(f, v);
        draw_snapshots(f, v);
        draw_bottleneck(f, v);
        frame_line(f);
    }
    draw_trouble(f, v);
    if (!v->status && !*v->trouble) {
        frame_put(f, FRAME_FAINT, "waiting for the first answer");
        frame_line(f);
    }
}
