/* watched.h -- a watched run (--http): its pages as JSON, in the form of a summary. */
#ifndef LEAT_PROGRAM_CLI_RUN_WATCHED_H
#define LEAT_PROGRAM_CLI_RUN_WATCHED_H

#include "program/cli/command_line/command_line.h"
#include "program/watch/http.h"

struct watched {
    const struct run *run;
    const struct command_line *line;
    struct arena arena;
    json_t *head; /* the parts that do not change */
    json_t **stage, **answer,
        **input; /* by node: last noted one, or NULL; written by the node's worker */
    uint64_t *time_begin, *time_end;
    struct http_views views;
};

/* Opens the server and prints its URL, with --http. *h is NULL without. Returns EXIT_DONE, or an
 * exit code after a message. */
int watched_open(const struct command_line *c, struct http **h);
/* Begins to show the run. Call it after run_start; h may be NULL. */
void watched_begin(struct watched *w, struct http *h, struct run *r, const struct command_line *c);
/* Ends it. Call it before run_join. A zeroed one is allowed. */
void watched_end(struct watched *w, struct http *h);

#endif
