/* json_names.h -- the paths of the values in a JSON object, as a column is written (json_path.h).
 *
 *   {"http": {"status": 404}, "tags": ["x", "y"], "a.b": []}     http.status, tags[*]
 *
 * Of an array the first element stands for all: it is [*]. What has no value, as "a.b" here, has no
 * path. Paths longer than JSON_NAME_BYTES are left out, with all that is within them; that bounds
 * the depth, too. */
#ifndef LEAT_KERNELS_TEXT_JSON_NAMES_H
#define LEAT_KERNELS_TEXT_JSON_NAMES_H

#include "json.h"

enum { JSON_NAME_BYTES = 240 };

/* What json_names calls for each path, which is not ended by NUL. */
typedef void json_name(void *to, const char *path, uint32_t n);

/* Of a text that json_read has found right. */
void json_names(const struct json_text *, json_name *, void *to);

#endif
