/* schemas.h -- finds the schema with which a record was written.
 *
 *   schema = FILE      schema of all records; the number or GUID of a record is ignored
 *   schemas = FOLDER   FOLDER/NUMBER.avsc or FOLDER/GUID.avsc has the schema; files that are added
 *                      later are found, too
 *   registry = URL     the Schema Registry at URL has the schema with the record's number or GUID
 *
 * A schema that was read is kept, with its plan for the paths (kernels/avro/avro.h). When
 * SCHEMAS_MAX are kept, the one that was used longest ago makes room. If a schema is not found, it
 * is not looked for again during RETRY_NS. */
#ifndef LEAT_AVRO_SCHEMAS_H
#define LEAT_AVRO_SCHEMAS_H

#include <stddef.h>
#include <stdint.h>

#include <leat/plugin.h>

#include "kernels/avro/avro.h"
#include "common/registry/framing.h"
#include "common/registry/registry.h"

struct schemas_cfg {
    const char *file, *folder;
    struct registry_cfg registry;
};

/* A schema, and data that a lane keeps for it. */
struct schema_version {
    struct schema_key key;
    uint64_t used; /* value of schemas.uses when it was last found */
    uint64_t fingerprint;
    uint64_t text; /* hash of the schema's text */
    bool several;  /* schemas with other texts have the same fingerprint */
    struct avro_schema *schema;
    struct avro_plan *plan;
    struct leat_str *symbol; /* text of each symbol in the batch of symbol_call */
    uint64_t *symbol_call;   /* for each symbol: number of the call of process() that appended it */
};

enum { SCHEMAS_MAX = 4096, SCHEMAS_UNKNOWN = 2048, SCHEMAS_SLOTS = 2 * SCHEMAS_UNKNOWN };
enum { SCHEMAS_WHY = 600, SCHEMAS_KEPT_WHY = 160 };

/* A schema that was not found. */
struct unknown {
    struct schema_key key;
    uint64_t until; /* time until which it is not looked for, monotonic ns; 0: free slot */
    char why[SCHEMAS_KEPT_WHY];
};

struct schemas {
    const struct schemas_cfg *cfg;
    const struct json_paths *paths;
    struct registry *registry;
    struct schema_version **version; /* n versions, by ascending key */
    struct schema_version *last;     /* version found last */
    uint32_t n, cap;
    uint64_t uses;
    struct unknown *unknown; /* SCHEMAS_SLOTS; emptied when SCHEMAS_UNKNOWN are used */
    uint32_t n_unknown;
};

void schemas_check(const struct schemas_cfg *, struct leat_diag *);

/* Reads the file, or all schemas of the folder. `schemas` must be zeroed before. Returns LEAT_OK,
 * or a failure reported to the host. */
int schemas_open(struct leat_ctx *, const struct schemas_cfg *, const struct json_paths *,
                 struct schemas *);
void schemas_close(struct leat_ctx *, struct schemas *);

/* Finds the schema with this key. If it is unknown, returns LEAT_OK with *version NULL and the
 * reason in *why. If the run must end, returns a failure, reported to the host. */
int schemas_find(struct leat_ctx *, struct schemas *, const struct schema_key *key,
                 struct schema_version **version, const char **why);

/* Finds a schema of a file with this fingerprint. Returns NULL if there is none. If `several` is
 * true of it, the bytes may have another meaning: a fingerprint leaves out logical types, scales
 * and defaults. */
struct schema_version *schemas_find_fingerprint(struct schemas *, uint64_t fingerprint);

#endif
