/* draw.h -- a frame of what is known of a run: figures become text. No terminal is needed.
 *
 * Names may hold anything: what could act on a terminal is shown, not done. */
#ifndef LEAT_PROGRAM_CLI_TOP_DRAW_H
#define LEAT_PROGRAM_CLI_TOP_DRAW_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VIEW_NAME = 300, VIEW_TROUBLE = 700 };

struct view {
    const char *target; /* the URL, or the directory */
    bool of_dir;        /* the figures are those of a snapshot */
    json_t *status;     /* the newest /status, or model_summary() with its age; NULL: none yet */
    json_t *since;      /* look_since() of the two last ones; NULL: rates are since the start */
    json_t *top;        /* the answer of a learner of a run, or {"error"}; or NULL */
    char trouble[VIEW_TROUBLE]; /* of the last look, a sentence; "": none */
    uint64_t seen_ns, now_ns;   /* since 1970; seen: when `status` came */
    char learner[VIEW_NAME];    /* learner whose answer is drawn; "": the first */
    bool live, paused, help;    /* live: with the keys, on the last row */
    double interval;            /* seconds between looks */
};

/* Styles are left out of a text; a screen has bold and underlined ones. */
enum draw_kind { DRAW_TEXT, DRAW_SCREEN, DRAW_COLOURS };

/* Returns a frame of `n` bytes, which the caller frees. */
char *draw_frame(const struct view *v, enum draw_kind kind, size_t columns, size_t rows, size_t *n);

#endif
