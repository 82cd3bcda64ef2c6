/* cells.h -- cells of any type: slices of the batch's text, or values of at most 8 bytes. */
#ifndef LEAT_COMMON_CELLS_CELLS_H
#define LEAT_COMMON_CELLS_CELLS_H

#include <stdbool.h>
#include <string.h>

#include <leat/plugin.h>

#include "core/time/utc.h"
#include "core/report/text_out.h"

static inline bool cells_are_slices(uint32_t type)
{
    return type == LEAT_TEXT || type == LEAT_BYTES;
}

/* Return and set the cell of record r as 8 bytes. Not for columns of slices. */
static inline uint64_t cells_get(union leat_cells cells, uint32_t type, uint32_t r)
{
    uint64_t bits;
    if (type == LEAT_BOOLEAN) return cells.boolean[r];
    memcpy(&bits, &cells.int64[r], sizeof bits);
    return bits;
}

static inline void cells_set(union leat_cells cells, uint32_t type, uint32_t r, uint64_t bits)
{
    if (type == LEAT_BOOLEAN)
        cells.boolean[r] = (uint8_t)bits;
    else
        memcpy(&cells.int64[r], &bits, sizeof bits);
}

static inline bool cells_have(union leat_cells cells, uint32_t type, uint32_t r)
{
    if (cells_are_slices(type)) return cells.text[r].len != LEAT_NULL;
    if (type == LEAT_NUMBER) return !isnan(cells.number[r]);
    if (type == LEAT_BOOLEAN) return cells.boolean[r] != LEAT_NO_BOOLEAN;
    return cells.int64[r] != LEAT_NO_INT64; /* equals LEAT_NO_TIME */
}

/* Writes a cell as text. Not for columns of slices. */
static inline void cells_write(struct text_out *o, union leat_cells cells, uint32_t type,
                               uint32_t r)
{
    char time[UTC_TEXT];
    if (type == LEAT_NUMBER)
        text_double(o, cells.number[r]);
    else if (type == LEAT_BOOLEAN)
        text_str(o, cells.boolean[r] ? "true" : "false");
    else if (type == LEAT_TIME)
        text_bytes(o, time, utc_write(time, cells.int64[r]));
    else
        text_int(o, cells.int64[r]);
}

#endif
