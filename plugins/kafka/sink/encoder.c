/* encoder.c -- implementation of encoder.h. */
#include "encoder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cells/cells.h"
#include "common/cells/columns.h"
#include "kernels/avro/avro_write.h"
#include "kernels/encode/json_write.h"
#include "kernels/encode/proto_write.h"

const char *const encoder_formats[] = {"raw", "jsonl", "avro", "json_schema", "protobuf", NULL};
const char *const encoder_prefixes[] = {"registry", "none", NULL};

enum { ENCODER_FILE_BYTES = 8 << 20, ENCODER_NAME = 256 };

/* ---- formats ---- */

struct encoder_kind {
    enum registry_type type;
    /* Makes the text of a schema, which the caller frees. */
    char *(*make)(const struct fit_column *, uint32_t n, const char *name, struct fit_faults *);
    void *(*open)(const struct encoder_cfg *, const struct registry_schema *,
                  const struct fit_column *, uint32_t n, struct fit_faults *);
    enum fit_fault (*write)(const void *writer, const struct fit_value *, struct text_out *,
                            struct fit_place *);
    void (*close)(void *writer);
    /* Writes what stands between the number of the schema and the record. May be NULL. */
    uint32_t (*prefix)(const void *writer, char to[PROTO_INDEXES]);
};

struct encoder_avro {
    struct avro_schema *schema;
    struct avro_writer *writer;
};

static void encoder_avro_close(void *self)
{
    struct encoder_avro *a = self;
    if (!a) return;
    avro_writer_free(a->writer);
    avro_schema_free(a->schema);
    free(a);
}

static void *encoder_avro_open(const struct encoder_cfg *cfg, const struct registry_schema *from,
                               const struct fit_column *column, uint32_t n,
                               struct fit_faults *faults)
{
    char why[400] = "there is not enough memory for the schema";
    struct encoder_avro *a = calloc(1, sizeof *a);
    struct avro_schema_text *texts = calloc(from->n, sizeof *texts);
    for (uint32_t i = 0; texts && i < from->n; i++)
        texts[i] = (struct avro_schema_text){from->part[i].text, from->part[i].n};
    if (a && texts) a->schema = avro_schema_read(texts, from->n, why, sizeof why);
    free(texts);
    if (a && a->schema)
        a->writer = avro_writer_new(a->schema, column, n, faults);
    else
        fit_fault(faults, "the schema cannot be used: %s", why);
    if (a && a->writer) return a;
    encoder_avro_close(a);
    return NULL;
}

static enum fit_fault encoder_avro_write(const void *self, const struct fit_value *value,
                                         struct text_out *o, struct fit_place *place)
{
    return avro_write(((const struct encoder_avro *)self)->writer, value, o, place);
}

static void encoder_json_close(void *self) { json_writer_free(self); }

static void *encoder_json_open(const struct encoder_cfg *cfg, const struct registry_schema *from,
                               const struct fit_column *column, uint32_t n,
                               struct fit_faults *faults)
{
    const struct registry_part *last = &from->part[from->n - 1];
    return json_writer_new(last->text, last->n, column, n, faults);
}

static enum fit_fault encoder_json_write(const void *self, const struct fit_value *value,
                                         struct text_out *o, struct fit_place *place)
{
    return json_write(self, value, o, place);
}

struct encoder_proto {
    struct proto_schema *schema;
    const struct proto_message *message;
    struct proto_writer *writer;
};

static void encoder_proto_close(void *self)
{
    struct encoder_proto *p = self;
    if (!p) return;
    proto_writer_free(p->writer);
    proto_schema_free(p->schema);
    free(p);
}

/* Reads the schema and finds the message. Returns false after faults. */
static bool encoder_proto_read(struct encoder_proto *p, const struct encoder_cfg *cfg,
                               const struct registry_schema *from, struct fit_faults *faults)
{
    char why[400] = "there is not enough memory for the schema";
    struct proto_text *texts = calloc(from->n, sizeof *texts);
    for (uint32_t i = 0; texts && i < from->n; i++)
        texts[i] = (struct proto_text){from->part[i].text, from->part[i].n};
    if (texts) p->schema = proto_schema_read(texts, from->n, why, sizeof why);
    free(texts);
    if (!p->schema) return fit_fault(faults, "the schema cannot be used: %s", why), false;
    p->message = proto_schema_message(p->schema, cfg->message);
    if (!p->message)
        fit_fault(faults, "the schema has no message %.100s at its top",
                  cfg->message ? cfg->message : "type");
    return p->message != NULL;
}

static void *encoder_proto_open(const struct encoder_cfg *cfg, const struct registry_schema *from,
                                const struct fit_column *column, uint32_t n,
                                struct fit_faults *faults)
{
    struct encoder_proto *p = calloc(1, sizeof *p);
    if (!p)
        fit_no_memory(faults);
    else if (encoder_proto_read(p, cfg, from, faults))
        p->writer = proto_writer_new(p->message, column, n, faults);
    if (p && p->writer) return p;
    encoder_proto_close(p);
    return NULL;
}

static enum fit_fault encoder_proto_write(const void *self, const struct fit_value *value,
                                          struct text_out *o, struct fit_place *place)
{
    return proto_write(((const struct encoder_proto *)self)->writer, value, o, place);
}

static uint32_t encoder_proto_prefix(const void *self, char to[PROTO_INDEXES])
{
    return proto_indexes(((const struct encoder_proto *)self)->message, to);
}

static const struct encoder_kind encoder_kinds[] = {
    {REGISTRY_AVRO, avro_schema_made, encoder_avro_open, encoder_avro_write, encoder_avro_close,
     NULL},
    {REGISTRY_JSON, json_schema_made, encoder_json_open, encoder_json_write, encoder_json_close,
     NULL},
    {REGISTRY_PROTOBUF, proto_schema_made, encoder_proto_open, encoder_proto_write,
     encoder_proto_close, encoder_proto_prefix},
};

static const struct encoder_kind *encoder_kind_of(const struct encoder_cfg *cfg)
{
    return &encoder_kinds[cfg->format - ENCODER_FIRST];
}

/* ---- parameters ---- */

static void encoder_check_plain(const struct encoder_cfg *cfg, struct leat_diag *d)
{
    const char *param = cfg->file           ? "schema"
                        : cfg->registry.url ? "registry"
                        : cfg->message      ? "message"
                                            : "prefix";
    if (cfg->file || cfg->registry.url || cfg->message || cfg->bare)
        d->error(d, param,
                 "has a meaning only with a format that has a schema, such as \"avro\": \"%s\" has "
                 "none",
                 encoder_formats[cfg->format]);
}

void encoder_check(const struct encoder_cfg *cfg, struct leat_diag *d)
{
    if (cfg->format < ENCODER_FIRST) {
        encoder_check_plain(cfg, d);
        return;
    }
    if (!cfg->bare && !cfg->registry.url)
        d->error(d, "registry",
                 "is missing: messages begin with the number of their schema in a Schema Registry; "
                 "for messages without it set prefix = \"none\", and `schema` to the file with "
                 "their schema");
    if (cfg->bare && !cfg->registry.url && !cfg->file)
        d->error(d, "schema",
                 "is missing: with prefix = \"none\" messages do not name their schema, so give "
                 "the file that their readers have");
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
    uint32_t number; /* 0: the registry does not have the schema */
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
        return registry_newest(ctx, a->registry, subject, &a->schema, &a->number, a->why,
                               sizeof a->why);
    return registry_number(ctx, a->registry, subject, a->schema.part[a->schema.n - 1].text,
                           a->registers, &a->number, a->why, sizeof a->why);
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
    int status = registry_open(ctx, &a->cfg->registry, encoder_kind_of(a->cfg)->type, &a->registry);
    if (status != LEAT_OK) return status;
    status = encoder_ask(ctx, a);
    registry_close(a->registry);
    if (status != LEAT_OK || a->number) return status;
    encoder_describe_unknown(a, text);
    return ctx->host->fail(ctx, LEAT_EARG, "%s", text);
}

static void encoder_set_prefix(struct encoder *e, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        e->prefix[1 + i] = (char)(number >> (24 - 8 * i));
    e->n_prefix = FRAMING_NUMBER;
    if (e->kind->prefix) e->n_prefix += e->kind->prefix(e->writer, e->prefix + FRAMING_NUMBER);
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
    if (!cfg->bare) encoder_set_prefix(e, a.number);
    if (a.number)
        ctx->host->log(ctx, LEAT_INFO, "messages have schema %u of %s", a.number,
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
    text_bytes(o, e->prefix, e->n_prefix);
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
    if (!a->number && a->cfg->registers)
        encoder_online_fits(ctx, a, d);
    else if (!a->number)
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
    int status = registry_open(ctx, &quick.registry, e.kind->type, &a.registry);
    if (status == LEAT_OK) status = encoder_open_columns(ctx, &e, wanted);
    if (status == LEAT_OK) registry_report_to(a.registry, d);
    if (status == LEAT_OK) encoder_online_ask(ctx, &e, &a, d);
    registry_close(a.registry);
    registry_schema_free(&a.schema);
    encoder_close(ctx, &e);
    return status;
}
