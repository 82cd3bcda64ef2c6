/* encoder.c -- implementation of encoder.h. */
#include "encoder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cells/cells.h"
#include "common/cells/columns.h"
#include "encoder_kinds.h"

enum { ENCODER_FILE_BYTES = 8 << 20, ENCODER_NAME = 256 };

/* ---- parameters ---- */

static void encoder_check_plain(const struct encoder_cfg *cfg, struct leat_diag *d)
{
    const char *param = cfg->file           ? "schema"
                        : cfg->registry.url ? "registry"
                        : cfg->message      ? "message"
                        : cfg->framing      ? "framing"
                        : cfg->version      ? "schema_version"
                                            : NULL;
    if (param)
        d->error(d, param,
                 "has a meaning only with a format that has a schema, such as \"avro\": \"%s\" has "
                 "none",
                 encoder_formats[cfg->format]);
}

/* Checks what stands in for a registry, or excludes it. */
static void encoder_check_framing(const struct encoder_cfg *cfg, struct leat_diag *d)
{
    const enum framed_kind kind = (enum framed_kind)cfg->framing;
    const char *refusal = framed_refusal(kind, encoder_kind_of(cfg)->registry_type);
    struct schema_key key;
    const char *uuid = cfg->version ? cfg->version : "";
    if (refusal) d->error(d, "framing", "%s", refusal);
    if (framed_asks(kind) && !cfg->registry.url)
        d->error(d, "registry",
                 "is missing: messages begin with the number of their schema in a Schema Registry; "
                 "for messages without it set framing = \"none\", and `schema` to the file with "
                 "their schema");
    if (kind == FRAMED_GLUE && cfg->registry.url)
        d->error(
            d, "registry",
            "a Schema Registry does not know the UUIDs of AWS Glue: leave it out, register the "
            "schema in Glue, and give `schema` and `schema_version`");
    if (kind == FRAMED_GLUE && (!schema_key_read(uuid, strlen(uuid), &key) || !key.guid))
        d->error(d, "schema_version",
                 "with framing = \"glue\" write the UUID that AWS Glue gave to the version of the "
                 "schema, such as b7b4a7f0-9c96-4e4a-a687-fb5de9ef0c63");
    if (kind != FRAMED_GLUE && cfg->version)
        d->error(d, "schema_version", "has a meaning only with framing = \"glue\"");
    if (!framed_asks(kind) && !cfg->registry.url && !cfg->file)
        d->error(d, "schema",
                 "is missing: with framing = \"%s\" messages do not %s, so give the file that %s",
                 framed_kinds[kind],
                 kind == FRAMED_GLUE ? "ask for their schema" : "name their schema",
                 kind == FRAMED_GLUE ? "AWS Glue has" : "their readers have");
}

void encoder_check(const struct encoder_cfg *cfg, struct leat_diag *d)
{
    if (cfg->format < ENCODER_FIRST) {
        encoder_check_plain(cfg, d);
        return;
    }
    encoder_check_framing(cfg, d);
    if (cfg->registry.url) registry_check(&cfg->registry, d);
    if (cfg->subject && (!*cfg->subject || strlen(cfg->subject) >= ENCODER_NAME))
        d->error(d, "subject", "'%s' must have 1 to %d bytes", cfg->subject, ENCODER_NAME - 1);
    if (cfg->message && cfg->format != ENCODER_PROTOBUF)
        d->error(d, "message", "has a meaning only with format = \"protobuf\"");
}

/* ---- columns ---- */

static const char *encoder_column_of(const char *wanted)
{
    const char *eq = strchr(wanted, '=');
    return eq ? eq + 1 : wanted;
}

/* Names of the columns, as the schema has them. */
struct encoder_names {
    const struct leat_schema *in;
    const struct leat_strings *wanted;
    uint32_t n, at; /* at: column of `in` of the name before, plus 1 */
};

static struct encoder_names encoder_names_of(const struct leat_schema *in,
                                             const struct leat_strings *wanted)
{
    return (struct encoder_names){in, wanted, wanted->n ? wanted->n : columns_shown(in), 0};
}

/* Returns the name of the i-th column. Call it for all in ascending order. */
static const char *encoder_name(struct encoder_names *names, uint32_t i)
{
    if (names->wanted->n) return encoder_column_of(names->wanted->v[i]);
    while (columns_is_internal(names->in, names->at))
        names->at++;
    return names->in->column[names->at++].name;
}

/* Sets the name of the field, which lives as long as the column. Returns false if there is not
 * enough memory. */
static bool encoder_field(struct fit_column *c, const char *wanted, const char *column)
{
    size_t n = wanted ? strcspn(wanted, "=") : strlen(column);
    char *name = malloc(n + 1);
    if (!name) return false;
    memcpy(name, wanted ? wanted : column, n);
    name[n] = 0;
    c->name = name;
    return true;
}

static enum fit_kind encoder_fit_kind(uint32_t type)
{
    static const enum fit_kind kind[] = {
        [LEAT_TEXT] = FIT_TEXT,   [LEAT_NUMBER] = FIT_REAL,     [LEAT_INT64] = FIT_INTEGER,
        [LEAT_BYTES] = FIT_BYTES, [LEAT_BOOLEAN] = FIT_BOOLEAN, [LEAT_TIME] = FIT_TIME};
    return kind[type];
}

static void encoder_free_columns(struct fit_column *column, uint32_t n)
{
    for (uint32_t i = 0; column && i < n; i++)
        free((char *)(uintptr_t)column[i].name);
    free(column);
}

/* Makes the columns of the writer; index[i]: the column of `in`. Returns NULL if there is not
 * enough memory. */
static struct fit_column *encoder_columns(const struct leat_schema *in,
                                          const struct leat_strings *wanted, const uint32_t *index,
                                          uint32_t n)
{
    struct fit_column *column = calloc(n + 1, sizeof *column);
    for (uint32_t i = 0; column && i < n; i++) {
        const struct leat_column *c = &in->column[index[i]];
        column[i].kind = encoder_fit_kind(c->type);
        column[i].form = (struct grouped){c->decimal, c->thousands};
        column[i].shown = c->name;
        if (encoder_field(&column[i], wanted->n ? wanted->v[i] : NULL, c->name)) continue;
        encoder_free_columns(column, n);
        return NULL;
    }
    return column;
}

/* ---- schemas ---- */

/* Reads the file with the schema. Returns NULL with the reason in `why` if this fails. */
static char *encoder_read_file(const char *path, char *why, size_t cap)
{
    FILE *f = fopen(path, "r");
    char *text = f ? malloc(ENCODER_FILE_BYTES) : NULL;
    size_t n = text ? fread(text, 1, ENCODER_FILE_BYTES, f) : 0;
    bool good = text && !ferror(f) && n < ENCODER_FILE_BYTES;
    if (!good)
        snprintf(why, cap, "%s cannot be read: %s", path,
                 n == ENCODER_FILE_BYTES ? "it is too long for a schema" : strerror(errno));
    if (f) fclose(f);
    if (good) return text[n] = 0, text;
    free(text);
    return NULL;
}

/* Returns the name of the record in a schema that is made: the topic, with _ for what no name may
 * have. */
static const char *encoder_record(const char *topic, char name[ENCODER_NAME])
{
    size_t n = 0;
    if (*topic >= '0' && *topic <= '9') name[n++] = '_';
    for (; *topic && n < ENCODER_NAME - 1; topic++) {
        bool letter = (*topic | 0x20) >= 'a' && (*topic | 0x20) <= 'z';
        name[n++] = letter || (*topic >= '0' && *topic <= '9') ? *topic : '_';
    }
    name[n] = 0;
    return name;
}

/* A schema of one text. */
static void encoder_one(struct registry_schema *s, char *text)
{
    s->part = text ? calloc(1, sizeof *s->part) : NULL;
    if (!s->part) {
        free(text);
        return;
    }
    s->n = 1;
    s->part[0].text = text;
    s->part[0].n = strlen(text);
}

/* Gets the schema of the file, or makes one. Leaves s->n 0 after faults. */
static void encoder_own_schema(const struct encoder_cfg *cfg, const char *topic,
                               const struct fit_column *column, uint32_t n,
                               struct registry_schema *s, struct fit_faults *faults)
{
    char why[400], name[ENCODER_NAME];
    char *text = cfg->file
                     ? encoder_read_file(cfg->file, why, sizeof why)
                     : encoder_kind_of(cfg)->make(column, n, encoder_record(topic, name), faults);
    uint32_t before = faults->n;
    if (cfg->file && !text) fit_fault(faults, "%s", why);
    encoder_one(s, text);
    if (text && !s->n && faults->n == before) fit_no_memory(faults);
}

/* ---- before the run ---- */

/* Reports faults as errors of a parameter. */
struct encoder_diag {
    struct leat_diag *d;
    const char *param;
};

static void encoder_to_diag(void *to, const char *text)
{
    const struct encoder_diag *e = to;
    e->d->error(e->d, e->param, "%s", text);
}

static struct fit_column *encoder_asked(struct leat_negotiation *n,
                                        const struct leat_strings *wanted, uint32_t *count)
{
    struct encoder_names names = encoder_names_of(n->in, wanted);
    uint32_t *index = calloc(names.n + 1, sizeof *index);
    bool all = index != NULL;
    *count = names.n;
    for (uint32_t i = 0; index && i < names.n; i++) {
        const char *name = encoder_name(&names, i);
        if (!*name || (wanted->n && *wanted->v[i] == '=')) {
            n->diag->error(n->diag, "columns",
                           "'%s' must have the form \"column\" or \"field=column\"", wanted->v[i]);
            all = false;
        } else
            all &= n->column(n, "columns", name, LEAT_TAKES_ANY, &index[i]) == LEAT_OK;
    }
    struct fit_column *column = all ? encoder_columns(n->in, wanted, index, names.n) : NULL;
    free(index);
    return column;
}

void encoder_negotiate(struct leat_negotiation *n, const struct encoder_cfg *cfg,
                       const struct leat_strings *wanted, const char *topic)
{
    uint32_t count;
    struct registry_schema s = {.n = 0};
    struct encoder_diag to = {n->diag, cfg->file ? "schema" : "columns"};
    struct fit_faults faults = {encoder_to_diag, &to, 0};
    struct fit_column *column = encoder_asked(n, wanted, &count);
    if (column && !n->in->open && (cfg->file || cfg->registers))
        encoder_own_schema(cfg, topic, column, count, &s, &faults);
    if (s.n)
        encoder_kind_of(cfg)->close(encoder_kind_of(cfg)->open(cfg, &s, column, count, &faults));
    registry_schema_free(&s);
    encoder_free_columns(column, count);
}

/* ---- opening ---- */

/* Keeps the first fault. */
static void encoder_to_text(void *to, const char *text)
{
    char *why = to;
    if (!*why) snprintf(why, ENCODER_WHY, "%s", text);
}

/* Question to the registry, and its answer. */
struct encoder_asking {
    const struct encoder_cfg *cfg;
    const char *topic;
    struct registry *registry;
    struct registry_schema schema;
    struct registry_id id;
    bool registers;
    char why[ENCODER_WHY];
};

static void encoder_subject(const struct encoder_cfg *cfg, const char *topic,
                            char subject[ENCODER_NAME + 8])
{
    snprintf(subject, ENCODER_NAME + 8, "%.255s%s", cfg->subject ? cfg->subject : topic,
             cfg->subject ? "" : "-value");
}

/* Asks for the number of the schema, and for the schema if there is none yet. */
static int encoder_ask(struct leat_ctx *ctx, struct encoder_asking *a)
{
    char subject[ENCODER_NAME + 8];
    encoder_subject(a->cfg, a->topic, subject);
    if (!a->schema.n)
        return registry_newest(ctx, a->registry, subject, &a->schema, &a->id, a->why,
                               sizeof a->why);
    return registry_identify(ctx, a->registry, subject, a->schema.part[a->schema.n - 1].text,
                             a->registers, &a->id, a->why, sizeof a->why);
}

/* Describes why there is no number. */
static void encoder_describe_unknown(const struct encoder_asking *a, char out[ENCODER_WHY + 400])
{
    char subject[ENCODER_NAME + 8];
    encoder_subject(a->cfg, a->topic, subject);
    snprintf(out, ENCODER_WHY + 400, "%s: subject '%s' %s: %s",
             a->cfg->file ? "register" : "subject", subject,
             a->cfg->file ? "does not have the schema of the file, and register = false"
                          : "has no schema that can be used",
             a->why);
}

static int encoder_ask_registry(struct leat_ctx *ctx, struct encoder_asking *a)
{
    char text[ENCODER_WHY + 400];
    const enum registry_type type = encoder_kind_of(a->cfg)->registry_type;
    int status = registry_open(ctx, &a->cfg->registry, type, &a->registry);
    if (status != LEAT_OK) return status;
    status = encoder_ask(ctx, a);
    registry_close(a->registry);
    if (status != LEAT_OK || a->id.number) return status;
    encoder_describe_unknown(a, text);
    return ctx->host->fail(ctx, LEAT_EARG, "%s", text);
}

/* Makes what names the schema and the type in each message. */
static bool encoder_frame(struct encoder *e, const struct encoder_cfg *cfg, struct registry_id id,
                          char why[ENCODER_WHY])
{
    char indexes[PROTO_INDEXES];
    const struct proto_message *type = e->kind->type ? e->kind->type(e->writer) : NULL;
    const char *dot = type ? strrchr(type->name, '.') : NULL;
    if (cfg->version) schema_key_read(cfg->version, strlen(cfg->version), &id.guid);
    struct framed_of of = {.kind = (enum framed_kind)cfg->framing,
                           .type = e->kind->registry_type,
                           .id = id,
                           .indexes = indexes};
    if (type) of.message = dot ? dot + 1 : type->name;
    if (type) of.n_indexes = proto_indexes(type, indexes);
    return framed_make(&e->framed, &of, why, ENCODER_WHY);
}

/* Gets the schema, and makes the writer. */
static int encoder_begin(struct leat_ctx *ctx, struct encoder *e, const struct encoder_cfg *cfg,
                         const char *topic)
{
    char why[ENCODER_WHY] = "";
    struct fit_faults faults = {encoder_to_text, why, 0};
    struct encoder_asking a = {.cfg = cfg, .topic = topic, .registers = cfg->registers};
    int status = LEAT_OK;
    if (cfg->file || cfg->registers)
        encoder_own_schema(cfg, topic, e->column, e->n, &a.schema, &faults);
    if (!faults.n && cfg->registry.url) status = encoder_ask_registry(ctx, &a);
    if (!faults.n && status == LEAT_OK)
        e->writer = e->kind->open(cfg, &a.schema, e->column, e->n, &faults);
    registry_schema_free(&a.schema);
    if (status != LEAT_OK) return status;
    if (faults.n) return ctx->host->fail(ctx, LEAT_EARG, "schema: %s", why);
    if (!encoder_frame(e, cfg, a.id, why)) return ctx->host->fail(ctx, LEAT_EARG, "%s", why);
    if (a.id.number)
        ctx->host->log(ctx, LEAT_INFO, "messages have schema %u of %s", a.id.number,
                       cfg->registry.url);
    return LEAT_OK;
}

/* Finds the columns. */
static int encoder_open_columns(struct leat_ctx *ctx, struct encoder *e,
                                const struct leat_strings *wanted)
{
    struct encoder_names names = encoder_names_of(ctx->in, wanted);
    e->in = ctx->in;
    e->n = names.n;
    e->index = calloc(e->n + 1, sizeof *e->index);
    e->value = calloc(e->n + 1, sizeof *e->value);
    for (uint32_t i = 0; e->index && i < e->n; i++)
        e->index[i] = columns_known(ctx, encoder_name(&names, i), LEAT_TAKES_ANY);
    if (e->index && e->value) e->column = encoder_columns(ctx->in, wanted, e->index, e->n);
    if (e->column) return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %u columns", e->n);
}

int encoder_open(struct leat_ctx *ctx, struct encoder *e, const struct encoder_cfg *cfg,
                 const struct leat_strings *wanted, const char *topic)
{
    e->kind = encoder_kind_of(cfg);
    int status = encoder_open_columns(ctx, e, wanted);
    return status == LEAT_OK ? encoder_begin(ctx, e, cfg, topic) : status;
}

void encoder_close(struct leat_ctx *ctx, struct encoder *e)
{
    if (e->kind) e->kind->close(e->writer);
    encoder_free_columns(e->column, e->n);
    free(e->index);
    free(e->value);
    *e = (struct encoder){.n = 0};
}

/* ---- records ---- */

static struct fit_value encoder_value(union leat_cells cells, enum fit_kind kind, uint32_t type,
                                      const struct leat_batch *b, uint32_t r)
{
    if (!cells_have(cells, type, r)) return (struct fit_value){.kind = FIT_MISSING};
    switch (kind) {
    case FIT_TEXT:
    case FIT_BYTES:
        return (struct fit_value){kind, cells.text[r].len, {.text = leat_text(b, cells.text[r])}};
    case FIT_REAL:
        return (struct fit_value){kind, 0, {.real = cells.number[r]}};
    case FIT_BOOLEAN:
        return (struct fit_value){kind, 0, {.integer = cells.boolean[r]}};
    default:
        return (struct fit_value){kind, 0, {.integer = cells.int64[r]}};
    }
}

bool encoder_write(struct encoder *e, const struct leat_batch *b, uint32_t r, struct text_out *o,
                   char why[ENCODER_WHY])
{
    struct fit_place place;
    for (uint32_t i = 0; i < e->n; i++)
        e->value[i] = encoder_value(b->column[e->index[i]], e->column[i].kind,
                                    e->in->column[e->index[i]].type, b, r);
    text_bytes(o, e->framed.prefix, e->framed.n_prefix);
    enum fit_fault fault = e->kind->write(e->writer, e->value, o, &place);
    if (fault == FIT_OK) return true;
    uint32_t c = place.column;
    fit_describe(fault, &e->column[c], &e->value[c], &place, why, ENCODER_WHY);
    return false;
}

/* ---- check --online ---- */

/* Reports what the registry says of a schema that the sink would register. */
static int encoder_online_fits(struct leat_ctx *ctx, struct encoder_asking *a, struct leat_diag *d)
{
    char subject[ENCODER_NAME + 8];
    bool fits;
    encoder_subject(a->cfg, a->topic, subject);
    int status = registry_fits(ctx, a->registry, subject, a->schema.part[a->schema.n - 1].text,
                               &fits, a->why, sizeof a->why);
    if (status == LEAT_OK && !fits)
        d->error(d, "registry", "subject '%s' will refuse the schema: %s", subject, a->why);
    return status;
}

static void encoder_online_ask(struct leat_ctx *ctx, struct encoder *e, struct encoder_asking *a,
                               struct leat_diag *d)
{
    char text[ENCODER_WHY + 400];
    struct encoder_diag to = {d, "schema"};
    struct fit_faults faults = {encoder_to_diag, &to, 0};
    bool own = a->cfg->file || a->cfg->registers;
    if (own) encoder_own_schema(a->cfg, a->topic, e->column, e->n, &a->schema, &faults);
    if (own && !a->schema.n) return;
    if (encoder_ask(ctx, a) != LEAT_OK) return;
    encoder_describe_unknown(a, text);
    if (!a->id.number && a->cfg->registers)
        encoder_online_fits(ctx, a, d);
    else if (!a->id.number)
        d->error(d, NULL, "%s", text);
    else if (!own)
        e->writer = e->kind->open(a->cfg, &a->schema, e->column, e->n, &faults);
}

int encoder_online(struct leat_ctx *ctx, const struct encoder_cfg *cfg,
                   const struct leat_strings *wanted, const char *topic, int seconds,
                   struct leat_diag *d)
{
    struct encoder_cfg quick = *cfg;
    struct encoder e = {.kind = encoder_kind_of(cfg)};
    struct encoder_asking a = {.cfg = &quick, .topic = topic};
    if (!cfg->registry.url || ctx->in->open) return LEAT_OK;
    quick.registry.timeout = INT64_C(1000000000) * seconds / 4;
    int status = registry_open(ctx, &quick.registry, e.kind->registry_type, &a.registry);
    if (status == LEAT_OK) status = encoder_open_columns(ctx, &e, wanted);
    if (status == LEAT_OK) registry_report_to(a.registry, d);
    if (status == LEAT_OK) encoder_online_ask(ctx, &e, &a, d);
    registry_close(a.registry);
    registry_schema_free(&a.schema);
    encoder_close(ctx, &e);
    return status;
}
