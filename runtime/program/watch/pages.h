/* pages.h -- the server of a run (struct http), for its pages. */
#ifndef LEAT_PROGRAM_WATCH_PAGES_H
#define LEAT_PROGRAM_WATCH_PAGES_H

#include <pthread.h>

#include "figures.h"
#include "http.h"
#include "predictor.h"
#include "server.h"

/* Counts of reloads of the script. */
struct reloads {
    uint64_t n[HTTP_RELOADS]; /* by result */
    double last;              /* seconds since 1970; 0: none */
};

struct http {
    struct server server;
    char url[HTTP_ADDRESS_TEXT];
    char *token; /* or NULL */

    pthread_mutex_t mu; /* guards all members below; a request holds it while it needs the run */
    struct run *run;    /* NULL before the start and after the end */
    const struct http_views *views;
    struct figures figures;
    struct predictor *predictor; /* by node */
    bool left, reloading;
    struct reloads reloads;
};

#define HTTP_WAIT_NS UINT64_C(1000000000) /* for workers */

/* Returns "running", or why the run is not ready: "starting", "stopping", "failed", "ended". Call
 * it with mu held. */
const char *http_state(const struct http *h);

/* Returns the learner that the request names, which must have `query` if `asks`. Otherwise returns
 * NULL, with the reply in *no. Call it with mu held, while there is a run. */
struct node *http_learner(const struct http *h, const struct request *q, bool asks,
                          struct reply *no);

/* Pages that need the run. */
http_page page_of_metrics, page_of_status, page_of_report, page_of_top, page_of_estimate,
    page_of_predictions;

#endif
