/* states.h -- converts states of partitions to messages of a topic, and back.
 *
 * A message holds a state and the offset of the next message to read. So it is a consistent cut of
 * its partition: continuing from it is exact, whichever of several cuts a reader finds. The cut
 * with the largest offset counts. A longer state has numbered parts, one a message. Parts that are
 * incomplete, or of different states, form no state.
 *
 *   key     pipeline TAB group TAB topic TAB partition TAB slot . part
 *   value   4 bytes  "leSt"
 *           4        format, 2
 *           4, 4     number of this part, from 0; number of parts
 *           8        offset of the next message
 *           8, 8, 8  offset, time and hash of the last message before it (position.h)
 *           8        checkpoint of the run that wrote it
 *           8        bytes of the whole state
 *           8        XXH3 (64 bits, seed 0) of the whole state
 *           8        XXH3 of the part, seeded with that of the 72 bytes before
 *           then the part's bytes
 *
 * Numbers are little endian. A compacted topic retains the last message of each key. So a state in
 * parts goes to the slot, 0 or 1, that does not hold the last complete state: a writer that dies
 * between two parts spoils nothing. A message without a value deletes its key's state.
 *
 * This module does not use Kafka: it takes bytes and finds states. */
#ifndef LEAT_KAFKA_STATES_STATES_H
#define LEAT_KAFKA_STATES_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STATES_FORMAT = 2, STATES_HEADER = 80, STATES_KEY = 1200, STATES_SLOTS = 2 };

/* Last message that was read. */
struct last_message {
    int64_t offset; /* negative if unknown */
    int64_t time;   /* ms since 1970; negative if it has none */
    uint64_t hash;  /* hash of key and value */
};

/* Header of a message. */
struct states_header {
    uint32_t part, parts;
    int64_t next;
    struct last_message last;
    uint64_t checkpoint, bytes, hash;
};

uint64_t states_hash(const void *state, size_t n);
/* Writes the header of a part of n bytes. */
void states_put_header(unsigned char out[STATES_HEADER], const struct states_header *h,
                       const void *part, size_t n);

/* A state on its way into messages of at most `max_part` of its bytes. */
struct states_out {
    const char *name;
    const unsigned char *state;
    size_t max_part;
    uint32_t slot;
    struct states_header next; /* header of the next message */
};
/* Begins a state. `slot` is that of the previous state. The caller lends name and state. */
void states_begin(struct states_out *o, const char *name, uint32_t slot, int64_t next,
                  const struct last_message *last, uint64_t checkpoint, const void *state, size_t n,
                  size_t max_part);
/* Makes the next message; `value` takes STATES_HEADER + max_part bytes. Returns false after the
 * last. */
bool states_next(struct states_out *o, char key[STATES_KEY], size_t *key_len, void *value,
                 size_t *value_len);
/* Returns the slot of a state of n bytes. A state in parts gets the slot that does not hold the
 * last complete state. */
uint32_t states_slot(uint32_t last, size_t n, size_t max_part);
/* Returns the topic's partition for all messages of a name, so that readers see them in order. */
int32_t states_partition(const char *name, int32_t partitions);

/* Writes "pipeline TAB group TAB topic TAB partition". Returns its length; 0 if it does not fit. */
size_t states_name(char out[STATES_KEY], const char *pipeline, const char *group, const char *topic,
                   int32_t partition);
/* Writes a message's key: name, slot and part. */
size_t states_key(char out[STATES_KEY], const char *name, uint32_t slot, uint32_t part);

/* Parts of an incomplete state. */
struct states_parts {
    struct states_header of; /* parts: 0 before the first */
    char **part;             /* indexed by part; NULL until it comes, without memory before */
    size_t part_bytes;       /* size of each part but the last; 0 if unknown */
    uint32_t awaited;        /* parts still missing */
};

/* Newest complete state of a name. */
struct states_found {
    char *name;
    char *bytes; /* n: 0 if there is none, or it was deleted */
    size_t n;
    int64_t next;
    struct last_message last;
    uint64_t checkpoint;
    uint32_t slot;
    struct states_parts parts[STATES_SLOTS];
};

/* States found on a topic. */
struct states {
    struct states_found *v;
    uint32_t n, cap;
    bool (*wanted)(void *self, const char *name); /* NULL if all are */
    void *self;
};

enum states_result { STATES_CHANGED = 0, STATES_UNCHANGED = 1, STATES_NO_MEMORY = -1 };

/* Takes a message. Returns STATES_CHANGED if it replaces or deletes state number `*which`. A
 * message that is no state, damaged or older changes nothing. */
enum states_result states_take(struct states *s, const void *key, size_t key_len, const void *value,
                               size_t n, uint32_t *which);
/* Returns the state of this name; NULL if there is none. */
struct states_found *states_find(const struct states *s, const char *name);
void states_free(struct states *s);

#endif
