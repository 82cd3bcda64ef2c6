/* pages.h -- struct http: the state of the HTTP server, for the functions that make its pages. */
#ifndef LEAT_PROGRAM_WATCH_PAGES_H
#define LEAT_PROGRAM_WATCH_PAGES_H

#include <pthread.h>

#include "figures.h"
#include "http.h"
#include "predictor.h"
#include "server.h"

/* Counts of reloads of the script. */
struct reloads {
    uint64_t n[HTTP_RELOADS]; /* number of reloads by result */
    double last;              /* time of the last reload, seconds since 1970; 0: none */
};

struct http {
    struct server server;
    char url[HTTP_ADDRESS_TEXT];
    char *token; /* NULL: no token */

    pthread_mutex_t mu; /* Guards all members below. A request holds it while it uses the run. */
    struct run *run;    /* NULL before the start of the run and after its end */
    const struct http_views *views;
    struct figures figures;
    struct predictor *predictor; /* predictors, indexed by node */
    bool left, reloading;
    struct reloads reloads;
};

#define HTTP_WAIT_NS UINT64_C(1000000000) /* longest wait for the workers' answers to a request */

/* Returns "running", or the reason why the run is not ready: "starting", "stopping", "failed" or
 * "ended". Call it with h->mu held. */
const char *http_state(const struct http *h);
enum { HTTP_STATE = 512 };
/* Returns true if the run is ready, and writes "running"; otherwise writes the reason: http_state,
 * or what a stage waits for (leat_host.waits). Call it with h->mu held. */
bool http_ready(const struct http *h, char state[HTTP_STATE]);

/* Returns the learner that the request names. If `asks`, it must support queries. On failure,
 * returns NULL and sets *no to the reply. Call it with h->mu held, while h->run is not NULL. */
struct node *http_learner(const struct http *h, const struct request *q, bool asks,
                          struct reply *no);

/* Functions that make the pages about a run. */
http_page page_of_metrics, page_of_status, page_of_report, page_of_top, page_of_estimate,
    page_of_predictions;

#endif
