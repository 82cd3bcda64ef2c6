/* state_codec_inside.h -- layout of the format, shared only by state_codec.c and state_reader.c. */
#ifndef LEAT_HOST_STORE_STATE_CODEC_INSIDE_H
#define LEAT_HOST_STORE_STATE_CODEC_INSIDE_H

#include <stdint.h>

#include "core/le.h"
#include "state_codec.h"

extern const char STATE_MAGIC[8];

enum { HEADER = 32, FIELD = 16, CHECKSUM = 8, PAD = 8 };
enum { AT_FORMAT = 8, AT_VERSION = 12, AT_BYTES = 16, AT_FIELDS = 24, AT_NAME_LEN = 28 };
enum { NUMBER = 0, ARRAY = 1, SPARSE = 2, TEXT = 3 };
enum { FIELD_ELEMENT = 0, FIELD_FORM = 2, FIELD_NAME_LEN = 4, FIELD_COUNT = 8 };

static inline size_t pad_to(size_t n, size_t align) { return (n + align - 1) & ~(align - 1); }

/* Returns the offset of a field's payload. The field starts at `start` and has the given form. */
static inline size_t payload_at(size_t start, size_t name_len, uint64_t form)
{
    return pad_to(start + FIELD + name_len, form == NUMBER || form == TEXT ? PAD : STATE_ALIGN);
}

/* Bytes of one element; 0 if the type is unknown. */
size_t state_element_size(uint32_t element);

#endif
