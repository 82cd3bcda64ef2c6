/* fuzz_libffm.c -- any bytes as a libffm record.
 *
 * No read is out of bounds. The answer equals the naive reader's, except for a NUL, which that
 * reader does not know.
 *
 * The first byte of the input is the room for entries.
 *
 * sources: plugins/kernels/text/{sparse_text,plain_entries,decimal}.c
 *   plugins/kernels/base/feature_id.c
 */
#include "fuzz.h"
#include "support/naive_libffm.h"

static struct naive_libffm expect;
static uint64_t id[256];
static float value[256];

static void take_name(void *self, size_t entry, const char *name, size_t len)
{
    must(self == id && entry < 256 && len >= 3 && memchr(name, ':', len) != NULL);
}

static void compare(enum libffm_status s, const char *record, size_t len,
                    const struct libffm_row *row)
{
    naive_libffm_parse(record, len, row->cap, &expect);
    must(s == expect.status);
    if (s == LIBFFM_OK) {
        must(row->n == expect.n && row->label == expect.label);
        for (size_t i = 0; i < row->n; i++)
            must(id[i] == libffm_id(expect.field[i], expect.index[i]) &&
                 !memcmp(&value[i], &expect.value[i], sizeof *value));
    } else if (s != LIBFFM_NOTHING) {
        must((size_t)(row->at - record) == expect.at && expect.at + row->at_len <= len);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > NAIVE_LIBFFM_MAX) return 0;
    char *record = exactly(data + 1, size - 1);
    struct libffm_row row = {
        .id = id, .value = value, .cap = data[0], .self = id, .name = take_name};
    enum libffm_status s = libffm_parse(record, record + size - 1, &row);
    if (!memchr(record, 0, size - 1)) compare(s, record, size - 1, &row);
    free(record);
    return 0;
}
