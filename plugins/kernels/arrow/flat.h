/* flat.h -- reads tables of FlatBuffers, the metadata of Arrow, with every place checked
 *
 *   table    distance back to its vtable, 4 bytes | fields
 *   vtable   its bytes, 2 | bytes of the table, 2 | place of each field in the table, 2; 0: default
 *   vector   number of elements, 4 | elements; a string is one of bytes
 *
 * A place is an offset in the buffer; 0 means that a field is not there. A place outside of the
 * buffer sets `wrong`, and 0 is read. */
#ifndef LEAT_KERNELS_ARROW_FLAT_H
#define LEAT_KERNELS_ARROW_FLAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/le.h"

struct flat {
    const uint8_t *p;
    uint64_t n;
    bool wrong;
};

/* Reads a number of `size` bytes. */
static inline uint64_t flat_number(struct flat *f, uint64_t at, size_t size)
{
    if (f->n < size || at > f->n - size) {
        f->wrong = true;
        return 0;
    }
    return le_get(f->p + at, size);
}

/* Returns the place of field i of a table. */
static inline uint64_t flat_field(struct flat *f, uint64_t table, unsigned i)
{
    if (!table) return 0;
    const uint64_t vtable = table - (uint64_t)(int64_t)(int32_t)flat_number(f, table, 4);
    if (4 + 2 * (uint64_t)i + 2 > flat_number(f, vtable, 2)) return 0;
    const uint64_t at = flat_number(f, vtable + 4 + 2 * (uint64_t)i, 2);
    return at ? table + at : 0;
}

/* Reads field i, a number of `size` bytes. */
static inline uint64_t flat_get(struct flat *f, uint64_t table, unsigned i, size_t size,
                                uint64_t otherwise)
{
    const uint64_t at = flat_field(f, table, i);
    return at ? flat_number(f, at, size) : otherwise;
}

/* Returns the place of the table in field i; 0 if there is none. */
static inline uint64_t flat_table(struct flat *f, uint64_t table, unsigned i)
{
    const uint64_t at = flat_field(f, table, i);
    return at ? at + flat_number(f, at, 4) : 0;
}

/* Returns the place of the elements of the vector in field i, and sets *n to their number. */
static inline uint64_t flat_vector(struct flat *f, uint64_t table, unsigned i, size_t size,
                                   uint64_t *n)
{
    const uint64_t at = flat_table(f, table, i);
    *n = at ? flat_number(f, at, 4) : 0;
    if (!*n || *n <= (f->n - at - 4) / size) return at + 4;
    f->wrong = true;
    *n = 0;
    return 0;
}

#endif
