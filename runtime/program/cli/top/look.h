/* look.h -- looks at a run over HTTP, or at the newest snapshot of a directory, for a view of it.
 *
 *     look_begin    a look is under way
 *     look_end      it is over, or not yet: the view has what it found
 *
 * A child looks, so that slow servers and large models do not stop the screen, and what plugins and
 * damaged files do stays there. It leaves JSON in a file in memory: the status, or {"trouble"}, and
 * the answer of a learner. Nothing is locked or written: the run may go on. */
#ifndef LEAT_PROGRAM_CLI_TOP_LOOK_H
#define LEAT_PROGRAM_CLI_TOP_LOOK_H

#include <stdio.h>
#include <sys/types.h>

#include "draw.h"
#include "http_get.h"
#include "program/cli/command.h"

struct look {
    const struct command_line *line; /* --memory, --plugin-path */
    struct view view;
    struct server_address server;
    char *token;          /* or NULL */
    struct timespec seen; /* of the snapshot that was read last */
    json_t *before;       /* the status of the look before, of the same run; or NULL */
    pid_t child;          /* 0: no look is under way */
    FILE *found;          /* by the child            */
};

/* Takes the operand, --stage and --http-token of the command line. Returns false after a message.
 * Always free it afterwards. */
bool look_open(struct look *l, const struct command_line *c);
void look_free(struct look *l);

/* Begins anew if one is under way. */
void look_begin(struct look *l);
/* Returns false if it is not over. wait: until it is. */
bool look_end(struct look *l, bool wait);

/* Returns a status whose numbers are less by those of the status before, but not below 0. */
json_t *look_since(json_t *now, const json_t *before);
/* Returns the learner that is `step` places (-1 to 1) from the one with that id, or from the first
 * if none has it; NULL if the status has no learner. */
const json_t *look_learner(const json_t *status, const char *id, int step);

#endif
