/* registry.h -- the schemas of a Schema Registry, by HTTP: GET URL/schemas/ids/ID.
 *
 * With libcurl; without it, opening one fails. A request that the registry cannot answer now is
 * repeated, after longer and longer waits, until `timeout` is over; one that it will never answer
 * is reported at once. */
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

/* Returns the version of libcurl; NULL if leat was built without it. */
const char *registry_library(void);

/* Opens nothing outside. A failure is reported. */
int registry_open(struct leat_ctx *, const struct registry_cfg *, struct registry **);
void registry_close(struct registry *);

/* Gets the text of schema `id`, the caller's to free. Returns LEAT_OK, and *text is NULL if the
 * registry has no such schema, or one that is not Avro, as `why` says; or a failure, which ends the
 * run and is reported. */
int registry_get(struct leat_ctx *, struct registry *, uint32_t id, char **text, size_t *n,
                 char *why, size_t cap);

#endif
