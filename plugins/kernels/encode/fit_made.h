/* fit_made.h -- makes the text of a schema of columns, in which "a.b" is field b of a record a.
 *
 *   columns   user.id (texts), n (whole numbers), user.x (numbers)
 *   schema    record R { record R.user { text id; number x } user; whole number n }
 *
 * A language of schemas is a table of what stands around names and types. */
#ifndef LEAT_KERNELS_ENCODE_FIT_MADE_H
#define LEAT_KERNELS_ENCODE_FIT_MADE_H

#include <stdio.h>

#include "fit_binding.h"

/* Text before and behind a name or a type. */
struct fit_around {
    const char *before, *behind;
};

struct fit_language {
    const char *type[FIT_KINDS];
    struct fit_around record, field, value; /* around the name of a record, of a field, a type */
    const char *record_end, *field_end;
    void (*write)(FILE *, const char *name, size_t n); /* writes the name of a field */
    /* True if the n bytes may be the name of a field. */
    bool (*is_name)(const char *name, size_t n);
    /* Language for messages, which demands this of names; NULL: a column is one field with its
     * whole name if a part of it is no name. */
    const char *demands;
};

/* Returns the text of a schema with the record `name`, which the caller frees. Returns NULL after
 * faults. */
char *fit_schema_made(const struct fit_language *, const struct fit_column *, uint32_t n,
                      const char *name, struct fit_faults *);

#endif
