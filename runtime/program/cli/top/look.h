/* look.h -- reads a run's status over HTTP, or a directory's newest snapshot, for `leat top`.
 *
 * Each reading is called a look:
 *
 *     look_begin    starts a child process that looks
 *     look_end      if the child has ended, updates the view with its result
 *
 * Thanks to the child, slow servers and large models do not block the screen, and a crash caused by
 * a plugin or a damaged file ends only the child. The child writes JSON to a file in memory: the
 * status or {"trouble"}, and the answer of a learner. Nothing is locked or written, so the run may
 * go on. */
#ifndef LEAT_PROGRAM_CLI_TOP_LOOK_H
#define LEAT_PROGRAM_CLI_TOP_LOOK_H

#include <stdio.h>
#include <sys/types.h>

#include "draw.h"
#include "http_get.h"
#include "program/cli/command.h"

struct look {
    const struct command_line *line; /* has --memory and --plugin-path */
    struct view view;
    struct server_address server;
    char *token;          /* token of --http-token, or NULL */
    struct timespec seen; /* modification time of the snapshot that was read last */
    json_t *before;       /* status of the previous look at the same run; or NULL */
    pid_t child;          /* process that looks; 0: none */
    FILE *found;          /* output of the child */
};

/* Takes the operand, --stage and --http-token from the command line. Returns false after a message.
 * Call look_free() afterwards, even after a failure. */
bool look_open(struct look *l, const struct command_line *c);
void look_free(struct look *l);

/* Begins a look. A look that is still under way is ended first. */
void look_begin(struct look *l);
/* Returns false if the look is still under way. If `wait`, waits for its end. */
bool look_end(struct look *l, bool wait);

/* Returns a copy of `now` in which each number is reduced by the number in `before`, but not below
 * 0. */
json_t *look_since(json_t *now, const json_t *before);
/* Returns the learner `step` places (-1 to 1) after the learner `id` in the status. If there is no
 * learner `id`, counts from the first learner. Returns NULL if the status has no learner. */
const json_t *look_learner(const json_t *status, const char *id, int step);

#endif
