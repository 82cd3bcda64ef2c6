/* draw.h -- draws a frame of `leat top`: turns the figures of a run into text.
 *
 * No terminal is needed. Control characters in names are shown as codes, so that they have no
 * effect. */
#ifndef LEAT_PROGRAM_CLI_TOP_DRAW_H
#define LEAT_PROGRAM_CLI_TOP_DRAW_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VIEW_NAME = 300, VIEW_TROUBLE = 700 };

struct view {
    const char *target; /* URL of the run, or directory of its snapshots */
    bool of_dir;        /* true if the figures come from a snapshot */
    json_t *status;     /* /status of a run, or model_summary() of a snapshot; NULL: none yet */
    json_t *since;      /* difference of the last two statuses (look_since); NULL: none */
    json_t *top;        /* answer of a run's learner, or {"error"}; or NULL */
    char trouble[VIEW_TROUBLE]; /* why the last look (look.h) failed, a sentence; "": it did not */
    uint64_t seen_ns, now_ns;   /* ns since 1970; seen_ns: time of `status` */
    char learner[VIEW_NAME];    /* learner whose answer is drawn; "": the first */
    bool live, paused, help;    /* live: the last row shows the keys */
    double interval;            /* seconds between looks (look.h) */
};

/* Format of a frame. DRAW_TEXT has no styles. DRAW_SCREEN has bold and underlined text. */
enum draw_kind { DRAW_TEXT, DRAW_SCREEN, DRAW_COLOURS };

/* Returns a frame of *n bytes. The caller frees it. */
char *draw_frame(const struct view *v, enum draw_kind kind, size_t columns, size_t rows, size_t *n);

#endif
