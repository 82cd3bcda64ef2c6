/* read_checked.c -- implementation of read_checked.h. */
#include "read_checked.h"

#include <leat/status.h>

int read_checked_count(struct leat_reader *r, const char *name, uint64_t *v)
{
    int status = r->u64(r, name, v);
    if (status != LEAT_OK || *v <= READ_CHECKED_COUNT) return status;
    return r->refuse(r, "%s is %llu; it must be 0 to %llu", name, (unsigned long long)*v,
                     (unsigned long long)READ_CHECKED_COUNT);
}

int read_checked_f64(struct leat_reader *r, const char *name, double min, double max, double *v)
{
    int status = r->f64(r, name, v);
    if (status != LEAT_OK || (*v >= min && *v <= max)) return status;
    return r->refuse(r, "%s is %g; it must be %g to %g", name, *v, min, max);
}

int read_checked_array(struct leat_reader *r, const char *name, uint64_t n, double min, double max,
                       const double **v)
{
    const void *read;
    int status = r->array(r, name, LEAT_F64, n, &read);
    if (status != LEAT_OK) return status;
    *v = read;
    for (uint64_t i = 0; i < n; i++)
        if (!((*v)[i] >= min && (*v)[i] <= max))
            return r->refuse(r, "%s[%llu] is %g; it must be %g to %g", name, (unsigned long long)i,
                             (*v)[i], min, max);
    return LEAT_OK;
}
