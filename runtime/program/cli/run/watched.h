/* watched.h -- data of a running pipeline for the HTTP server (--http), as the JSON of a
 * summary. */
#ifndef LEAT_PROGRAM_CLI_RUN_WATCHED_H
#define LEAT_PROGRAM_CLI_RUN_WATCHED_H

#include "program/cli/command_line/command_line.h"
#include "program/watch/http.h"

struct watched {
    const struct run *run;
    const struct command_line *line;
    struct arena arena;
    json_t *head; /* parts of the summary that do not change during the run */
    /* Latest JSON of each node, by node index; NULL: none yet. Written on the node's worker. */
    json_t **stage, **answer, **input;
    uint64_t *time_begin, *time_end;
    struct http_views views;
};

/* Opens the server of --http and prints its URL. Sets *h to NULL without --http. Returns EXIT_DONE,
 * or an exit code after a message. */
int watched_open(const struct command_line *c, struct http **h);
/* Begins to serve the run. Call it after run_start(). h may be NULL. */
void watched_begin(struct watched *w, struct http *h, struct run *r, const struct command_line *c);
/* Stops serving the run. Call it before run_join(). A zeroed struct is allowed. */
void watched_end(struct watched *w, struct http *h);

#endif
