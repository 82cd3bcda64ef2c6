/* plain_entries.h -- reads entries of libsvm text in their usual forms, several at once
 *
 *   entry  = index ":" value, ended by a blank or by the end of the record
 *   index  = 1 to 7 digits
 *   value  = [ "-" ] digit "." 1 to 6 digits | 1 to 7 digits
 *
 *   example   7180:0.084506   12:-0.5   3:1
 *
 * An entry in another form is left to the caller. Which longer numbers are read here depends on the
 * machine; their values do not. */
#ifndef LEAT_KERNELS_TEXT_PLAIN_ENTRIES_H
#define LEAT_KERNELS_TEXT_PLAIN_ENTRIES_H

#include <stddef.h>
#include <stdint.h>

/* Room for entries: arrays of cap elements, of which n are in use. */
struct plain_room {
    uint64_t *id;
    float *value;
    size_t n, cap;
};

/* An entry is read only if so many bytes after its start are readable. The last one of a record may
 * be left to the caller if no line end follows. */
#define PLAIN_ENTRIES_BYTES 88

/* Reads plain entries from p on, each separated from the next by one blank, and adds them to the
 * room. Returns the start of the first entry that is not plain or has no room; `end` if there is
 * none. May read bytes between `end` and `limit`, but they do not affect the result. */
const char *plain_entries(const char *p, const char *end, const char *limit,
                          struct plain_room *room);

/* The reader for every machine, which plain_entries() replaces where vectors have byte
 * permutations. */
const char *plain_entries_portable(const char *p, const char *end, const char *limit,
                                   struct plain_room *room);

#endif
