/* field_paths.h -- the paths of the values that a schema has, for support/paths/path_names.h.
 *
 *   record { record { string id } user; array<int> tags; map<int> counts }     user.id, tags[*]
 *
 * The keys of a map are not in the schema, so what is within one has no path. */
#ifndef LEAT_AVRO_FIELD_PATHS_H
#define LEAT_AVRO_FIELD_PATHS_H

#include "kernels/avro/avro_schema.h"
#include "common/paths/path_names.h"

void field_paths_note(const struct avro_schema *, struct path_names *);

#endif
