/* draw.h -- a frame of what is known of a run: figures become text. No terminal is needed. */
#ifndef LEAT_PROGRAM_CLI_TOP_DRAW_H
#define LEAT_PROGRAM_CLI_TOP_DRAW_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

/* All is lent. */
struct view {
    const char *target;
    bool of_dir;                /* the figures are those of a snapshot      */
    const json_t *status;       /* as look.h has it; NULL: nothing is known yet */
    const json_t *before, *top; /* or NULL */
    const char *trouble;        /* "": none */
    uint64_t seen_ns, now_ns;   /* since 1970; when `status` came */
    const char *learner;        /* whose answer is drawn; "": the first's */
    bool live, paused, help;    /* live: with the keys, on the last row */
    double interval;            /* seconds between looks */
    size_t answer_rows;         /* at most; as far as there is room */
};

/* Into a frame that was begun. */
void draw_frame(struct frame *f, const struct view *v);

/* The tables of draw_tables.c. */
void draw_stages(struct frame *f, const struct view *v, size_t rows);
void draw_learners(struct frame *f, const struct view *v, size_t rows);

/* "85 %", "1,234", "0.5097"; "-" where there is none. In the frame's arena. */
const char *draw_share(struct frame *f, double share);
const char *draw_count(struct frame *f, double n);
const char *draw_figure(struct frame *f, double x);

/* Loads compare a status with the one before it (NULL: since the start). */

/* Returns the stage that takes most of the busiest thread, and *share of its time, if that
 * thread is busy for more than half of it; else NULL. */
const char *load_bottleneck(const json_t *status, const json_t *before, double *share);

/* Returns records a second of the whole run. */
double load_rate(const json_t *status, const json_t *before);

#endif
