/* fuzz_vw.c -- any bytes as a record of VW's text.
 *
 * No read is out of bounds. The answer equals the naive reader's, except for a NUL, which that
 * reader does not know.
 *
 * The first byte of the input has the choices. Bits 0 … 3: room for entries. Bit 4: the tail of the
 * input lies behind the record, readable but not part of it.
 *
 * sources: plugins/kernels/text/{sparse_text,plain_entries,decimal}.c
 *   plugins/kernels/base/feature_id.c
 */
#include <stdio.h>

#include "fuzz.h"
#include "support/naive_vw.h"

#define ENTRIES 64

static struct naive_vw expect;
static uint64_t id[ENTRIES];
static float value[ENTRIES];
static uint8_t named[ENTRIES];

static void take_name(void *self, size_t entry, struct vw_text space, struct vw_text name)
{
    must(self == named && entry < ENTRIES && name.len > 0);
    must(id[entry] ==
         (space.len ? XXH3_64bits_withSeed(name.at, name.len, XXH3_64bits(space.at, space.len))
                    : XXH3_64bits(name.at, name.len)));
    named[entry] = 1;
}

static void same(const struct vw_row *row)
{
    must(row->n == expect.n && row->has_label == expect.has_label);
    must(!row->has_label || row->label == expect.label);
    must(row->importance == expect.importance && row->base == expect.base);
    must(row->tag.len == strlen(expect.tag) && !memcmp(row->tag.at, expect.tag, row->tag.len));
    for (size_t i = 0; i < row->n; i++)
        must(id[i] == expect.id[i] && !memcmp(&value[i], &expect.value[i], sizeof *value) &&
             named[i] == (expect.name[i][0] != 0));
}

static void compare(enum vw_status s, const char *record, size_t len, const struct vw_row *row)
{
    naive_vw_parse(record, len, row->cap, &expect);
    must(s == expect.status);
    if (s == VW_OK)
        same(row);
    else if (s != VW_NOTHING)
        must((size_t)(row->wrong.at - record) == expect.at && expect.at + row->wrong.len <= len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > NAIVE_VW_MAX) return 0;
    size_t room = data[0] & 15, n = size - 1, len = data[0] & 16 ? n / 2 : n;
    char *record = exactly(data + 1, n);
    memset(named, 0, sizeof named);
    struct vw_row row = {
        .id = id, .value = value, .cap = room ? room * 4 : 1, .self = named, .name = take_name};
    enum vw_status s = vw_parse(record, record + len, record + n, &row);
    if (!memchr(record, 0, len)) compare(s, record, len, &row);
    free(record);
    return 0;
}
