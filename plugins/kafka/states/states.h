/* states.h -- the states of partitions as records of a topic, and back.
 *
 * A state and the offset of the next message are in one record, so each is a consistent cut of its
 * partition by itself: whichever of them a reader finds, going on from it is exact. Of several the
 * one with the largest offset is the state. Longer states are in numbered parts, records of their
 * own; a set of parts that is not whole, or not of one state, is no state.
 *
 *   key     pipeline TAB group TAB topic TAB partition TAB slot . part
 *   value   4 bytes  "leSt"
 *           4        format, 1
 *           4, 4     number of this part, from 0; of parts
 *           8        offset of the next message
 *           8        checkpoint of the run that wrote it
 *           8        bytes of the whole state
 *           8        XXH3 (64 bits, seed 0) of the whole state
 *           8        XXH3 of the part, seeded with that of the 48 bytes before
 *           then the part's bytes
 *
 * Numbers are little endian. A compacted topic keeps the last record of each key, so a state in
 * parts is written to the slot, 0 or 1, in which the last whole one is not: a writer that dies
 * between two parts has spoilt nothing. A record without a value takes its key's state away.
 *
 * No Kafka here: bytes in, states out.
 */
#ifndef LEAT_KAFKA_STATES_STATES_H
#define LEAT_KAFKA_STATES_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STATES_FORMAT = 1, STATES_HEADER = 56, STATES_KEY = 1200, STATES_SLOTS = 2 };

/* One record's header. */
struct states_header {
    uint32_t part, parts;
    int64_t next;
    uint64_t checkpoint, bytes, hash;
};

uint64_t states_hash(const void *state, size_t n);
/* The header of a part of n bytes. */
void states_put_header(unsigned char out[STATES_HEADER], const struct states_header *h,
                       const void *part, size_t n);

/* A state on its way out, in records with at most `most` bytes of it. */
struct states_out {
    const char *name;
    const unsigned char *state;
    size_t most;
    uint32_t slot;
    struct states_header next; /* of the record that is next */
};
/* The one before it lies in slot `last`; all is lent. */
void states_begin(struct states_out *o, const char *name, uint32_t last, int64_t next,
                  uint64_t checkpoint, const void *state, size_t n, size_t most);
/* The next record, its value with room for STATES_HEADER + most; false: that was all. */
bool states_next(struct states_out *o, char key[STATES_KEY], size_t *key_len, void *value,
                 size_t *value_len);
/* Where a state of n bytes goes: one that is in parts not where the last one lies whole. */
uint32_t states_slot(uint32_t last, size_t n, size_t most);
/* All records of a name are in one of the topic's partitions: read in the order they were written.
 */
int32_t states_partition(const char *name, int32_t partitions);

/* "pipeline TAB group TAB topic TAB partition"; its length, or 0: longer than STATES_KEY. */
size_t states_name(char out[STATES_KEY], const char *pipeline, const char *group, const char *topic,
                   int32_t partition);
/* The same with slot and part behind it: a record's key. */
size_t states_key(char out[STATES_KEY], const char *name, uint32_t slot, uint32_t part);

struct states_parts {
    struct states_header of; /* parts 0: nothing collected */
    char *bytes;
    size_t most;    /* bytes of each part but the last; 0: not known yet */
    uint8_t *there; /* by part */
    uint32_t missing;
};

struct state_of {
    char *name;
    char *bytes; /* n 0: none, or taken away */
    size_t n;
    int64_t next;
    uint64_t checkpoint;
    uint32_t slot;
    struct states_parts parts[STATES_SLOTS];
};

struct states {
    struct state_of *v;
    uint32_t n, cap;
    bool (*wanted)(void *to, const char *name); /* NULL: all */
    void *to;
};

enum states_result { STATES_NEWS = 0, STATES_NOTHING = 1, STATES_NO_MEMORY = -1 };

/* Take a record in. STATES_NEWS: state `*which` has changed, to another one or to none. Records
 * that are nothing of ours, damaged or late are STATES_NOTHING. */
enum states_result states_take(struct states *s, const void *key, size_t key_len, const void *value,
                               size_t n, uint32_t *which);
/* Of this name, or NULL. */
struct state_of *states_find(const struct states *s, const char *name);
void states_free(struct states *s);

#endif
