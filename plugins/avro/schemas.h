/* schemas.h -- finds the schema that a record was written with.
 *
 *   schema = FILE      all records, whatever number is before them
 *   schemas = FOLDER   the number of a record names FOLDER/NUMBER.avsc; later files are found, too
 *   registry = URL     the Schema Registry there knows the number
 *
 * A schema is stored once read, with its plan for the paths (kernels/avro/avro.h). After a vain
 * search a number is not looked for again during RETRY_NS. */
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

/* A schema, with a lane's data for it. */
struct schema_version {
    uint32_t id;
    struct avro_schema *schema;
    struct avro_plan *plan;
    struct leat_str *symbol; /* place of each symbol in the batch of symbol_call */
    uint64_t *symbol_call;   /* number of that call of process */
};

enum { SCHEMAS_MAX = 4096, SCHEMAS_UNKNOWN = 64, SCHEMAS_WHY = 600 };

struct schemas {
    const struct schemas_cfg *cfg;
    const struct json_paths *paths;
    struct registry *registry;
    struct schema_version **version; /* n of them, by ascending id */
    struct schema_version *last;     /* last one found */
    uint32_t n, cap;
    struct unknown {
        uint32_t id;
        bool set;
        uint64_t until; /* end of the wait, monotonic ns */
        char why[SCHEMAS_WHY];
    } * unknown; /* SCHEMAS_UNKNOWN */
};

void schemas_check(const struct schemas_cfg *, struct leat_diag *);

/* Reads the file, or all schemas of the folder. `schemas` must be zero before. Reports a
 * failure. */
int schemas_open(struct leat_ctx *, const struct schemas_cfg *, const struct json_paths *,
                 struct schemas *);
void schemas_close(struct leat_ctx *, struct schemas *);

/* Finds the schema with this number. Returns LEAT_OK with *version NULL if it is unknown; *why has
 * the reason. Returns a failure, after a report, if the run must end. */
int schemas_find(struct leat_ctx *, struct schemas *, uint32_t id, struct schema_version **version,
                 const char **why);

#endif
