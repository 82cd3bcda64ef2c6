/* watched.h -- a run that is watched (--http): what the pages show as JSON, as a summary has it. */
#ifndef LEAT_PROGRAM_CLI_RUN_WATCHED_H
#define LEAT_PROGRAM_CLI_RUN_WATCHED_H

#include "program/cli/command_line/command_line.h"
#include "program/watch/http.h"

struct watched {
    const struct run *run;
    const struct command_line *line;
    struct arena arena;
    json_t *head; /* what does not change */
    json_t **stage, **answer,
        **input; /* by node: as last noted, or NULL; a node's is of one worker */
    uint64_t *time_begin, *time_end;
    struct http_views views;
};

/* With --http: opens the server and says its URL. *h NULL if there is none. EXIT_DONE, or an exit
 * code after a message. */
int watched_open(const struct command_line *c, struct http **h);
/* From run_start on; h may be NULL. */
void watched_begin(struct watched *w, struct http *h, struct run *r, const struct command_line *c);
/* Before run_join; of a zeroed one, too. */
void watched_end(struct watched *w, struct http *h);

#endif
