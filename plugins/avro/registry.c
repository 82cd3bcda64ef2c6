/* registry.c -- implementation of registry.h. */
#include "registry.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef LEAT_CURL

const char *registry_library(void) { return NULL; }

int registry_open(struct leat_ctx *ctx, const struct registry_cfg *cfg, struct registry **r)
{
    *r = NULL;
    return ctx->host->fail(ctx, LEAT_EARG, "this leat was built without libcurl");
}

void registry_close(struct registry *r) {}

int registry_get(struct leat_ctx *ctx, struct registry *r, const char *what, char **text, size_t *n,
                 char *why, size_t cap)
{
    return LEAT_EARG;
}

#else

#include <curl/curl.h>
#include <jansson.h>
#include <time.h>

#include "core/text/secret_text.h"
#include "core/time/clock.h"

enum { ANSWER_BYTES = 8 << 20, CONNECT_SECONDS = 5, ANSWER_SECONDS = 10, REASON = 300 };
#define FIRST_WAIT_NS INT64_C(100000000)
#define LAST_WAIT_NS  INT64_C(2000000000)

struct registry {
    const struct registry_cfg *cfg;
    struct leat_ctx *ctx;
    CURL *curl;
    char *login; /* login with secrets filled in, or NULL */
    char *body;  /* body of the last answer */
    size_t n;
    char said[CURL_ERROR_SIZE];
};

const char *registry_library(void) { return curl_version_info(CURLVERSION_NOW)->version; }

/* ---- one request ---- */

static size_t take_body(char *bytes, size_t size, size_t n, void *to)
{
    struct registry *r = to;
    size_t more = size * n;
    char *body = r->n + more <= ANSWER_BYTES ? realloc(r->body, r->n + more + 1) : NULL;
    if (!body) return 0;
    r->body = body;
    memcpy(body + r->n, bytes, more);
    r->n += more;
    body[r->n] = 0;
    return more;
}

static int is_stopping(void *to, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    struct registry *r = to;
    return r->ctx->host->stopping(r->ctx);
}

static bool registry_set_up(struct registry *r)
{
    CURL *c = r->curl;
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    curl_easy_setopt(c, CURLOPT_TIMEOUT, (long)ANSWER_SECONDS);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, r);
    curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, is_stopping);
    curl_easy_setopt(c, CURLOPT_XFERINFODATA, r);
    curl_easy_setopt(c, CURLOPT_ERRORBUFFER, r->said);
    if (r->cfg->ca) curl_easy_setopt(c, CURLOPT_CAINFO, r->cfg->ca);
    if (r->login) curl_easy_setopt(c, CURLOPT_USERPWD, r->login);
    return true;
}

static CURLcode ask(struct registry *r, const char *what, long *status)
{
    char url[2048];
    size_t n = strlen(r->cfg->url);
    while (n && r->cfg->url[n - 1] == '/')
        n--;
    snprintf(url, sizeof url, "%.*s/schemas/%s", (int)(n < 1900 ? n : 1900), r->cfg->url, what);
    r->n = 0;
    *r->said = 0;
    *status = 0;
    curl_easy_setopt(r->curl, CURLOPT_URL, url);
    CURLcode code = curl_easy_perform(r->curl);
    curl_easy_getinfo(r->curl, CURLINFO_RESPONSE_CODE, status);
    return code;
}

/* ---- answers ---- */

enum answer { SCHEMA, NO_SCHEMA, LATER, NEVER };

/* True for the error codes of a registry: subject, version or schema not found. */
static bool registry_is_unknown(json_int_t code) { return code >= 40401 && code <= 40403; }

static bool registry_refuses(long status) { return status == 401 || status == 403; }

static bool registry_redirects(long status) { return status >= 300 && status < 400; }

static const char *registry_cure_of(const struct registry *r, long status)
{
    const char *to = NULL;
    if (registry_refuses(status)) return " (set registry_login)";
    if (status == 404)
        return " (not an answer of a Schema Registry: check the address, with the path below which "
               "the registry answers)";
    if (registry_redirects(status)) curl_easy_getinfo(r->curl, CURLINFO_REDIRECT_URL, &to);
    return to ? to : "";
}

/* Judges an answer without a schema. Writes the status, and the registry's message if the answer
 * has one. */
static enum answer judge_status(const struct registry *r, long status, char why[REASON])
{
    json_error_t error;
    json_t *json = r->n ? json_loadb(r->body, r->n, 0, &error) : NULL;
    const char *message = json_string_value(json_object_get(json, "message"));
    bool unknown = status == 404 &&
                   registry_is_unknown(json_integer_value(json_object_get(json, "error_code")));
    snprintf(why, REASON, "HTTP status %ld%s%.100s%s%.140s", status, message ? ": " : "",
             message ? message : "", registry_redirects(status) ? ": the server redirects to " : "",
             unknown ? "" : registry_cure_of(r, status));
    json_decref(json);
    if (unknown) return NO_SCHEMA;
    return registry_refuses(status) || registry_redirects(status) ? NEVER : LATER;
}

/* Reads the schema's text from the answer. */
static enum answer read_schema(struct registry *r, char **text, size_t *n, char why[REASON])
{
    json_error_t error;
    json_t *json = json_loadb(r->body ? r->body : "", r->n, 0, &error);
    const json_t *schema = json_object_get(json, "schema");
    const char *type = json_string_value(json_object_get(json, "schemaType"));
    enum answer answer = NO_SCHEMA;
    if (!json_is_string(schema))
        answer = LATER, snprintf(why, REASON, "the answer is not from a Schema Registry");
    else if (type && strcmp(type, "AVRO") != 0)
        snprintf(why, REASON, "the schema is of type %.40s", type);
    else if (json_array_size(json_object_get(json, "references")))
        snprintf(why, REASON,
                 "the schema refers to other schemas, and this stage cannot combine them: give the "
                 "whole schema in a file (`schemas`)");
    else
        answer = SCHEMA;
    if (answer == SCHEMA) {
        *n = json_string_length(schema);
        *text = malloc(*n + 1);
        if (*text) memcpy(*text, json_string_value(schema), *n + 1);
    }
    json_decref(json);
    return answer;
}

static enum answer judge(struct registry *r, CURLcode code, long status, char **text, size_t *n,
                         char why[REASON])
{
    if (code == CURLE_ABORTED_BY_CALLBACK && *why) return LATER; /* the last reason stays */
    if (code != CURLE_OK) {
        bool wrong = code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL ||
                     code == CURLE_SSL_CACERT_BADFILE || code == CURLE_PEER_FAILED_VERIFICATION;
        snprintf(why, REASON, "%.250s", *r->said ? r->said : curl_easy_strerror(code));
        return wrong ? NEVER : LATER;
    }
    return status == 200 ? read_schema(r, text, n, why) : judge_status(r, status, why);
}

/* ---- repeating ---- */

/* Waits. Returns false if the run is stopping. */
static bool registry_wait_ns(struct leat_ctx *ctx, int64_t ns)
{
    for (uint64_t until = clock_ns() + (uint64_t)ns; clock_ns() < until;) {
        if (ctx->host->stopping(ctx)) return false;
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    }
    return true;
}

static int fail_run(const struct registry *r, const char *what, const char *why)
{
    return r->ctx->host->fail(
        r->ctx, LEAT_EIO,
        "registry: %s does not give schema %s: %s. No record was lost: start the run again",
        r->cfg->url, strchr(what, '/') + 1, why);
}

int registry_get(struct leat_ctx *ctx, struct registry *r, const char *what, char **text, size_t *n,
                 char *why, size_t cap)
{
    char reason[REASON] = "";
    int64_t wait = FIRST_WAIT_NS;
    uint64_t until = clock_ns() + (uint64_t)r->cfg->timeout;
    *text = NULL;
    for (;; wait = 2 * wait < LAST_WAIT_NS ? 2 * wait : LAST_WAIT_NS) {
        long status;
        CURLcode code = ask(r, what, &status);
        enum answer answer = judge(r, code, status, text, n, reason);
        if (answer == SCHEMA) return *text ? LEAT_OK : LEAT_ENOMEM;
        if (answer == NO_SCHEMA) {
            snprintf(why, cap, "the registry says: %s", reason);
            return LEAT_OK;
        }
        if (answer == NEVER || clock_ns() + (uint64_t)wait > until)
            return fail_run(r, what, reason);
        ctx->host->log(ctx, LEAT_WARN, "registry: %s does not give schema %s: %s; asking again",
                       r->cfg->url, strchr(what, '/') + 1, reason);
        if (!registry_wait_ns(ctx, wait)) return fail_run(r, what, reason);
    }
}

/* ---- opening ---- */

int registry_open(struct leat_ctx *ctx, const struct registry_cfg *cfg, struct registry **out)
{
    char why[REASON] = "";
    struct registry *r = *out = calloc(1, sizeof *r);
    if (!r) return LEAT_ENOMEM;
    *r = (struct registry){.cfg = cfg, .ctx = ctx};
    r->login = cfg->login ? secret_expand(cfg->login, why, sizeof why) : NULL;
    if (cfg->login && !r->login) {
        registry_close(r);
        *out = NULL;
        return ctx->host->fail(ctx, LEAT_EARG, "registry_login: %s", why);
    }
    r->curl = curl_global_init(CURL_GLOBAL_DEFAULT) ? NULL : curl_easy_init();
    if (r->curl && registry_set_up(r)) return LEAT_OK;
    registry_close(r);
    *out = NULL;
    return ctx->host->fail(ctx, LEAT_ENOMEM, "registry: libcurl cannot start");
}

void registry_close(struct registry *r)
{
    if (!r) return;
    if (r->curl) curl_easy_cleanup(r->curl);
    free(r->login);
    free(r->body);
    free(r);
}

#endif
