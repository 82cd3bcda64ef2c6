/* registry.h -- gets schemas from a Schema Registry, and registers them, by HTTP.
 *
 *     GET URL/schemas/ids/ID, GET URL/schemas/guids/GUID    a schema
 *     GET URL/subjects/SUBJECT/versions/VERSION             a schema to which one refers
 *     GET URL/subjects/SUBJECT/versions/latest              the newest schema of a subject
 *     POST URL/subjects/SUBJECT/versions                    registers a schema
 *     POST URL/subjects/SUBJECT                             looks it up
 *     POST URL/compatibility/subjects/SUBJECT/versions/latest
 *                                                           would it be registered?
 *
 *     answer                                          meaning
 *     200 with a schema, or with its number           the schema, or one that cannot be used
 *     404 with an error_code 40401, 40402, 40403      the registry does not have it
 *     401, 403, redirection, wrong certificate        fails the run at once
 *     409, 422 to a schema that is to be registered   the same: it does not fit the subject
 *     any other answer, or none                       asked again until `timeout` is over, then
 *                                                     fails the run
 *
 * Only a registry's own word about a schema makes it unknown. A web server at a wrong address also
 * answers 404. Needs libcurl; without libcurl, registry_open() fails. */
#ifndef LEAT_COMMON_REGISTRY_REGISTRY_H
#define LEAT_COMMON_REGISTRY_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <leat/plugin.h>

#include "framing.h"

#ifdef __cplusplus
extern "C" {
#endif

struct registry_cfg {
    const char *url, *login, *ca;
    int64_t timeout; /* ns */
};

/* Kind of schemas that a stage reads or writes. */
enum registry_type { REGISTRY_AVRO, REGISTRY_PROTOBUF, REGISTRY_JSON };

/* A schema with those to which it refers, also indirectly. Each stands behind those that it needs;
 * the last one is the schema itself. */
struct registry_schema {
    struct registry_part {
        char *name; /* name by which other schemas refer to it; "" for the last one */
        char *text;
        size_t n;
    } * part;
    uint32_t n;
};

/* Names of a schema in the registry. */
struct registry_id {
    uint32_t number;        /* 0: the registry does not have the schema */
    struct schema_key guid; /* its `guid` is 0 if the registry does not say it */
};

struct registry;

/* Reports a wrong address when a stage is validated. */
void registry_check(const struct registry_cfg *, struct leat_diag *);

/* Opens a registry, without a connection yet. Returns LEAT_OK, or a failure reported to the
 * host. */
int registry_open(struct leat_ctx *, const struct registry_cfg *, enum registry_type,
                  struct registry **);
void registry_close(struct registry *);

/* Gets a schema; registry_schema_free() frees it. Returns LEAT_OK with no part, and the reason in
 * `why`, if the registry does not have the schema or one to which it refers, or if it is of another
 * type. If the run must end, returns a failure, reported to the host. */
int registry_get(struct leat_ctx *, struct registry *, const struct schema_key *,
                 struct registry_schema *, char *why, size_t cap);
void registry_schema_free(struct registry_schema *);

/* Gets the newest schema of a subject, and *id. Returns as registry_get() does. */
int registry_newest(struct leat_ctx *, struct registry *, const char *subject,
                    struct registry_schema *, struct registry_id *id, char *why, size_t cap);
/* Sets *id to that of the schema with this text in the subject: registers it, or only looks it up.
 * Returns LEAT_OK with the number 0, and the reason in `why`, if the registry does not have the
 * schema. If the run must end, returns a failure, reported to the host. */
int registry_identify(struct leat_ctx *, struct registry *, const char *subject, const char *text,
                      bool registers, struct registry_id *id, char *why, size_t cap);

/* Sets *fits to false, and `why`, if the registry would not register the schema in the subject, as
 * its compatibility asks. Changes nothing. Returns a failure if the registry does not answer. */
int registry_fits(struct leat_ctx *, struct registry *, const char *subject, const char *text,
                  bool *fits, char *why, size_t cap);

/* Reports failures to the diag from now on, and not to the host. */
void registry_report_to(struct registry *, struct leat_diag *);

/* Parameters for a configuration CFG whose member FIELD is a struct registry_cfg. */
#define REGISTRY_PARAMS(CFG, FIELD)                                                                \
    LEAT_PARAM_AS("registry", CFG, FIELD.url, LEAT_STRING, .flags = LEAT_OPERATIONAL,              \
                  .doc = "address of the Schema Registry with the schemas: http://host:8081"),     \
        LEAT_PARAM_AS(                                                                             \
            "registry_login", CFG, FIELD.login, LEAT_STRING,                                       \
            .flags = LEAT_SECRET | LEAT_OPERATIONAL | LEAT_REFERENCES, .only_with = "registry",    \
            .doc = "user:password for the registry; ${env:NAME} and ${file:PATH} stand for "       \
                   "secrets"),                                                                     \
        LEAT_PARAM_AS("registry_ca", CFG, FIELD.ca, LEAT_PATH,                                     \
                      .flags = LEAT_OPERATIONAL | LEAT_ADVANCED, .only_with = "registry",          \
                      .doc = "file with the certificates that signed the certificate of the "      \
                             "registry (PEM)"),                                                    \
        LEAT_PARAM_AS("registry_timeout", CFG, FIELD.timeout, LEAT_DURATION,                       \
                      .flags = LEAT_OPERATIONAL | LEAT_ADVANCED, .def = "30s", .min = 0,           \
                      .max = 3600, .only_with = "registry",                                        \
                      .doc = "how long to retry when the registry does not answer, before the "    \
                             "run ends")

#ifdef __cplusplus
}
#endif

#endif
