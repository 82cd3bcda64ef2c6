/* states.h -- the states of partitions as messages of a topic, and back.
 *
 * A message holds a state and the offset of the next message to read, so it is a consistent cut of
 * its partition by itself: to continue from it is exact, whichever of several a reader finds. The
 * one with the largest offset counts. A longer state is in numbered parts, a message each; parts
 * that are not complete, or not of one state, are not a state.
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
 * Numbers are little endian. A compacted topic keeps the last message of each key. So a state in
 * parts is written to the slot, 0 or 1, that does not hold the last complete one: a writer that
 * dies between two parts spoils nothing. A message without a value deletes its key's state.
 *
 * No Kafka here: bytes in, states out.
 */
#ifndef LEAT_KAFKA_STATES_STATES_H
#define LEAT_KAFKA_STATES_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STATES_FORMAT = 2, STATES_HEADER = 80, STATES_KEY = 1200, STATES_SLOTS = 2 };

/* The last message that was read. */
struct last_message {
    int64_t offset; /* negative: none is known             */
    int64_t time;   /* ms since 1970; negative: it has none */
    uint64_t hash;  /* of key and value                    */
};

/* The header of one message. */
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

/* A state that is written, in messages with at most `max_part` bytes of it. */
struct states_out {
    const char *name;
    const unsigned char *state;
    size_t max_part;
    uint32_t slot;
    struct states_header next; /* of the next message */
};
/* The state before this one is in `slot`. Name and state are lent. */
void states_begin(struct states_out *o, const char *name, uint32_t slot, int64_t next,
                  const struct last_message *last, uint64_t checkpoint, const void *state, size_t n,
                  size_t max_part);
/* Makes the next message; `value` takes STATES_HEADER + max_part bytes. Returns false after the
 * last. */
bool states_next(struct states_out *o, char key[STATES_KEY], size_t *key_len, void *value,
                 size_t *value_len);
/* Returns the slot of a state of n bytes: for one in parts, not the slot of the last complete
 * one. */
uint32_t states_slot(uint32_t last, size_t n, size_t max_part);
/* Returns the topic's partition of all messages of a name, so that they are read in order. */
int32_t states_partition(const char *name, int32_t partitions);

/* Writes "pipeline TAB group TAB topic TAB partition". Returns its length; 0 if it does not fit. */
size_t states_name(char out[STATES_KEY], const char *pipeline, const char *group, const char *topic,
                   int32_t partition);
/* Writes a message's key: the name, then slot and part. */
size_t states_key(char out[STATES_KEY], const char *name, uint32_t slot, uint32_t part);

/* The parts of a state that is not complete yet. */
struct states_parts {
    struct states_header of; /* parts 0: none came yet                       */
    char **part;             /* by number; NULL: it has not come. No memory is taken before */
    size_t part_bytes;       /* of each part but the last; 0: not known yet */
    uint32_t awaited;        /* parts that have not                         */
};

/* The newest complete state of a name. */
struct states_found {
    char *name;
    char *bytes; /* n 0: there is none, or it was deleted */
    size_t n;
    int64_t next;
    struct last_message last;
    uint64_t checkpoint;
    uint32_t slot;
    struct states_parts parts[STATES_SLOTS];
};

/* The states that were found on a topic. */
struct states {
    struct states_found *v;
    uint32_t n, cap;
    bool (*wanted)(void *self, const char *name); /* NULL: all are */
    void *self;
};

enum states_result { STATES_CHANGED = 0, STATES_UNCHANGED = 1, STATES_NO_MEMORY = -1 };

/* Takes a message in. Returns STATES_CHANGED if it replaces, or deletes, state number `*which`. A
 * message that is not a state, damaged or older changes nothing. */
enum states_result states_take(struct states *s, const void *key, size_t key_len, const void *value,
                               size_t n, uint32_t *which);
/* Returns the state of this name, or NULL. */
struct states_found *states_find(const struct states *s, const char *name);
void states_free(struct states *s);

#endif
