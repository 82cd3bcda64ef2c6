/* http.h -- a run is watched by HTTP: figures, answers, predictions, while it works.
 *
 * A thread of its own serves one request after the other. It never waits for a lock that a record
 * needs: what belongs to a stage is asked of the stage's worker, between two batches
 * (exec/worker/visits.h), for a second at most. Nothing that comes in changes anything.
 *
 *     http_open      before the run: listens; /live and /ready answer
 *     http_watch     the workers have started
 *     http_leave     they have ended: a request that is under way is finished first
 *     http_close
 */
#ifndef LEAT_PROGRAM_WATCH_HTTP_H
#define LEAT_PROGRAM_WATCH_HTTP_H

#include <jansson.h>

#include "address.h"
#include "host/exec/answers/answer.h"
#include "host/exec/run.h"

struct http;
struct worker;

/* Views of a run as JSON, which the command line makes. */
struct http_views {
    void *of;
    /* On the worker's thread, and of several at a time: notes what belongs to its stages. */
    void (*note)(void *of, struct worker *w);
    /* On the server's: the run as a summary has it, with what was noted last. */
    json_t *(*summary)(void *of);
    json_t *(*rows)(const struct answer *a);
};

enum { HTTP_WHY = HTTP_ADDRESS_WHY + 200 };

/* token: what the option says, with ${env:NAME} or ${file:PATH}, or NULL. NULL: `why` says what is
 * wrong, after the option's name. Signals are blocked in the server's thread. */
struct http *http_open(const char *address, const char *token, char why[HTTP_WHY]);
/* "http://127.0.0.1:9100/" */
const char *http_url(const struct http *h);
/* From run_start to run_join. `views` is lent until http_leave. */
void http_watch(struct http *h, struct run *r, const struct http_views *views);
void http_leave(struct http *h);
/* The run ends so that another one continues it: until http_watch the state is "reloading". */
void http_reloading(struct http *h);
/* Counts the result of a reload, for /metrics. h may be NULL. */
enum http_reload { HTTP_RELOAD_DONE, HTTP_RELOAD_REFUSED, HTTP_RELOAD_UNDONE, HTTP_RELOADS };
void http_reloaded(struct http *h, enum http_reload result);
void http_close(struct http *h);

#endif
