/* registry.h -- gets schemas from a Schema Registry, by HTTP: GET URL/schemas/ids/ID, or
 * GET URL/schemas/guids/GUID.
 *
 *     answer                                          meaning
 *     200 with a schema                               the schema, or one that cannot be used
 *     404 with an error_code 40401, 40402, 40403      the registry does not have it
 *     401, 403, redirection, wrong certificate        fails the run at once
 *     any other answer, or none                       asked again until `timeout` is over, then
 *                                                     fails the run
 *
 * Only a registry's own word about a schema makes it unknown. A web server at a wrong address also
 * answers 404. Needs libcurl; without libcurl, registry_open() fails. */
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

/* Gets the text of a schema; the caller frees it. `what` is "ids/17" or "guids/…". Returns LEAT_OK
 * with *text NULL, and the reason in `why`, if the registry does not have the schema or it is not
 * Avro. If the run must end, returns a failure, reported to the host. */
int registry_get(struct leat_ctx *, struct registry *, const char *what, char **text, size_t *n,
                 char *why, size_t cap);

#endif
