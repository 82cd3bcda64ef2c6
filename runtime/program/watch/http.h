/* http.h -- the HTTP server of a run at work: figures, answers, predictions.
 *
 * A separate thread serves one request after the other. It never waits for a lock that a record
 * needs. For the data of a stage it asks the stage's worker, which answers between two batches
 * (exec/worker/visits.h); it waits a second at most. No request changes anything.
 *
 *   http_open      before the run: listens; /live and /ready answer
 *   http_watch     the workers have started
 *   http_leave     the workers have ended: the current request is finished first
 *   http_close
 */
#ifndef LEAT_PROGRAM_WATCH_HTTP_H
#define LEAT_PROGRAM_WATCH_HTTP_H

#include <jansson.h>

#include "address.h"
#include "host/exec/answers/answer.h"
#include "host/exec/run.h"

struct http;
struct worker;

/* Views of a run as JSON, made by the command line's code. */
struct http_views {
    void *of;
    /* Notes the data of a worker's stages. On the worker's thread, several at a time. */
    void (*note)(void *of, struct worker *w);
    /* Returns the run in the form of a summary, with the data noted last. On the server's
     * thread. */
    json_t *(*summary)(void *of);
    json_t *(*rows)(const struct answer *a);
};

enum { HTTP_WHY = HTTP_ADDRESS_WHY + 200 };

/* Returns the token that --http-token refers to by ${env:NAME} or ${file:PATH}; the caller frees
 * it. Returns NULL with the fault in `why`, which follows "--http". */
char *http_token(const char *reference, char why[HTTP_WHY]);

/* Opens the server. token: text for http_token, or NULL. Returns NULL with the fault in
 * `why`, which follows the option's name. Signals are blocked in the server's thread. */
struct http *http_open(const char *address, const char *token, char why[HTTP_WHY]);
/* Returns "http://127.0.0.1:9100/". */
const char *http_url(const struct http *h);
/* Shows a run, from run_start to run_join. `views` is lent until http_leave. */
void http_watch(struct http *h, struct run *r, const struct http_views *views);
void http_leave(struct http *h);
/* Notes that the run ends so that another one continues it: the state is "reloading" until
 * http_watch. */
void http_reloading(struct http *h);
/* Counts the result of a reload, for /metrics. h may be NULL. */
enum http_reload { HTTP_RELOAD_DONE, HTTP_RELOAD_REFUSED, HTTP_RELOAD_UNDONE, HTTP_RELOADS };
void http_reloaded(struct http *h, enum http_reload result);
void http_close(struct http *h);

#endif
