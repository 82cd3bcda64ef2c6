/* schemas.c -- implementation of schemas.h. */
#include "schemas.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mix64.h"
#include "core/time/clock.h"

enum { FILE_BYTES = 8 << 20, PATH_BYTES = 4096 };
#define RETRY_NS UINT64_C(5000000000)

/* ---- parameters ---- */

void schemas_check(const struct schemas_cfg *cfg, struct leat_diag *d)
{
    int given = (cfg->file != NULL) + (cfg->folder != NULL) + (cfg->registry.url != NULL);
    if (!given)
        d->error(d, NULL,
                 "the schema of the records is missing: give schema = \"FILE.avsc\", schemas = "
                 "\"FOLDER\" with a file ID.avsc for each number, or registry = \"http://…\"");
    if (given > 1)
        d->error(d, NULL, "schema, schemas and registry exclude each other: give only one of them");
    if (cfg->registry.url) registry_check(&cfg->registry, d);
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

static uint64_t schemas_hash(const struct avro_schema_text *text)
{
    uint64_t h = 0;
    for (size_t i = 0; i < text->n; i++)
        h = mix64(h ^ (uint8_t)text->text[i]);
    return h;
}

/* Makes a version from the texts of a schema (avro_schema_read). Returns NULL with the reason in
 * `why` if they are wrong. */
static struct schema_version *new_version(const struct schemas *s, const struct schema_key *key,
                                          const struct avro_schema_text *texts, uint32_t n_texts,
                                          char *why, size_t cap)
{
    struct schema_version *v = calloc(1, sizeof *v);
    snprintf(why, cap, "there is not enough memory for the schema");
    if (!v) return NULL;
    v->key = *key;
    v->schema = avro_schema_read(texts, n_texts, why, cap);
    if (v->schema) {
        v->fingerprint = avro_schema_fingerprint(v->schema);
        v->text = schemas_hash(&texts[n_texts - 1]);
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

static int compare_keys(const struct schema_key *a, const struct schema_key *b)
{
    return memcmp(a, b, sizeof *a);
}

/* Returns the index of the first version whose key is not below this one. */
static uint32_t place_of(const struct schemas *s, const struct schema_key *key)
{
    uint32_t low = 0, high = s->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_keys(&s->version[middle]->key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void schemas_drop_oldest(struct schemas *s)
{
    uint32_t oldest = 0;
    for (uint32_t i = 1; i < s->n; i++)
        if (s->version[i]->used < s->version[oldest]->used) oldest = i;
    if (s->last == s->version[oldest]) s->last = NULL;
    free_version(s->version[oldest]);
    s->n--;
    memmove(s->version + oldest, s->version + oldest + 1, (s->n - oldest) * sizeof *s->version);
}

/* Marks v and those that have its fingerprint and another text. */
static void schemas_mark_several(const struct schemas *s, struct schema_version *v)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->version[i]->fingerprint == v->fingerprint && s->version[i]->text != v->text)
            v->several = s->version[i]->several = true;
}

static bool schemas_insert(struct schemas *s, struct schema_version *v)
{
    if (s->n == SCHEMAS_MAX) schemas_drop_oldest(s);
    if (s->n == s->cap) {
        uint32_t cap = s->cap ? 2 * s->cap : 8;
        struct schema_version **grown = realloc(s->version, cap * sizeof *grown);
        if (!grown) return false;
        s->version = grown;
        s->cap = cap;
    }
    schemas_mark_several(s, v);
    uint32_t at = place_of(s, &v->key);
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
static struct schema_version *version_of_file(const struct schemas *s, const struct schema_key *key,
                                              const char *path, bool *missing, char *why,
                                              size_t cap)
{
    char fault[400];
    size_t n;
    char *text = read_file(path, &n, missing, why, cap);
    if (!text) return NULL;
    struct schema_version *v =
        new_version(s, key, &(struct avro_schema_text){text, n}, 1, fault, sizeof fault);
    if (!v) snprintf(why, cap, "cannot use the schema in %s: %s", path, fault);
    free(text);
    return v;
}

/* Reads the key in a name such as "17.avsc". Returns false if the name has another form. */
static bool key_of_name(const char *name, struct schema_key *key)
{
    const char *end = strrchr(name, '.');
    return end && !strcmp(end, ".avsc") && schema_key_read(name, (size_t)(end - name), key);
}

static int add_file(struct leat_ctx *ctx, struct schemas *s, const struct schema_key *key,
                    const char *path)
{
    char why[SCHEMAS_WHY];
    bool missing;
    struct schema_version *v = version_of_file(s, key, path, &missing, why, sizeof why);
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
    struct schema_key key;
    if (!folder)
        return ctx->host->fail(ctx, LEAT_EARG, "schemas: the folder %s cannot be read: %s",
                               s->cfg->folder, strerror(errno));
    for (struct dirent *e; status == LEAT_OK && (e = readdir(folder));) {
        char path[PATH_BYTES];
        if (!key_of_name(e->d_name, &key) || s->n == SCHEMAS_MAX) continue;
        snprintf(path, sizeof path, "%s/%s", s->cfg->folder, e->d_name);
        status = add_file(ctx, s, &key, path);
    }
    closedir(folder);
    return status;
}

/* ---- schemas that are first needed during the run ---- */

static int schemas_load_file(struct schemas *s, const struct schema_key *key,
                             struct schema_version **v, char *why)
{
    char path[PATH_BYTES], name[SCHEMA_KEY_TEXT];
    bool missing;
    snprintf(path, sizeof path, "%s/%s.avsc", s->cfg->folder, schema_key_text(key, name));
    *v = version_of_file(s, key, path, &missing, why, SCHEMAS_WHY);
    if (missing)
        snprintf(why, SCHEMAS_WHY, "the folder %.300s has no file %s.avsc", s->cfg->folder, name);
    return LEAT_OK;
}

/* Makes a version of a schema and those to which it refers. */
static int schemas_join(struct schemas *s, const struct schema_key *key,
                        const struct registry_schema *from, struct schema_version **v, char *why)
{
    char fault[400], name[SCHEMA_KEY_TEXT];
    struct avro_schema_text *texts = calloc(from->n, sizeof *texts);
    if (!texts) return LEAT_ENOMEM;
    for (uint32_t i = 0; i < from->n; i++)
        texts[i] = (struct avro_schema_text){from->part[i].text, from->part[i].n};
    *v = new_version(s, key, texts, from->n, fault, sizeof fault);
    if (!*v)
        snprintf(why, SCHEMAS_WHY, "cannot use schema %s of the registry: %s",
                 schema_key_text(key, name), fault);
    free(texts);
    return LEAT_OK;
}

static int load_from_registry(struct leat_ctx *ctx, struct schemas *s, const struct schema_key *key,
                              struct schema_version **v, char *why)
{
    struct registry_schema from;
    char name[SCHEMA_KEY_TEXT];
    int status = registry_get(ctx, s->registry, key, &from, why, SCHEMAS_WHY);
    if (status != LEAT_OK || !from.n) return status;
    status = schemas_join(s, key, &from, v, why);
    registry_schema_free(&from);
    if (*v)
        ctx->host->log(ctx, LEAT_INFO, "schema %s came from %s", schema_key_text(key, name),
                       s->cfg->registry.url);
    return status;
}

/* Returns the slot of a key, or the free slot where it goes. */
static struct unknown *unknown_slot(const struct schemas *s, const struct schema_key *key)
{
    uint64_t high, low;
    memcpy(&high, key->at, 8);
    memcpy(&low, key->at + 8, 8);
    uint32_t i = (uint32_t)mix64(high ^ mix64(low)) % SCHEMAS_SLOTS;
    while (s->unknown[i].until && compare_keys(&s->unknown[i].key, key))
        i = (i + 1) % SCHEMAS_SLOTS;
    return &s->unknown[i];
}

static void note_unknown(struct schemas *s, const struct schema_key *key, const char *why)
{
    if (s->n_unknown == SCHEMAS_UNKNOWN) {
        memset(s->unknown, 0, SCHEMAS_SLOTS * sizeof *s->unknown);
        s->n_unknown = 0;
    }
    struct unknown *u = unknown_slot(s, key);
    s->n_unknown += !u->until;
    *u = (struct unknown){.key = *key, .until = clock_ns() + RETRY_NS};
    snprintf(u->why, sizeof u->why, "%.*s", SCHEMAS_KEPT_WHY - 1, why);
}

static int schemas_load(struct leat_ctx *ctx, struct schemas *s, const struct schema_key *key,
                        struct schema_version **v)
{
    char why[SCHEMAS_WHY];
    *v = NULL;
    int status =
        s->registry ? load_from_registry(ctx, s, key, v, why) : schemas_load_file(s, key, v, why);
    if (status == LEAT_OK && !*v) note_unknown(s, key, why);
    if (status != LEAT_OK || !*v || schemas_insert(s, *v)) return status;
    free_version(*v);
    return LEAT_ENOMEM;
}

int schemas_find(struct leat_ctx *ctx, struct schemas *s, const struct schema_key *key,
                 struct schema_version **version, const char **why)
{
    static const struct schema_key any;
    int status = LEAT_OK;
    if (s->cfg->file) key = &any;
    if (!s->last || compare_keys(&s->last->key, key)) {
        uint32_t at = place_of(s, key);
        s->last = at < s->n && !compare_keys(&s->version[at]->key, key) ? s->version[at] : NULL;
        if (!s->last && clock_ns() >= unknown_slot(s, key)->until)
            status = schemas_load(ctx, s, key, &s->last);
        if (s->last) s->last->used = ++s->uses;
    }
    *version = s->last;
    *why = s->last ? NULL : unknown_slot(s, key)->why;
    return status;
}

struct schema_version *schemas_find_fingerprint(struct schemas *s, uint64_t fingerprint)
{
    for (uint32_t i = 0; i < s->n && (!s->last || s->last->fingerprint != fingerprint); i++)
        if (s->version[i]->fingerprint == fingerprint) s->last = s->version[i];
    if (!s->last || s->last->fingerprint != fingerprint) return NULL;
    s->last->used = ++s->uses;
    return s->last;
}

/* ---- opening ---- */

int schemas_open(struct leat_ctx *ctx, const struct schemas_cfg *cfg,
                 const struct json_paths *paths, struct schemas *s)
{
    int status;
    s->cfg = cfg;
    s->paths = paths;
    s->unknown = ctx->host->alloc(ctx, SCHEMAS_SLOTS * sizeof *s->unknown);
    if (!s->unknown)
        status = LEAT_ENOMEM;
    else if (cfg->file)
        status = add_file(ctx, s, &(struct schema_key){0}, cfg->file);
    else if (cfg->folder)
        status = schemas_add_folder(ctx, s);
    else
        status = registry_open(ctx, &cfg->registry, REGISTRY_AVRO, &s->registry);
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
