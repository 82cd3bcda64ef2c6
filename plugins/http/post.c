/* post.c -- implementation of post.h.
 *
 *     status of the answer        meaning
 *     2xx                         taken
 *     400 409 413 422             refused: the records are at fault
 *     408 425 429 5xx, no answer  repeated after 0.1 s, 0.2 s, … 30 s, or when the server says
 *     all others                  failed: the address or login is wrong, so all requests would fail
 *
 * A status that has come counts, whatever becomes of the body after it. At most READ_BYTES of a
 * body are read. */
#include "post.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef LEAT_CURL

const char *post_library(void) { return NULL; }

int post_open(struct leat_ctx *ctx, const struct post_cfg *cfg, struct post **p)
{
    *p = NULL;
    return ctx->host->fail(ctx, LEAT_EARG, "this leat was built without libcurl");
}

void post_close(struct post *p) {}

enum post_outcome post_send(struct post *p, const char *body, size_t n, char why[POST_WHY])
{
    return POST_FAILED;
}

struct post_counts post_counts(const struct post *p) { return (struct post_counts){0, 0}; }

#else

#include <curl/curl.h>
#include <strings.h>
#include <time.h>

#include "core/text/secret_text.h"
#include "core/time/clock.h"

enum {
    ANSWER_BYTES = 200,
    READ_BYTES = 64 << 10,
    CONNECT_SECONDS = 10,
    MS = 1000000,
    SHORTEST_SECRET = 4
};
#define WORD_ENDS     " \t:,;/?&"
#define FIRST_WAIT_NS (INT64_C(100) * MS)
#define LAST_WAIT_NS  (INT64_C(30000) * MS)

struct post {
    const struct post_cfg *cfg;
    struct leat_ctx *ctx;
    CURL *curl;
    struct curl_slist *headers;
    struct curl_slist *secrets;    /* secret words in headers and url */
    char *url;                     /* URL with secrets filled in */
    char answer[ANSWER_BYTES + 1]; /* beginning of the last answer */
    size_t n_answer, n_read;       /* bytes kept of the last answer; bytes read of it */
    char said[CURL_ERROR_SIZE];
    struct post_counts counts;
};

const char *post_library(void) { return curl_version_info(CURLVERSION_NOW)->version; }

struct post_counts post_counts(const struct post *p) { return p->counts; }

/* ---- one attempt ---- */

static size_t take_answer(char *bytes, size_t size, size_t n, void *to)
{
    struct post *p = to;
    size_t all = size * n, room = ANSWER_BYTES - p->n_answer, kept = all < room ? all : room;
    memcpy(p->answer + p->n_answer, bytes, kept);
    p->n_answer += kept;
    p->answer[p->n_answer] = 0;
    p->n_read += all;
    return p->n_read <= READ_BYTES ? all : 0;
}

/* Stores the secrets: the words of `filled` that are not in `given`. `filled` is `given` with
 * secrets in place of its references ${…}. */
static bool keep_secrets(struct post *p, const char *given, const char *filled)
{
    char *words = strstr(given, "${") ? strdup(filled) : NULL, *rest = NULL;
    bool kept = words || !strstr(given, "${");
    for (char *w = words ? strtok_r(words, WORD_ENDS, &rest) : NULL; w && kept;
         w = strtok_r(NULL, WORD_ENDS, &rest)) {
        if (strlen(w) < SHORTEST_SECRET || strstr(given, w)) continue;
        struct curl_slist *all = curl_slist_append(p->secrets, w);
        kept = all != NULL;
        if (all) p->secrets = all;
    }
    free(words);
    return kept;
}

/* Hides the beginning of a secret at the end of the stored answer, where the answer was cut. */
static void hide_beginnings(struct post *p)
{
    for (const struct curl_slist *s = p->secrets; s; s = s->next)
        for (size_t n = strlen(s->data); n >= SHORTEST_SECRET; n--)
            if (n <= p->n_answer && !memcmp(p->answer + p->n_answer - n, s->data, n))
                memset(p->answer + p->n_answer - n, '*', n);
}

/* Hides secrets in the answer, because a server may echo the request. */
static void hide_secrets(struct post *p)
{
    for (const struct curl_slist *s = p->secrets; s; s = s->next)
        for (char *at = p->answer; (at = strstr(at, s->data));)
            memset(at, '*', strlen(s->data));
    hide_beginnings(p);
}

/* True if the run is stopping and has no time left. With --state the next run sends unconfirmed
 * records again. */
static bool is_late(const struct post *p)
{
    const struct leat_host *h = p->ctx->host;
    return h->stopping(p->ctx) && h->time_left(p->ctx) < INT64_C(1000) * MS;
}

static int is_over(void *to, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    return is_late(to);
}

static CURLcode attempt(struct post *p, const char *body, size_t n, long *status)
{
    p->n_answer = p->n_read = 0;
    *p->answer = *p->said = 0;
    *status = 0;
    curl_easy_setopt(p->curl, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(p->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)n);
    CURLcode code = curl_easy_perform(p->curl);
    curl_easy_getinfo(p->curl, CURLINFO_RESPONSE_CODE, status);
    p->counts.requests++;
    hide_secrets(p);
    return code;
}

/* ---- what an answer means ---- */

enum verdict { TAKEN, REFUSED, LATER, NEVER };

static enum verdict verdict_of(CURLcode code, long status)
{
    if (status < 200) {
        bool wrong = code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL ||
                     code == CURLE_SSL_CACERT_BADFILE || code == CURLE_PEER_FAILED_VERIFICATION;
        return wrong ? NEVER : LATER;
    }
    if (status >= 200 && status < 300) return TAKEN;
    if (status == 400 || status == 409 || status == 413 || status == 422) return REFUSED;
    bool passes = status == 408 || status == 425 || status == 429 || status >= 500;
    return passes ? LATER : NEVER;
}

/* Writes the status and the first line of the server's answer, or why there is none. If the run's
 * stop has broken the attempt off, the reason of the attempt before it stays. */
static void describe(const struct post *p, CURLcode code, long status, char why[POST_WHY])
{
    size_t line = strcspn(p->answer, "\r\n");
    if (status >= 200)
        snprintf(why, POST_WHY, "HTTP status %ld%s%.*s", status, line ? ": " : "", (int)line,
                 p->answer);
    else if (code != CURLE_ABORTED_BY_CALLBACK)
        snprintf(why, POST_WHY, "%s", *p->said ? p->said : curl_easy_strerror(code));
    else if (!*why)
        snprintf(why, POST_WHY, "no answer has come");
}

static const char *post_cure_of(long status)
{
    if (status == 401 || status == 403) return " (set `header`, such as \"Authorization: …\")";
    if (status >= 300 && status < 400)
        return " (set `url` to the address that the server redirects to)";
    return status == 404 || status == 405 ? " (check `url`)" : "";
}

/* ---- repeating ---- */

static void post_wait_ns(const struct post *p, int64_t ns)
{
    for (uint64_t until = clock_ns() + (uint64_t)ns; clock_ns() < until && !is_late(p);)
        nanosleep(&(struct timespec){0, 20 * MS}, NULL);
}

/* Returns how long to wait before the next attempt: as long as the server asks, or twice as long as
 * before. */
static int64_t wait_of(const struct post *p, int64_t i)
{
    curl_off_t asked = 0;
    int64_t wait = i < 16 ? FIRST_WAIT_NS << i : LAST_WAIT_NS;
    curl_easy_getinfo(p->curl, CURLINFO_RETRY_AFTER, &asked);
    if (asked > 0) wait = asked < 30 ? asked * 1000 * MS : LAST_WAIT_NS;
    return wait < LAST_WAIT_NS ? wait : LAST_WAIT_NS;
}

static enum post_outcome post_fail(const struct post *p, long status, int64_t tried,
                                   const char *why)
{
    if (is_late(p))
        p->ctx->host->fail(p->ctx, LEAT_EIO, "the run stops before %s has taken all records: %s",
                           p->cfg->url, why);
    else
        p->ctx->host->fail(p->ctx, LEAT_EIO, "%s does not take records, after %lld attempt%s: %s%s",
                           p->cfg->url, (long long)tried, tried == 1 ? "" : "s", why,
                           post_cure_of(status));
    return POST_FAILED;
}

enum post_outcome post_send(struct post *p, const char *body, size_t n, char why[POST_WHY])
{
    *why = 0;
    for (int64_t i = 0;; i++) {
        long status;
        CURLcode code = attempt(p, body, n, &status);
        enum verdict v = verdict_of(code, status);
        if (v == TAKEN) return POST_TAKEN;
        describe(p, code, status, why);
        if (v == REFUSED) return POST_REFUSED;
        if (v == NEVER || i == p->cfg->retries || is_late(p))
            return post_fail(p, status, i + 1, why);
        p->counts.retries++;
        int64_t wait = wait_of(p, i);
        p->ctx->host->log(p->ctx, i ? LEAT_INFO : LEAT_WARN,
                          "%s does not take records: %s; trying again in %g s", p->cfg->url, why,
                          (double)wait / 1e9);
        post_wait_ns(p, wait);
    }
}

/* ---- opening ---- */

static bool post_add_header(struct post *p, const char *line)
{
    struct curl_slist *all = curl_slist_append(p->headers, line);
    if (all) p->headers = all;
    return all;
}

static int post_add_headers(struct post *p)
{
    const struct leat_host *h = p->ctx->host;
    const struct leat_strings *given = &p->cfg->header;
    char type[128], why[POST_WHY];
    bool typed = false, added = post_add_header(p, "Expect:");
    for (uint32_t i = 0; i < given->n; i++) {
        char *line = secret_expand(given->v[i], why, sizeof why);
        if (!line) return h->fail(p->ctx, LEAT_EARG, "header: %s", why);
        bool broken = strpbrk(line, "\r\n");
        added = added && post_add_header(p, line) && keep_secrets(p, given->v[i], line);
        typed = typed || !strncasecmp(line, "content-type:", 13);
        free(line);
        if (broken)
            return h->fail(p->ctx, LEAT_EARG,
                           "header: number %u has a line end after its secrets are filled in: a "
                           "header is one line",
                           i + 1);
    }
    snprintf(type, sizeof type, "Content-Type: %s", p->cfg->type);
    if (!typed) added = added && post_add_header(p, type);
    return added ? LEAT_OK : h->fail(p->ctx, LEAT_ENOMEM, "there is not enough memory for headers");
}

static void post_set_up(struct post *p)
{
    CURL *c = p->curl;
    curl_easy_setopt(c, CURLOPT_URL, p->url);
    curl_easy_setopt(c, CURLOPT_POST, 1L);
    curl_easy_setopt(c, CURLOPT_HTTPHEADER, p->headers);
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)(p->cfg->timeout / MS));
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take_answer);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, p);
    curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, is_over);
    curl_easy_setopt(c, CURLOPT_XFERINFODATA, p);
    curl_easy_setopt(c, CURLOPT_ERRORBUFFER, p->said);
    if (p->cfg->ca) curl_easy_setopt(c, CURLOPT_CAINFO, p->cfg->ca);
}

static int open_post(struct post *p)
{
    const struct leat_host *h = p->ctx->host;
    char why[POST_WHY];
    p->url = secret_expand(p->cfg->url, why, sizeof why);
    if (!p->url) return h->fail(p->ctx, LEAT_EARG, "url: %s", why);
    if (!keep_secrets(p, p->cfg->url, p->url))
        return h->fail(p->ctx, LEAT_ENOMEM, "there is not enough memory for the address");
    p->curl = curl_global_init(CURL_GLOBAL_DEFAULT) ? NULL : curl_easy_init();
    if (!p->curl)
        return h->fail(p->ctx, LEAT_ENOMEM, "libcurl cannot start: there is not enough memory");
    int status = post_add_headers(p);
    if (status == LEAT_OK) post_set_up(p);
    return status;
}

int post_open(struct leat_ctx *ctx, const struct post_cfg *cfg, struct post **out)
{
    struct post *p = *out = calloc(1, sizeof *p);
    if (!p) return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for a request");
    *p = (struct post){.cfg = cfg, .ctx = ctx};
    int status = open_post(p);
    if (status == LEAT_OK) return status;
    post_close(p);
    *out = NULL;
    return status;
}

void post_close(struct post *p)
{
    if (!p) return;
    if (p->curl) curl_easy_cleanup(p->curl);
    curl_slist_free_all(p->headers);
    curl_slist_free_all(p->secrets);
    free(p->url);
    free(p);
}

#endif
