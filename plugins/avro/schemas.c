/* schemas.c -- implementation of schemas.h. */
#include "schemas.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "core/time/clock.h"

enum { FILE_BYTES = 8 << 20, PATH_BYTES = 4096 };
#define RETRY_NS UINT64_C(5000000000)

/* ---- parameters ---- */

static void schemas_check_url(const char *url, struct leat_diag *d)
{
    const char *host = strstr(url, "://");
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
                 "libcurl4-openssl-dev, or give the schemas in files (`schemas`)",
                 url);
}

void schemas_check(const struct schemas_cfg *cfg, struct leat_diag *d)
{
    int given = (cfg->file != NULL) + (cfg->folder != NULL) + (cfg->registry.url != NULL);
    if (!given)
        d->error(d, NULL,
                 "the schema of the records is missing: give schema = \"FILE.avsc\", schemas = "
                 "\"FOLDER\" with a file ID.avsc for each number, or registry = \"http://…\"");
    if (given > 1)
        d->error(d, NULL, "schema, schemas and registry exclude each other: give only one of them");
    if (cfg->registry.url) schemas_check_url(cfg->registry.url, d);
}

/* ---- one schema ---- */

static void free_version(struct schema_version *v)
{
    if (!v) return;
    avro_plan_free(v->plan);
    avro_schema_free(v->schema);
    free(v->symbol);
    free(v->symbol_call);
    free(v);
}

/* Makes a version from a schema's text. Returns NULL with the reason in `why` if the text is
 * wrong. */
static struct schema_version *new_version(const struct schemas *s, uint32_t id, const char *text,
                                          size_t n, char *why, size_t cap)
{
    struct schema_version *v = calloc(1, sizeof *v);
    snprintf(why, cap, "there is not enough memory for the schema");
    if (!v) return NULL;
    v->id = id;
    v->schema = avro_schema_read(text, n, why, cap);
    if (v->schema) {
        snprintf(why, cap, "there is not enough memory for the schema");
        size_t symbols = avro_schema_symbols(v->schema) + (size_t)1;
        v->plan = avro_plan_new(v->schema, s->paths);
        v->symbol = calloc(symbols, sizeof *v->symbol);
        v->symbol_call = calloc(symbols, sizeof *v->symbol_call);
        if (v->plan && v->symbol && v->symbol_call) return v;
    }
    free_version(v);
    return NULL;
}

static uint32_t place_of(const struct schemas *s, uint32_t id)
{
    uint32_t low = 0, high = s->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->version[middle]->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool schemas_insert(struct schemas *s, struct schema_version *v)
{
    if (s->n == s->cap) {
        uint32_t cap = s->cap ? 2 * s->cap : 8;
        struct schema_version **grown = realloc(s->version, cap * sizeof *grown);
        if (!grown) return false;
        s->version = grown;
        s->cap = cap;
    }
    uint32_t at = place_of(s, v->id);
    memmove(s->version + at + 1, s->version + at, (s->n - at) * sizeof *s->version);
    s->version[at] = v;
    s->n++;
    return true;
}

/* ---- files ---- */

/* Reads a file; the caller frees the text. Returns NULL with the reason in `why` if this fails.
 * Sets *missing if the file does not exist. */
static char *read_file(const char *path, size_t *n, bool *missing, char *why, size_t cap)
{
    FILE *f = fopen(path, "r");
    char *text = f ? malloc(FILE_BYTES) : NULL;
    *missing = !f && errno == ENOENT;
    *n = text ? fread(text, 1, FILE_BYTES, f) : 0;
    bool good = text && !ferror(f) && *n < FILE_BYTES;
    if (!good)
        snprintf(why, cap, "%s cannot be read: %s", path,
                 *n == FILE_BYTES ? "it is too long for a schema" : strerror(errno));
    if (f) fclose(f);
    if (good) return text;
    free(text);
    return NULL;
}

/* Reads a schema from a file. Returns NULL with the reason in `why` if this fails. Sets *missing if
 * the file does not exist. */
static struct schema_version *version_of_file(const struct schemas *s, uint32_t id,
                                              const char *path, bool *missing, char *why,
                                              size_t cap)
{
    char fault[400];
    size_t n;
    char *text = read_file(path, &n, missing, why, cap);
    if (!text) return NULL;
    struct schema_version *v = new_version(s, id, text, n, fault, sizeof fault);
    if (!v) snprintf(why, cap, "cannot use the schema in %s: %s", path, fault);
    free(text);
    return v;
}

/* Reads the number in a name such as "17.avsc". Returns false if the name has another form. */
static bool id_of_name(const char *name, uint32_t *id)
{
    char *end;
    if (!isdigit((unsigned char)*name)) return false;
    unsigned long value = strtoul(name, &end, 10);
    *id = (uint32_t)value;
    return value <= UINT32_MAX && !strcmp(end, ".avsc");
}

static int add_file(struct leat_ctx *ctx, struct schemas *s, uint32_t id, const char *path)
{
    char why[SCHEMAS_WHY];
    bool missing;
    struct schema_version *v = version_of_file(s, id, path, &missing, why, sizeof why);
    if (!v)
        return ctx->host->fail(ctx, LEAT_EARG, "%s: %s", s->cfg->file ? "schema" : "schemas", why);
    if (schemas_insert(s, v)) return LEAT_OK;
    free_version(v);
    return LEAT_ENOMEM;
}

static int schemas_add_folder(struct leat_ctx *ctx, struct schemas *s)
{
    DIR *folder = opendir(s->cfg->folder);
    int status = LEAT_OK;
    uint32_t id;
    if (!folder)
        return ctx->host->fail(ctx, LEAT_EARG, "schemas: the folder %s cannot be read: %s",
                               s->cfg->folder, strerror(errno));
    for (struct dirent *e; status == LEAT_OK && (e = readdir(folder));) {
        char path[PATH_BYTES];
        if (!id_of_name(e->d_name, &id) || s->n == SCHEMAS_MAX) continue;
        snprintf(path, sizeof path, "%s/%s", s->cfg->folder, e->d_name);
        status = add_file(ctx, s, id, path);
    }
    closedir(folder);
    return status;
}

/* ---- schemas that are first needed during the run ---- */

static int schemas_load_file(struct schemas *s, uint32_t id, struct schema_version **v, char *why)
{
    char path[PATH_BYTES];
    bool missing;
    snprintf(path, sizeof path, "%s/%u.avsc", s->cfg->folder, (unsigned)id);
    *v = version_of_file(s, id, path, &missing, why, SCHEMAS_WHY);
    if (missing)
        snprintf(why, SCHEMAS_WHY, "the folder %.300s has no file %u.avsc", s->cfg->folder,
                 (unsigned)id);
    return LEAT_OK;
}

static int load_from_registry(struct leat_ctx *ctx, struct schemas *s, uint32_t id,
                              struct schema_version **v, char *why)
{
    char *text, fault[400];
    size_t n;
    int status = registry_get(ctx, s->registry, id, &text, &n, why, SCHEMAS_WHY);
    if (status != LEAT_OK || !text) return status;
    *v = new_version(s, id, text, n, fault, sizeof fault);
    if (!*v)
        snprintf(why, SCHEMAS_WHY, "cannot use schema %u of the registry: %s", (unsigned)id, fault);
    else
        ctx->host->log(ctx, LEAT_INFO, "schema %u came from %s", (unsigned)id,
                       s->cfg->registry.url);
    free(text);
    return LEAT_OK;
}

static int schemas_load(struct leat_ctx *ctx, struct schemas *s, uint32_t id,
                        struct schema_version **v)
{
    struct unknown *u = &s->unknown[id % SCHEMAS_UNKNOWN];
    *v = NULL;
    *u = (struct unknown){.id = id, .set = true, .until = clock_ns() + RETRY_NS};
    if (s->n == SCHEMAS_MAX) {
        snprintf(u->why, sizeof u->why, "%d schemas are in use, and this stage does not read more",
                 SCHEMAS_MAX);
        return LEAT_OK;
    }
    int status = s->registry ? load_from_registry(ctx, s, id, v, u->why)
                             : schemas_load_file(s, id, v, u->why);
    if (status != LEAT_OK || !*v || schemas_insert(s, *v)) return status;
    free_version(*v);
    return LEAT_ENOMEM;
}

int schemas_find(struct leat_ctx *ctx, struct schemas *s, uint32_t id,
                 struct schema_version **version, const char **why)
{
    int status = LEAT_OK;
    if (s->cfg->file) id = 0;
    if (!s->last || s->last->id != id) {
        const struct unknown *u = &s->unknown[id % SCHEMAS_UNKNOWN];
        uint32_t at = place_of(s, id);
        bool waits = u->set && u->id == id && clock_ns() < u->until;
        s->last = at < s->n && s->version[at]->id == id ? s->version[at] : NULL;
        if (!s->last && !waits) status = schemas_load(ctx, s, id, &s->last);
    }
    *version = s->last;
    *why = s->unknown[id % SCHEMAS_UNKNOWN].why;
    return status;
}

/* ---- opening ---- */

int schemas_open(struct leat_ctx *ctx, const struct schemas_cfg *cfg,
                 const struct json_paths *paths, struct schemas *s)
{
    int status;
    s->cfg = cfg;
    s->paths = paths;
    s->unknown = ctx->host->alloc(ctx, SCHEMAS_UNKNOWN * sizeof *s->unknown);
    if (!s->unknown)
        status = LEAT_ENOMEM;
    else if (cfg->file)
        status = add_file(ctx, s, 0, cfg->file);
    else if (cfg->folder)
        status = schemas_add_folder(ctx, s);
    else
        status = registry_open(ctx, &cfg->registry, &s->registry);
    if (status != LEAT_OK) schemas_close(ctx, s);
    return status;
}

void schemas_close(struct leat_ctx *ctx, struct schemas *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        free_version(s->version[i]);
    free(s->version);
    registry_close(s->registry);
    ctx->host->free(ctx, s->unknown);
    *s = (struct schemas){.n = 0};
}
