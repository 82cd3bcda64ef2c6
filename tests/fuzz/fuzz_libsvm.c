/* fuzz_libsvm.c -- any bytes as a libsvm record.
 *
 * No read is out of bounds. The answer equals the naive reader's, except for a NUL, which that
 * reader does not know.
 *
 * The first byte of the input has the choices. Bit 0: names. Bits 1 … 4: room for entries. Bit 5:
 * the tail of the input lies behind the record, readable but not part of it.
 *
 * sources: plugins/kernels/text/{sparse_text,plain_entries,decimal}.c
 *   plugins/kernels/base/feature_id.c
 */
#include "fuzz.h"
#include "support/naive_libsvm.h"

#define ENTRIES 64

static struct naive expect;
static uint64_t id[ENTRIES];
static float value[ENTRIES];
static uint8_t named[ENTRIES];

static void take_name(void *self, size_t entry, const char *name, size_t len)
{
    must(self == named && entry < ENTRIES && len > 0 && name != NULL);
    must(id[entry] == XXH3_64bits(name, len));
    named[entry] = 1;
}

static void same(const char *record, const struct libsvm_row *row)
{
    must(row->n == expect.n);
    must(row->label == expect.label);
    must(row->qid_len == strlen(expect.qid) &&
         !memcmp(row->qid_len ? row->qid : record, expect.qid, row->qid_len));
    for (size_t i = 0; i < row->n; i++)
        must(id[i] == expect.id[i] && !memcmp(&value[i], &expect.value[i], sizeof *value) &&
             named[i] == expect.named[i]);
}

static void compare(enum libsvm_status s, const char *record, size_t len, int names, size_t cap,
                    const struct libsvm_row *row)
{
    naive_parse(record, len, names, cap, &expect);
    must(s == expect.status);
    if (s == LIBSVM_OK)
        same(record, row);
    else if (s != LIBSVM_NOTHING)
        must((size_t)(row->at - record) == expect.at && expect.at + row->at_len <= len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > NAIVE_MAX) return 0;
    int names = data[0] & 1;
    size_t room = data[0] >> 1 & 15, cap = room ? room * 4 : 1, n = size - 1;
    size_t len = data[0] & 32 ? n / 2 : n;
    char *record = exactly(data + 1, n);
    memset(named, 0, sizeof named);
    struct libsvm_row row = {
        .id = id, .value = value, .cap = cap, .self = named, .name = names ? take_name : NULL};
    enum libsvm_status s = libsvm_parse(record, record + len, record + n, &row);
    if (!memchr(record, 0, len)) compare(s, record, len, names, cap, &row);
    free(record);
    return 0;
}
