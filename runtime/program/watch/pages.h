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
    double last;              /* seconds since 1970; 0: there was none */
};

struct http {
    struct server server;
    char url[HTTP_ADDRESS_TEXT];
    char *token; /* or NULL */

    pthread_mutex_t mu; /* over all below: a request holds it as long as it needs the run */
    struct run *run;    /* NULL: before its start, and after its end */
    const struct http_views *views;
    struct figures figures;
    struct predictor *predictor; /* by node */
    bool left, reloading;
    struct reloads reloads;
};

#define HTTP_WAIT_NS UINT64_C(1000000000) /* for workers */

/* Returns "running", or why it is not ready: "starting", "stopping", "failed", "ended". mu held. */
const char *http_state(const struct http *h);

/* Returns the learner that the request names, whose `query` must be there if `asks`; NULL if
 * there is none, with the reply in *no. mu held, and there is a run. */
struct node *http_learner(const struct http *h, const struct request *q, bool asks,
                          struct reply *no);

/* A page that needs the run. */
typedef struct reply http_page(struct http *h, const struct request *q);

http_page page_of_metrics, page_of_status, page_of_report, page_of_top, page_of_estimate,
    page_of_predictions;

#endif
