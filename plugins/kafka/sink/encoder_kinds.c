/* encoder_kinds.c -- implementation of encoder_kinds.h. */
#include "encoder_kinds.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernels/avro/avro_write.h"
#include "kernels/encode/json_write.h"
#include "kernels/encode/proto_write.h"

const char *const encoder_formats[] = {"raw", "jsonl", "avro", "json_schema", "protobuf", NULL};

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

static const struct proto_message *encoder_proto_type(const void *self)
{
    return ((const struct encoder_proto *)self)->message;
}

static const struct encoder_kind encoder_kinds[] = {
    {REGISTRY_AVRO, avro_schema_made, encoder_avro_open, encoder_avro_write, encoder_avro_close,
     NULL},
    {REGISTRY_JSON, json_schema_made, encoder_json_open, encoder_json_write, encoder_json_close,
     NULL},
    {REGISTRY_PROTOBUF, proto_schema_made, encoder_proto_open, encoder_proto_write,
     encoder_proto_close, encoder_proto_type},
};

const struct encoder_kind *encoder_kind_of(const struct encoder_cfg *cfg)
{
    return &encoder_kinds[cfg->format - ENCODER_FIRST];
}
