/* encoder_kinds.h -- what differs between the formats of sink.kafka that have a schema. */
#ifndef LEAT_KAFKA_SINK_ENCODER_KINDS_H
#define LEAT_KAFKA_SINK_ENCODER_KINDS_H

#include "encoder.h"

struct encoder_kind {
    enum registry_type registry_type;
    /* Makes the text of a schema, which the caller frees. */
    char *(*make)(const struct fit_column *, uint32_t n, const char *name, struct fit_faults *);
    void *(*open)(const struct encoder_cfg *, const struct registry_schema *,
                  const struct fit_column *, uint32_t n, struct fit_faults *);
    enum fit_fault (*write)(const void *writer, const struct fit_value *, struct text_out *,
                            struct fit_place *);
    void (*close)(void *writer);
    /* Returns the type of the messages. May be NULL. */
    const struct proto_message *(*type)(const void *writer);
};

const struct encoder_kind *encoder_kind_of(const struct encoder_cfg *);

#endif
