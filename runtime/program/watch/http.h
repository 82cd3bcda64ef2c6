/* http.h -- the HTTP server of a run at work: figures, answers, predictions.
 *
 * A separate thread handles one request after the other. It never takes a lock that a record needs.
 * For data of a stage it asks the stage's worker, which answers between two batches
 * (exec/worker/visits.h). It waits for at most a second. No request changes the run.
 *
 *   http_open      before the run: listens; /live and /ready answer
 *   http_watch     when the workers have started
 *   http_leave     when the workers have ended: finishes the current request first
 *   http_close */
#ifndef LEAT_PROGRAM_WATCH_HTTP_H
#define LEAT_PROGRAM_WATCH_HTTP_H

#include <jansson.h>

#include "address.h"
#include "host/exec/answers/answer.h"
#include "host/exec/run.h"

struct http;
struct worker;

/* Callbacks that make views of a run as JSON (cli/run/watched.c). */
struct http_views {
    void *of;
    /* Stores the data of a worker's stages. Called on the worker's thread, for several workers at a
     * time. */
    void (*note)(void *of, struct worker *w);
    /* Returns the run in the form of a summary, with the data stored last. Called on the server's
     * thread. */
    json_t *(*summary)(void *of);
    json_t *(*rows)(const struct answer *a);
};

enum { HTTP_WHY = HTTP_ADDRESS_WHY + 200 };

/* Returns the token that --http-token refers to by ${env:NAME} or ${file:PATH}. The caller frees
 * it. On failure, returns NULL and writes the fault to `why`. A message is "--http" followed by
 * `why`. */
char *http_token(const char *reference, char why[HTTP_WHY]);

/* Opens the server. `token` is the value of --http-token, or NULL. On failure, returns NULL and
 * writes the fault to `why`. A message is "--http" followed by `why`. The server's thread blocks
 * all signals. */
struct http *http_open(const char *address, const char *token, char why[HTTP_WHY]);
/* Returns "http://127.0.0.1:9100/". */
const char *http_url(const struct http *h);
/* http_watch() begins to serve a run, http_leave() ends it. Call them after run_start() and before
 * run_join(). `views` must live until http_leave(). */
void http_watch(struct http *h, struct run *r, const struct http_views *views);
void http_leave(struct http *h);
/* Notes that the run ends so that another run continues it. Until http_watch(), the server reports
 * the state "reloading". */
void http_reloading(struct http *h);
/* Counts the result of a reload for /metrics. h may be NULL. */
enum http_reload { HTTP_RELOAD_DONE, HTTP_RELOAD_REFUSED, HTTP_RELOAD_UNDONE, HTTP_RELOADS };
void http_reloaded(struct http *h, enum http_reload result);
void http_close(struct http *h);

#endif
