/* container_open.h -- the open messages of parse.container, by id and by age.
 *
 * A message has a slot. A list links the messages from the oldest to the newest, another one the
 * free slots. Each message is also in the chain of its id's hash:
 *
 *   head    1  .  4  .       1 + first slot of the chain; 0: empty. The chain of an id starts at
 *                            mix64(id) mod heads, and goes on by `chain`.
 *
 * Find, add and remove take constant time on average and allocate nothing. */
#ifndef LEAT_JSON_CONTAINER_OPEN_H
#define LEAT_JSON_CONTAINER_OPEN_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/text/part_texts.h"

#define CONTAINER_NONE UINT32_MAX

/* An open message. All numbers but the last three are in a snapshot, in this order. */
struct container_open {
    uint64_t id;               /* of its container and stream                         */
    uint64_t input;            /* id of the input's name, which rotation changes      */
    int64_t time;              /* of its last part, in ns; TIME_NONE                  */
    int64_t timestamp;         /* event time of its first part                        */
    uint64_t offset, line;     /* place of its first part                             */
    uint64_t name, key;        /* lengths: with a NUL; LEAT_NULL: no key              */
    uint64_t at_time, at_text; /* lengths of time and stream; LEAT_NULL: none         */
    struct part_text text;
    uint32_t newer, older; /* slots; CONTAINER_NONE at the ends, and in `newer` of the last free */
    uint32_t chain;        /* next slot of the chain; CONTAINER_NONE: the last one */
};

struct container_opens {
    struct container_open *slot;
    uint32_t *head;
    uint32_t heads; /* a power of two, at most the number of slots */
    uint32_t n, oldest, newest, free;
};

/* Returns the bytes for this many messages. */
uint64_t container_opens_bytes(uint32_t slots);
/* Makes an empty table. `memory` has container_opens_bytes(), aligned to 8. */
void container_opens_init(struct container_opens *t, void *memory, uint32_t slots);

/* Returns the message with this id; NULL if there is none. */
struct container_open *container_opens_find(const struct container_opens *t, uint64_t id);
/* Returns the oldest message; NULL if there is none. */
struct container_open *container_opens_oldest(const struct container_opens *t);
/* Returns the next newer message; NULL if there is none. */
struct container_open *container_opens_next(const struct container_opens *t,
                                            const struct container_open *m);
/* Adds a copy of the message as the newest one. There is a free slot. */
struct container_open *container_opens_add(struct container_opens *t,
                                           const struct container_open *m);
void container_opens_remove(struct container_opens *t, struct container_open *m);

#endif
