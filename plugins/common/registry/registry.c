/* registry.c -- implementation of registry.h. */
#include "registry.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void registry_schema_free(struct registry_schema *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        free(s->part[i].name);
        free(s->part[i].text);
    }
    free(s->part);
    *s = (struct registry_schema){.n = 0};
}

static const char *registry_library(void);

void registry_check(const struct registry_cfg *cfg, struct leat_diag *d)
{
    const char *url = cfg->url, *host = strstr(url, "://");
    bool http = !strncmp(url, "http://", 7) || !strncmp(url, "https://", 8);
    if (strchr(url, '@'))
        d->error(d, "registry",
                 "the address, which is not shown, has an @, as in user:password@host: write the "
                 "address here, and user:password in registry_login");
    else if (!http || !host[3])
        d->error(d, "registry", "'%s' is not an address: write http://host:port", url);
    else if (!registry_library())
        d->error(d, "registry",
                 "this leat was built without libcurl, so it cannot ask '%s': build it with "
                 "libcurl4-openssl-dev, or give the schemas in files",
                 url);
}

#ifndef LEAT_CURL

static const char *registry_library(void) { return NULL; }

int registry_open(struct leat_ctx *ctx, const struct registry_cfg *cfg, enum registry_type type,
                  struct registry **r)
{
    *r = NULL;
    return ctx->host->fail(ctx, LEAT_EARG, "this leat was built without libcurl");
}

void registry_close(struct registry *r) {}

int registry_get(struct leat_ctx *ctx, struct registry *r, const struct schema_key *key,
                 struct registry_schema *s, char *why, size_t cap)
{
    return LEAT_EARG;
}

int registry_newest(struct leat_ctx *ctx, struct registry *r, const char *subject,
                    struct registry_schema *s, struct registry_id *id, char *why, size_t cap)
{
    return LEAT_EARG;
}

int registry_identify(struct leat_ctx *ctx, struct registry *r, const char *subject,
                      const char *text, bool registers, struct registry_id *id, char *why,
                      size_t cap)
{
    return LEAT_EARG;
}

int registry_fits(struct leat_ctx *ctx, struct registry *r, const char *subject, const char *text,
                  bool *fits, char *why, size_t cap)
{
    return LEAT_EARG;
}

void registry_report_to(struct registry *r, struct leat_diag *d) {}

#else

#include <curl/curl.h>
#include <jansson.h>
#include <time.h>

#include "core/text/secret_text.h"
#include "core/time/clock.h"

enum { ANSWER_BYTES = 8 << 20, CONNECT_SECONDS = 5, ANSWER_SECONDS = 10, REASON = 500 };
#define FIRST_WAIT_NS INT64_C(100000000)
#define LAST_WAIT_NS  INT64_C(2000000000)

struct registry {
    const struct registry_cfg *cfg;
    struct leat_ctx *ctx;
    CURL *curl;
    enum registry_type type;
    struct leat_diag *diag;   /* takes failures; NULL: the host does */
    struct curl_slist *posts; /* headers of requests with a body */
    json_t *seen;             /* paths of the present schema's parts, as the keys of an object */
    char *login;              /* login with secrets filled in, or NULL */
    const char *asks;         /* body of the present request, NULL if it has none */
    const char *wants;        /* member that the answer to it has */
    const char *subject;      /* of the present request, NULL if it is for a schema by its number */
    struct registry_id id;    /* of the schema in the last answer for a subject */
    char *body;               /* body of the last answer */
    size_t n;
    char said[CURL_ERROR_SIZE];
};

/* Returns the version of libcurl; NULL if leat was built without it. */
static const char *registry_library(void) { return curl_version_info(CURLVERSION_NOW)->version; }

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

static CURLcode ask(struct registry *r, const char *path, long *status)
{
    char url[2048];
    size_t n = strlen(r->cfg->url);
    while (n && r->cfg->url[n - 1] == '/')
        n--;
    snprintf(url, sizeof url, "%.*s/%s%s", (int)(n < 1000 ? n : 1000), r->cfg->url, path,
             r->type == REGISTRY_PROTOBUF && !r->subject ? "?format=serialized" : "");
    r->n = 0;
    *r->said = 0;
    *status = 0;
    curl_easy_setopt(r->curl, CURLOPT_URL, url);
    curl_easy_setopt(r->curl, CURLOPT_HTTPHEADER, r->asks ? r->posts : NULL);
    if (r->asks)
        curl_easy_setopt(r->curl, CURLOPT_POSTFIELDS, r->asks);
    else
        curl_easy_setopt(r->curl, CURLOPT_HTTPGET, 1L);
    CURLcode code = curl_easy_perform(r->curl);
    curl_easy_getinfo(r->curl, CURLINFO_RESPONSE_CODE, status);
    return code;
}

/* ---- answers ---- */

enum answer { SCHEMA, NO_SCHEMA, LATER, NEVER };

static const char *const registry_types[] = {"AVRO", "PROTOBUF", "JSON"};

/* True for the error codes of a registry: subject, version or schema not found. */
static bool registry_is_unknown(json_int_t code) { return code >= 40401 && code <= 40403; }

static bool registry_refuses(long status) { return status == 401 || status == 403; }

/* True for the answers to a schema that is wrong, or does not fit the others of its subject. */
static bool registry_is_unfit(const struct registry *r, long status)
{
    return r->asks && (status == 409 || status == 422);
}

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
    snprintf(why, REASON, "HTTP status %ld%s%.260s%s%.140s", status, message ? ": " : "",
             message ? message : "", registry_redirects(status) ? ": the server redirects to " : "",
             unknown ? "" : registry_cure_of(r, status));
    json_decref(json);
    if (unknown) return NO_SCHEMA;
    bool never = registry_refuses(status) || registry_redirects(status);
    return never || registry_is_unfit(r, status) ? NEVER : LATER;
}

/* Says which type the schema has, and what to do about it. */
static void registry_say_type(const struct registry *r, const char *type, char why[REASON])
{
    static const char *const stages[] = {"parse.avro", "parse.protobuf", "parse.json"};
    static const char *const formats[] = {"avro", "protobuf", "json_schema"};
    int i = 0;
    while (i < 2 && strcmp(type, registry_types[i]) != 0)
        i++;
    if (r->subject)
        snprintf(why, REASON, "the schema is of type %.40s: set format = \"%s\"", type, formats[i]);
    else
        snprintf(why, REASON, "the schema is of type %.40s: use %s", type, stages[i]);
}

/* Parses an answer with a schema, or with the number of one. */
static enum answer read_schema(const struct registry *r, json_t **schema, char why[REASON])
{
    json_error_t error;
    json_t *json = json_loadb(r->body ? r->body : "", r->n, 0, &error);
    const char *type = json_string_value(json_object_get(json, "schemaType"));
    enum answer answer = NO_SCHEMA;
    if (!type) type = registry_types[REGISTRY_AVRO];
    if (!json_object_get(json, r->asks ? r->wants : "schema"))
        answer = LATER, snprintf(why, REASON, "the answer is not from a Schema Registry");
    else if (!r->asks && strcmp(type, registry_types[r->type]) != 0)
        registry_say_type(r, type, why);
    else
        answer = SCHEMA;
    if (answer == SCHEMA)
        *schema = json;
    else
        json_decref(json);
    return answer;
}

static enum answer judge(const struct registry *r, CURLcode code, long status, json_t **schema,
                         char why[REASON])
{
    if (code == CURLE_ABORTED_BY_CALLBACK && *why) return LATER; /* the last reason stays */
    if (code != CURLE_OK) {
        bool wrong = code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL ||
                     code == CURLE_SSL_CACERT_BADFILE || code == CURLE_PEER_FAILED_VERIFICATION;
        snprintf(why, REASON, "%.250s", *r->said ? r->said : curl_easy_strerror(code));
        return wrong ? NEVER : LATER;
    }
    return status == 200 ? read_schema(r, schema, why) : judge_status(r, status, why);
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

enum { REGISTRY_SHOWN = 400 };

/* Writes what the registry does not do: "give schema 17", or the path of a reference. */
static const char *registry_shown(const struct registry *r, const char *path,
                                  char text[REGISTRY_SHOWN])
{
    const char *shown = strncmp(path, "schemas/", 8) ? path : strrchr(path, '/') + 1;
    if (r->subject)
        snprintf(text, REGISTRY_SHOWN, "%s the schema of subject '%.300s'",
                 r->asks ? "take" : "give", r->subject);
    else
        snprintf(text, REGISTRY_SHOWN, "give schema %.300s", shown);
    return text;
}

static int fail_run(const struct registry *r, const char *path, const char *why)
{
    char shown[REGISTRY_SHOWN];
    registry_shown(r, path, shown);
    if (r->diag) {
        r->diag->error(r->diag, "registry", "%s does not %s: %s", r->cfg->url, shown, why);
        return LEAT_EIO;
    }
    return r->ctx->host->fail(r->ctx, LEAT_EIO, "registry: %s does not %s: %s%s", r->cfg->url,
                              shown, why,
                              r->asks ? "" : ". No record was lost: start the run again");
}

/* Gets the answer for a path. Returns LEAT_OK with *schema NULL and the reason in `why` if the
 * registry does not have the schema. */
static int registry_request(struct registry *r, const char *path, json_t **schema, char why[REASON])
{
    int64_t wait = FIRST_WAIT_NS;
    uint64_t until = clock_ns() + (uint64_t)r->cfg->timeout;
    char shown[REGISTRY_SHOWN];
    *schema = NULL;
    for (;; wait = 2 * wait < LAST_WAIT_NS ? 2 * wait : LAST_WAIT_NS) {
        long status;
        CURLcode code = ask(r, path, &status);
        enum answer answer = judge(r, code, status, schema, why);
        if (answer == SCHEMA || answer == NO_SCHEMA) return LEAT_OK;
        if (answer == NEVER || clock_ns() + (uint64_t)wait > until) return fail_run(r, path, why);
        r->ctx->host->log(r->ctx, LEAT_WARN, "registry: %s does not %s: %s; asking again",
                          r->cfg->url, registry_shown(r, path, shown), why);
        if (!registry_wait_ns(r->ctx, wait)) return fail_run(r, path, why);
    }
}

/* ---- a schema and what it refers to ---- */

/* Most schemas that one needs, and most that refer to each other in turn. */
enum { PARTS = 256, REFERENCES_DEEP = 16 };

static int registry_keep_part(struct registry_schema *s, const char *name, const json_t *schema)
{
    struct registry_part *grown = realloc(s->part, (s->n + 1) * sizeof *grown);
    if (!grown) return LEAT_ENOMEM;
    s->part = grown;
    size_t n = json_string_length(schema);
    struct registry_part part = {strdup(name), malloc(n + 1), n};
    if (part.text) memcpy(part.text, json_string_value(schema), n + 1);
    s->part[s->n++] = part;
    return part.name && part.text ? LEAT_OK : LEAT_ENOMEM;
}

enum { REGISTRY_PATH_ROOM = 780, REGISTRY_PATH = 800 };

/* Writes the path of a subject, with `more` behind its name. */
static int registry_path_of(const struct registry *r, const char *subject, const char *more,
                            char path[REGISTRY_PATH_ROOM])
{
    char *escaped = curl_easy_escape(r->curl, subject, 0);
    if (!escaped) return LEAT_ENOMEM;
    snprintf(path, REGISTRY_PATH_ROOM, "subjects/%.700s%s", escaped, more);
    curl_free(escaped);
    return LEAT_OK;
}

static struct registry_id registry_id_of(const json_t *json)
{
    struct registry_id id = {(uint32_t)json_integer_value(json_object_get(json, "id")), {0}};
    const char *guid = json_string_value(json_object_get(json, "guid"));
    if (!guid || !schema_key_read(guid, strlen(guid), &id.guid) || !id.guid.guid)
        id.guid = (struct schema_key){0};
    return id;
}

/* Adds the schema at a path, behind those to which it refers. Returns LEAT_OK with the reason in
 * `why` if one of them cannot be had. */
static int registry_add(struct registry *r, const char *path, const char *name, int deep,
                        struct registry_schema *s, char why[REASON]);

static int registry_add_reference(struct registry *r, const json_t *reference, int deep,
                                  struct registry_schema *s, char why[REASON])
{
    const char *name = json_string_value(json_object_get(reference, "name"));
    const char *subject = json_string_value(json_object_get(reference, "subject"));
    const json_t *version = json_object_get(reference, "version");
    char path[REGISTRY_PATH], more[48], reason[REASON] = "";
    if (!name || !subject || !json_is_integer(version)) {
        snprintf(why, REASON, "a reference of the schema has no name, subject or version");
        return LEAT_OK;
    }
    snprintf(more, sizeof more, "/versions/%lld", (long long)json_integer_value(version));
    int status = registry_path_of(r, subject, more, path);
    if (status == LEAT_OK) status = registry_add(r, path, name, deep, s, reason);
    if (*reason)
        snprintf(why, REASON, "it refers to '%.60s', version %lld of subject '%.60s': %.100s", name,
                 (long long)json_integer_value(version), subject, reason);
    return status;
}

static int registry_add(struct registry *r, const char *path, const char *name, int deep,
                        struct registry_schema *s, char why[REASON])
{
    json_t *json;
    if (json_object_get(r->seen, path)) return LEAT_OK;
    if (deep > REFERENCES_DEEP || json_object_size(r->seen) == PARTS) {
        snprintf(why, REASON, "the schema refers to more than %d others, or more than %d in turn",
                 (int)PARTS, (int)REFERENCES_DEEP);
        return LEAT_OK;
    }
    if (json_object_set_new(r->seen, path, json_true())) return LEAT_ENOMEM;
    int status = registry_request(r, path, &json, why);
    if (status != LEAT_OK || !json) return status;
    *why = 0; /* of answers before this one */
    if (!deep) r->id = registry_id_of(json);
    const json_t *references = json_object_get(json, "references");
    for (size_t i = 0; status == LEAT_OK && !*why && i < json_array_size(references); i++)
        status = registry_add_reference(r, json_array_get(references, i), deep + 1, s, why);
    if (status == LEAT_OK && !*why)
        status = registry_keep_part(s, name, json_object_get(json, "schema"));
    json_decref(json);
    return status;
}

/* Gets the schema at a path with those to which it refers. */
static int registry_get_at(struct registry *r, const char *path, struct registry_schema *s,
                           char *why, size_t cap)
{
    char reason[REASON] = "";
    *s = (struct registry_schema){.n = 0};
    r->seen = json_object();
    if (!r->seen) return LEAT_ENOMEM;
    int status = registry_add(r, path, "", 0, s, reason);
    json_decref(r->seen);
    if (status == LEAT_OK && !*reason) return LEAT_OK;
    registry_schema_free(s);
    snprintf(why, cap, "the registry says: %s", reason);
    return status;
}

int registry_get(struct leat_ctx *ctx, struct registry *r, const struct schema_key *key,
                 struct registry_schema *s, char *why, size_t cap)
{
    char path[SCHEMA_KEY_TEXT + 16], name[SCHEMA_KEY_TEXT];
    sprintf(path, "schemas/%s/%s", key->guid ? "guids" : "ids", schema_key_text(key, name));
    return registry_get_at(r, path, s, why, cap);
}

/* ---- subjects ---- */

int registry_newest(struct leat_ctx *ctx, struct registry *r, const char *subject,
                    struct registry_schema *s, struct registry_id *id, char *why, size_t cap)
{
    char path[REGISTRY_PATH];
    int status = registry_path_of(r, subject, "/versions/latest", path);
    r->subject = subject;
    if (status == LEAT_OK) status = registry_get_at(r, path, s, why, cap);
    r->subject = NULL;
    *id = r->id;
    return status;
}

/* Returns the body of a request with a schema, which the caller frees. */
static char *registry_body_of(const struct registry *r, const char *text)
{
    json_t *json = json_pack("{s:s}", "schema", text);
    if (json && r->type != REGISTRY_AVRO)
        json_object_set_new(json, "schemaType", json_string(registry_types[r->type]));
    char *body = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    return body;
}

/* Posts the schema to a path, and sets *json to the answer, which has the member `wants`. */
static int registry_post(struct registry *r, const char *subject, const char *path,
                         const char *text, const char *wants, json_t **json, char why[REASON])
{
    char *body = registry_body_of(r, text);
    *json = NULL;
    if (!body) return LEAT_ENOMEM;
    r->subject = subject;
    r->asks = body;
    r->wants = wants;
    int status = registry_request(r, path, json, why);
    r->subject = r->asks = r->wants = NULL;
    free(body);
    return status;
}

int registry_identify(struct leat_ctx *ctx, struct registry *r, const char *subject,
                      const char *text, bool registers, struct registry_id *id, char *why,
                      size_t cap)
{
    char path[REGISTRY_PATH], reason[REASON] = "";
    json_t *json = NULL;
    int status = registry_path_of(r, subject, registers ? "/versions" : "", path);
    if (status == LEAT_OK) status = registry_post(r, subject, path, text, "id", &json, reason);
    *id = registry_id_of(json);
    if (!id->number) snprintf(why, cap, "the registry says: %s", reason);
    json_decref(json);
    return status;
}

int registry_fits(struct leat_ctx *ctx, struct registry *r, const char *subject, const char *text,
                  bool *fits, char *why, size_t cap)
{
    char path[REGISTRY_PATH] = "compatibility/", reason[REASON] = "";
    json_t *json = NULL;
    int status = registry_path_of(r, subject, "/versions/latest?verbose=true", path + strlen(path));
    if (status == LEAT_OK)
        status = registry_post(r, subject, path, text, "is_compatible", &json, reason);
    *fits = !json || json_is_true(json_object_get(json, "is_compatible"));
    const char *said = json_string_value(json_array_get(json_object_get(json, "messages"), 0));
    snprintf(why, cap, "it does not fit the newest schema of the subject%s%s", said ? ": " : "",
             said ? said : "");
    json_decref(json);
    return status;
}

void registry_report_to(struct registry *r, struct leat_diag *d) { r->diag = d; }

/* ---- opening ---- */

int registry_open(struct leat_ctx *ctx, const struct registry_cfg *cfg, enum registry_type type,
                  struct registry **out)
{
    char why[REASON] = "";
    struct registry *r = *out = calloc(1, sizeof *r);
    if (!r) return LEAT_ENOMEM;
    *r = (struct registry){.cfg = cfg, .ctx = ctx, .type = type};
    r->login = cfg->login ? secret_expand(cfg->login, why, sizeof why) : NULL;
    if (cfg->login && !r->login) {
        registry_close(r);
        *out = NULL;
        return ctx->host->fail(ctx, LEAT_EARG, "registry_login: %s", why);
    }
    r->curl = curl_global_init(CURL_GLOBAL_DEFAULT) ? NULL : curl_easy_init();
    r->posts = curl_slist_append(NULL, "Content-Type: application/vnd.schemaregistry.v1+json");
    if (r->curl && r->posts && registry_set_up(r)) return LEAT_OK;
    registry_close(r);
    *out = NULL;
    return ctx->host->fail(ctx, LEAT_ENOMEM, "registry: libcurl cannot start");
}

void registry_close(struct registry *r)
{
    if (!r) return;
    if (r->curl) curl_easy_cleanup(r->curl);
    curl_slist_free_all(r->posts);
    free(r->login);
    free(r->body);
    free(r);
}

#endif
