/* registry.h -- gets schemas from a Schema Registry, by HTTP: GET URL/schemas/ids/ID.
 *
 * Needs libcurl; without libcurl, registry_open() fails. If the registry cannot answer now, the
 * request is repeated at growing intervals until `timeout` is over. If the registry can never
 * answer a request, this is reported at once. */
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

/* Opens a registry, without a connection yet. Returns LEAT_OK, or a failure reported to the
 * host. */
int registry_open(struct leat_ctx *, const struct registry_cfg *, struct registry **);
void registry_close(struct registry *);

/* Gets the text of schema `id`; the caller frees it. Returns LEAT_OK with *text NULL, and the
 * reason in `why`, if the registry does not have the schema or it is not Avro. If the run must end,
 * returns a failure, reported to the host. */
int registry_get(struct leat_ctx *, struct registry *, uint32_t id, char **text, size_t *n,
                 char *why, size_t cap);

#endif
