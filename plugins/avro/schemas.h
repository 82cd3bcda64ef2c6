/* schemas.h -- finds the schema with which a record was written.
 *
 *   schema = FILE      schema of all records; the number before a record is ignored
 *   schemas = FOLDER   FOLDER/NUMBER.avsc has the schema; files that are added later are found, too
 *   registry = URL     the Schema Registry at URL has the schema with the record's number
 *
 * A schema that was read is kept, with its plan for the paths (kernels/avro/avro.h). If a schema is
 * not found, it is not looked for again during RETRY_NS. */
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

/* A schema, and data that a lane keeps for it. */
struct schema_version {
    uint32_t id;
    struct avro_schema *schema;
    struct avro_plan *plan;
    struct leat_str *symbol; /* text of each symbol in the batch of symbol_call */
    uint64_t *symbol_call;   /* for each symbol: number of the call of process() that appended it */
};

enum { SCHEMAS_MAX = 4096, SCHEMAS_UNKNOWN = 64, SCHEMAS_WHY = 600 };

struct schemas {
    const struct schemas_cfg *cfg;
    const struct json_paths *paths;
    struct registry *registry;
    struct schema_version **version; /* n versions, by ascending id */
    struct schema_version *last;     /* version found last */
    uint32_t n, cap;
    struct unknown {
        uint32_t id;
        bool set;
        uint64_t until; /* time until which the id is not looked for, monotonic ns */
        char why[SCHEMAS_WHY];
    } * unknown; /* table of SCHEMAS_UNKNOWN */
};

void schemas_check(const struct schemas_cfg *, struct leat_diag *);

/* Reads the file, or all schemas of the folder. `schemas` must be zeroed before. Returns LEAT_OK,
 * or a failure reported to the host. */
int schemas_open(struct leat_ctx *, const struct schemas_cfg *, const struct json_paths *,
                 struct schemas *);
void schemas_close(struct leat_ctx *, struct schemas *);

/* Finds the schema with this number. If it is unknown, returns LEAT_OK with *version NULL and the
 * reason in *why. If the run must end, returns a failure, reported to the host. */
int schemas_find(struct leat_ctx *, struct schemas *, uint32_t id, struct schema_version **version,
                 const char **why);

#endif
