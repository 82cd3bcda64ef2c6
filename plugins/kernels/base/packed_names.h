/* packed_names.h -- texts of any length for slots that change their features, in a fixed number of
 * bytes: for models that keep short names of many features, most of them for a short time.
 *
 *   at     slot 0: 1 + its place in bytes | slot 1: 0, no name | ...        4 bytes a slot
 *   bytes  slot | length | text || slot | length | text || ... free
 *
 * A name that is replaced stays where it is until the bytes are full; then those that are still in
 * use move together, in their order, so what is kept depends only on the calls. A name that does
 * not fit even then is dropped and counted; its slot has none.
 */
#ifndef LEAT_KERNELS_BASE_PACKED_NAMES_H
#define LEAT_KERNELS_BASE_PACKED_NAMES_H

#include <stddef.h>
#include <stdint.h>

enum { PACKED_NAMES_HEAD = 6 }; /* bytes of a name besides its text */

struct packed_names {
    uint32_t slots, max_bytes; /* of a name: it is cut as name_cut does it */
    uint32_t cap, used;        /* bytes                                    */
    uint32_t *at;              /* slots: 1 + place; 0: none                */
    char *bytes;               /* cap                                      */
    uint64_t dropped;
};

size_t packed_names_block_bytes(uint32_t slots, uint32_t cap);
/* block: zeroed, aligned to 4. max_bytes: NAMES_MIN_BYTES .. NAMES_MAX_BYTES. */
void packed_names_init(struct packed_names *n, uint32_t slots, uint32_t max_bytes, uint32_t cap,
                       void *block);
/* text NULL or len 0: the slot has no name any more. O(1), and O(cap) where they move together. */
void packed_names_set(struct packed_names *n, uint32_t slot, const char *text, size_t len);
/* The name of a slot: *len bytes without a NUL; length 0: none. */
const char *packed_names_get(const struct packed_names *n, uint32_t slot, size_t *len);

#endif
