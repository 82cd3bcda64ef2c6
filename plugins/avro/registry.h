/* registry.h -- the schemas of a Schema Registry, by HTTP: GET URL/schemas/ids/ID.
 *
 * With libcurl; without it, opening one fails. What the registry cannot answer now is asked again,
 * after longer and longer waits, until `timeout` is over; what it will never answer is told at
 * once. */
#ifndef LEAT_AVRO_REGISTRY_H
#define LEAT_AVRO_REGISTRY_H

#include <stddef.h>
#include <stdint.h>

#include <leat/plugin.h>

struct registry_cfg {
    const char *url, *login, *ca;
    int64_t timeout; /* ns */
};

struct registry;

/* NULL: this leat has no libcurl; else its version. */
const char *registry_library(void);

/* Opens nothing outside. A failure is reported. */
int registry_open(struct leat_ctx *, const struct registry_cfg *, struct registry **);
void registry_close(struct registry *);

/* The text of schema `id`, the caller's to free. LEAT_OK: *text is NULL if the registry has no such
 * schema, or one that is not Avro, as `why` says. A failure, which ends the run, is reported. */
int registry_get(struct leat_ctx *, struct registry *, uint32_t id, char **text, size_t *n,
                 char *why, size_t cap);

#endif
