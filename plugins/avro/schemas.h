/* schemas.h -- which schema a record was written with.
 *
 *   schema = FILE      all records, whatever number is before them
 *   schemas = FOLDER   the number of a record names FOLDER/NUMBER.avsc; files that come later are
 *                      found, too
 *   registry = URL     the Schema Registry there knows the number
 *
 * A schema that was read is kept, with its plan for the paths (kernels/avro/avro.h). A number that
 * nothing knows is not asked for again during RETRY_NS. */
#ifndef LEAT_AVRO_SCHEMAS_H
#define LEAT_AVRO_SCHEMAS_H

#include <stddef.h>
#include <stdint.h>

#include <leat/plugin.h>

#include "kernels/avro/avro.h"
#include "registry.h"

struct schemas_cfg {
    const char *file, *folder;
    struct registry_cfg registry;
};

/* A schema and what a lane keeps of it. */
struct schema_version {
    uint32_t id;
    struct avro_schema *schema;
    struct avro_plan *plan;
    struct leat_str *symbol; /* of each symbol: where it is in the batch of … */
    uint64_t *symbol_call;   /* … this call                                   */
};

enum { SCHEMAS_MAX = 4096, SCHEMAS_UNKNOWN = 64, SCHEMAS_WHY = 600 };

struct schemas {
    const struct schemas_cfg *cfg;
    const struct json_paths *paths;
    struct registry *registry;
    struct schema_version **version; /* n, their ids ascending */
    struct schema_version *last;     /* the one found last     */
    uint32_t n, cap;
    struct unknown {
        uint32_t id;
        bool set;
        uint64_t until; /* monotonic */
        char why[SCHEMAS_WHY];
    } * unknown; /* SCHEMAS_UNKNOWN */
};

void schemas_check(const struct schemas_cfg *, struct leat_diag *);

/* Reads the file, or all schemas of the folder. Zero `schemas` before. A failure is reported. */
int schemas_open(struct leat_ctx *, const struct schemas_cfg *, const struct json_paths *,
                 struct schemas *);
void schemas_close(struct leat_ctx *, struct schemas *);

/* Finds the schema with this number. Returns LEAT_OK, and *version is NULL if nothing knows it, as
 * *why says; or a failure, which ends the run and is reported. */
int schemas_find(struct leat_ctx *, struct schemas *, uint32_t id, struct schema_version **version,
                 const char **why);

#endif
