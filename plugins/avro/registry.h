/* registry.h -- gets schemas from a Schema Registry, by HTTP: GET URL/schemas/ids/ID.
 *
 * It needs libcurl; without it, opening a registry fails. If the registry cannot answer now, the
 * request is repeated at growing intervals until `timeout` is over. A request that it will never
 * answer is reported at once. */
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

/* Opens a registry, without a connection. Reports a failure to the host. */
int registry_open(struct leat_ctx *, const struct registry_cfg *, struct registry **);
void registry_close(struct registry *);

/* Gets the text of schema `id`; the caller frees it. Returns LEAT_OK with *text NULL if the
 * registry does not have it, or it is not Avro; `why` has the reason. Returns a failure, after a
 * report, if the run must end. */
int registry_get(struct leat_ctx *, struct registry *, uint32_t id, char **text, size_t *n,
                 char *why, size_t cap);

#endif
