/* http.c -- implementation of http.h: opens and closes the server, and lists its pages. */
#include "http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/time/clock.h"
#include "host/log/log.h"
#include "host/memory/memory.h"
#include "core/text/secret_text.h"
#include "program/page/docs.h"
#include "pages.h"

/* ---- pages ---- */

static struct reply text(unsigned code, const char *type, const char *body)
{
    return (struct reply){.code = code, .type = type, .body = strdup(body), .n = strlen(body)};
}

static struct reply page_live(struct http *h, const struct request *q)
{
    return text(200, "text/plain; charset=utf-8", "live\n");
}

static struct reply page_ready(struct http *h, const struct request *q)
{
    char line[HTTP_STATE + 1], state[HTTP_STATE];
    pthread_mutex_lock(&h->mu);
    bool ready = http_ready(h, state);
    pthread_mutex_unlock(&h->mu);
    snprintf(line, sizeof line, "%s\n", state);
    return text(ready ? 200 : 503, "text/plain; charset=utf-8", line);
}

static struct reply page_root(struct http *h, const struct request *q)
{
    return text(200, "text/html; charset=utf-8", status_page_html);
}

static struct reply page_of_run(struct http *h, const struct request *q)
{
    pthread_mutex_lock(&h->mu);
    struct reply r = h->run || q->page->always
                         ? q->page->of_run(h, q)
                         : reply_error(503, "the run is not running: it is %s", http_state(h));
    pthread_mutex_unlock(&h->mu);
    return r;
}

static const struct page pages[] = {
    {"/", .make = page_root},
    {"/live", .open = true, .make = page_live},
    {"/ready", .open = true, .make = page_ready},
    {"/metrics", .make = page_of_run, .of_run = page_of_metrics, .always = true},
    {"/status", .make = page_of_run, .of_run = page_of_status},
    {"/report", .make = page_of_run, .of_run = page_of_report},
    {"/top/", .make = page_of_run, .of_run = page_of_top},
    {"/estimate/", .make = page_of_run, .of_run = page_of_estimate},
    {"/predict/", .posts = true, .make = page_of_run, .of_run = page_of_predictions},
    {.path = NULL}};

/* ---- begin and end ---- */

static bool http_fail(struct http *h, char why[HTTP_WHY], const char *reason)
{
    snprintf(why, HTTP_WHY, "%s", reason);
    return false;
}

enum { TOKEN_MAX = 4096 };

/* Returns the reason why a client cannot send this token in a header, as the end of a message that
 * begins with "--http"; NULL if it can. */
static const char *fault_of_token(const char *token)
{
    if (!*token) return "-token: the token is empty";
    if (strlen(token) > TOKEN_MAX) return "-token: the token is longer than 4096 bytes";
    for (const char *p = token; *p; p++)
        if (*p <= ' ' || *p > '~')
            return "-token: the token has blanks, line ends or letters beyond ASCII, which no "
                   "client can send: use other characters";
    return NULL;
}

char *http_token(const char *reference, char why[HTTP_WHY])
{
    char reason[HTTP_ADDRESS_WHY];
    const char *fault = "-token: takes only '${env:NAME}' or '${file:PATH}', because everybody "
                        "on this machine can read command lines";
    char *token = NULL;
    if (secret_is_reference(reference)) {
        token = secret_expand(reference, reason, sizeof reason);
        fault = token ? fault_of_token(token) : NULL;
    }
    if (token && !fault) return token;
    snprintf(why, HTTP_WHY, fault ? "%s" : "-token: %s", fault ? fault : reason);
    free(token);
    return NULL;
}

static bool http_start(struct http *h, const char *address, char why[HTTP_WHY])
{
    struct http_address at;
    char reason[HTTP_ADDRESS_WHY];
    const char *fault = http_address_read(address, &at);
    if (!fault && !at.loopback && !h->token)
        fault = ": other machines reach this address: give --http-token '${env:NAME}' or "
                "'${file:PATH}', or an address of 127.0.0.1";
    if (fault) return http_fail(h, why, fault);
    int fd = http_address_listen(&at, h->url, reason);
    if (fd < 0) return snprintf(why, HTTP_WHY, ": %s", reason), false;
    h->server =
        (struct server){.http = h, .pages = pages, .token = h->token, .loopback = at.loopback};
    return server_start(&h->server, fd) || http_fail(h, why, ": the system gives no thread for it");
}

struct http *http_open(const char *address, const char *token, char why[HTTP_WHY])
{
    struct http *h = memory_take(sizeof *h);
    memset(h, 0, sizeof *h);
    pthread_mutex_init(&h->mu, NULL);
    if (token) h->token = http_token(token, why);
    if ((h->token || !token) && http_start(h, address, why)) return h;
    http_close(h);
    return NULL;
}

const char *http_url(const struct http *h) { return h->url; }

void http_watch(struct http *h, struct run *r, const struct http_views *views)
{
    pthread_mutex_lock(&h->mu);
    h->predictor = memory_take((r->graph->n_nodes + 1) * sizeof *h->predictor);
    for (uint32_t k = 0; k < r->graph->n_nodes; k++)
        predictor_init(&h->predictor[k], r, &r->graph->node[k]);
    figures_init(&h->figures, r);
    h->views = views;
    h->run = r;
    visits_expect(r);
    h->left = h->reloading = false;
    pthread_mutex_unlock(&h->mu);
}

void http_leave(struct http *h)
{
    pthread_mutex_lock(&h->mu);
    for (uint32_t k = 0; h->run && k < h->run->graph->n_nodes; k++)
        predictor_close(&h->predictor[k]);
    if (h->run) figures_free(&h->figures);
    free(h->predictor);
    h->predictor = NULL;
    h->run = NULL;
    h->left = true;
    pthread_mutex_unlock(&h->mu);
}

void http_reloading(struct http *h)
{
    pthread_mutex_lock(&h->mu);
    h->reloading = true;
    pthread_mutex_unlock(&h->mu);
}

void http_reloaded(struct http *h, enum http_reload result)
{
    if (!h) return;
    pthread_mutex_lock(&h->mu);
    h->reloads.n[result]++;
    h->reloads.last = (double)clock_unix_ns() / 1e9;
    pthread_mutex_unlock(&h->mu);
}

void http_close(struct http *h)
{
    if (!h) return;
    if (h->server.daemon) server_stop(&h->server);
    free(h->token);
    pthread_mutex_destroy(&h->mu);
    free(h);
}
