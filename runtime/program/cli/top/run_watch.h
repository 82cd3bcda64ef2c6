/* run_watch.h -- looks at a run by HTTP (`leat run --http`): /status, then /top of one learner.
 * Nothing here waits; http_get.h says how it is called. */
#ifndef LEAT_PROGRAM_CLI_TOP_RUN_WATCH_H
#define LEAT_PROGRAM_CLI_TOP_RUN_WATCH_H

#include "http_get.h"
#include "look.h"

struct run_watch {
    struct server_address server;
    char *token; /* or NULL */
    struct http_get get;
    char learner[LOOK_NAME]; /* that is asked; "": the first   */
    char path[3 * LOOK_NAME + 32];
    bool asks_top;
    struct look look; /* of this look */
};

void run_watch_begin(struct run_watch *w, const char *learner);
/* true: it is over, with what it has found in w->look. */
bool run_watch_step(struct run_watch *w);
void run_watch_free(struct run_watch *w);

#endif
