/* bounds.c -- adds up bounds without overflow. */
#include "bounds.h"

static void add_of_bounds(uint32_t *sum, uint64_t n)
{
    *sum = n > UINT32_MAX - *sum ? UINT32_MAX : *sum + (uint32_t)n;
}

/* Adds the bounds of a stage that makes entries from text. The text that reaches the stage is the
 * source's text, the copies that earlier stages append, and the bytes that they add per record. */
static void add_entries_of_text(struct leat_schema *out, const struct leat_schema *in,
                                uint32_t per_256_bytes)
{
    uint64_t rate = per_256_bytes;
    add_of_bounds(&out->entries_per_256_bytes, rate * (UINT64_C(1) + in->copies_text));
    uint64_t added = (rate * in->added_bytes_per_record + 255) / 256;
    add_of_bounds(&out->entries_per_record, added);
    add_of_bounds(&out->parts_per_record, added);
}

void bounds_add(struct leat_schema *out, const struct leat_schema *in,
                const struct leat_bounds *made)
{
    uint64_t copies = made->copies_entries;
    add_of_bounds(&out->examples_per_record, made->examples_per_record);
    add_of_bounds(&out->entries_per_record,
                  made->entries_per_record + copies * in->entries_per_record);
    add_of_bounds(&out->entries_per_256_bytes, copies * in->entries_per_256_bytes);
    add_of_bounds(&out->parts_per_record, made->parts_per_record);
    add_entries_of_text(out, in, made->entries_per_256_bytes);
    add_of_bounds(&out->added_bytes_per_record, made->added_bytes_per_record);
    add_of_bounds(&out->copies_text, made->copies_text);
    add_of_bounds(&out->added_names, made->added_names);
    add_of_bounds(&out->extents, made->extents);
}
