/* fuzz_snapshot.c -- any bytes as a snapshot with right checksums, and its sections as states.
 *
 * No read is out of bounds, whatever the lengths are.
 *
 * sources: runtime/host/store/{snapshot,crc32c,odirect_file,state_reader,state_codec,zero_blocks}.c
 */
#include "core/le.h"
#include "fuzz.h"
#include "host/store/crc32c.h"
#include "host/store/snapshot.h"
#include "host/store/state_codec.h"

enum { HEADER = 64, HEAD = 20 };

/* Writes the checksums like a forger, as far as the lengths lead. */
static void sign(unsigned char *p, size_t n)
{
    memcpy(p, "leatSNAP", 8);
    le_put(p + 8, SNAPSHOT_FORMAT, 4);
    le_put(p + 24, n, 8);
    le_put(p + 32, crc32c(0, p, 32), 4);
    memset(p + 36, 0, HEADER - 36);
    for (size_t at = HEADER; at + HEAD <= n;) {
        uint64_t len = le_get(p + at, 4) % 300, bytes = le_get(p + at + 8, 8);
        if (len > n - at - HEAD) return;
        size_t payload = at + ((HEAD + len + 63) & ~(size_t)63);
        if (payload <= n && bytes <= n - payload) {
            if (bytes >= 8) le_put(p + payload + bytes - 8, state_checksum(p + payload, bytes), 8);
            le_put(p + at + 4, crc32c(0, p + payload, bytes), 4);
        }
        le_put(p + at + 16, crc32c(crc32c(0, p + at, 16), p + at + HEAD, len), 4);
        if (payload > n || bytes > n - payload) return;
        at = payload + ((bytes + 63) & ~(uint64_t)63);
    }
}

static void read_state(const struct snapshot_section *s)
{
    static struct state_reader r;
    if (state_reader_init(&r, s->bytes, s->n) == LEAT_OK) {
        const void *v;
        const char *text;
        uint64_t n, sum = state_reader_bytes(&r);
        for (uint32_t i = 0; i < r.n_fields && sum < 1u << 24; i++) {
            char name[STATE_MAX_NAME + 1] = "";
            memcpy(name, r.field[i].name, r.field[i].name_len);
            if (r.base.text(&r.base, name, UINT64_MAX, &text, &n) == LEAT_OK)
                must(strlen(text) == n);
            r.base.array_up_to(&r.base, name, r.field[i].element, UINT64_MAX, &v, &n);
        }
    }
    state_reader_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct snapshot s;
    if (size < 2) return 0;
    int forged = data[0] & 1;
    unsigned char *exact = exactly(data + 1, size - 1);
    if (forged && size - 1 >= HEADER) sign(exact, size - 1);
    if (snapshot_parse(&s, exact, size - 1) == LEAT_OK)
        for (uint32_t i = 0; i < s.n; i++)
            read_state(&s.section[i]);
    snapshot_free(&s);
    return 0;
}
