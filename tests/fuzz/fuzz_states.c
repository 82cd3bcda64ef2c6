/* fuzz_states.c -- any messages on a topic of states, with right hashes.
 *
 * No read is out of bounds, and memory is only taken for parts that arrived.
 *
 * sources:
 */
#include "fuzz.h"
#include "kafka/states/states.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct states s = {0};
    char key[STATES_KEY];
    for (size_t at = 0; size - at > STATES_HEADER + 2;) {
        size_t n = STATES_HEADER + 1 + data[at] % 64, left = size - at - 2;
        unsigned char value[STATES_HEADER + 64];
        uint32_t which;
        if (n > left) n = left;
        memcpy(value, data + at + 2, n);
        memcpy(value, MAGIC, sizeof MAGIC);
        le_put(value + 4, STATES_FORMAT, 4);
        le_put(value + CHECKED, part_hash(value, value + STATES_HEADER, n - STATES_HEADER), 8);
        size_t len = states_key(key, data[at + 1] & 1 ? "a" : "b", data[at + 1] >> 1 & 1,
                                (uint32_t)le_get(value + 8, 4));
        states_take(&s, key, len, data[at + 1] > 250 ? NULL : value, n, &which);
        at += 2 + n;
    }
    states_free(&s);
    return 0;
}
