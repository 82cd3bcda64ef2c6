/* fit_binding.h -- which column belongs to which field of a schema.
 *
 * A column belongs to the field with its name. A field of a record in a record has the names of
 * both, with a point between them: "user.id". Each fault is a sentence for `say`: a column without
 * a field, and a field that needs a column. */
#ifndef LEAT_KERNELS_ENCODE_FIT_BINDING_H
#define LEAT_KERNELS_ENCODE_FIT_BINDING_H

#include "fit.h"

/* Takes faults of a schema, or of columns that do not fit it. */
struct fit_faults {
    void (*say)(void *to, const char *text);
    void *to;
    uint32_t n; /* number of faults so far */
};

void fit_fault(struct fit_faults *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void fit_no_memory(struct fit_faults *);

#define FIT_NO_COLUMN UINT32_MAX

struct fit_binding {
    const struct fit_column *column;
    uint32_t n;
    bool *used;  /* [n] */
    char **path; /* paths of all fields that were looked for; they live as long as the binding */
    uint32_t n_paths, cap;
    struct fit_faults *faults; /* only while the columns are bound */
};

/* The columns must outlive the binding. Returns false if there is not enough memory. */
bool fit_binding_open(struct fit_binding *, const struct fit_column *, uint32_t n,
                      struct fit_faults *);
void fit_binding_close(struct fit_binding *);

/* Returns the path of field `name` in the record at `outer`, "" for the whole record. Returns NULL
 * if there is not enough memory. */
const char *fit_path(struct fit_binding *, const char *outer, const char *name);
/* Returns the column of the field, FIT_NO_COLUMN if it has none. */
uint32_t fit_bind(struct fit_binding *, const char *path);
/* True if a column belongs to a field inside this one. */
bool fit_binds_inside(const struct fit_binding *, const char *path);

/* Says that the field needs a column. `why` ends the sentence: "and no default". */
void fit_refuse_field(struct fit_binding *, const char *path, const char *type, const char *why);
/* Says that the type of the field takes no values of the column. */
void fit_refuse_type(struct fit_binding *, uint32_t column, const char *path, const char *type);
/* Names each column that belongs to no field. */
void fit_check_columns(struct fit_binding *);

#endif
