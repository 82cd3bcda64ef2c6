/* states.h -- converts states of partitions to messages of a topic, and back.
 *
 * A message holds a state and the offset of the next message to read. So each message is a
 * consistent cut of its partition, and continuing from any of them is exact. If a reader finds
 * several states of a partition, it uses the state with the largest offset. A long state is split
 * into numbered parts, one for each message. Parts that are incomplete, or of different states,
 * form no state.
 *
 *   key     pipeline TAB group TAB topic TAB partition TAB slot . part
 *   value   4 bytes  "leSt"
 *           4        format, 2
 *           4, 4     number of this part, from 0; number of parts
 *           8        offset of the next message
 *           8, 8, 8  offset, time and hash of the last message before it (position.h)
 *           8        checkpoint of the run that wrote the state
 *           8        bytes of the whole state
 *           8        XXH3 (64 bits, seed 0) of the whole state
 *           8        XXH3 of the part, seeded with that of the 72 bytes before
 *           then the part's bytes
 *
 * Numbers are little endian. A compacted topic retains the last message of each key. So a state in
 * parts goes to the slot, 0 or 1, that does not hold the last complete state: a writer that dies
 * between two parts spoils nothing. A message without a value deletes the state of its key.
 *
 * This module does not use Kafka: it reads bytes and finds states. */
#ifndef LEAT_KAFKA_STATES_STATES_H
#define LEAT_KAFKA_STATES_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STATES_FORMAT = 2, STATES_HEADER = 80, STATES_KEY = 1200, STATES_SLOTS = 2 };

/* The last message that was read of a partition. */
struct last_message {
    int64_t offset; /* negative if unknown */
    int64_t time;   /* ms since 1970; negative if the message has no time */
    uint64_t hash;  /* hash of the message's key and value */
};

/* Header of a message (see the table above). */
struct states_header {
    uint32_t part, parts;
    int64_t next;
    struct last_message last;
    uint64_t checkpoint, bytes, hash;
};

uint64_t states_hash(const void *state, size_t n);
/* Writes the header of a message whose part has n bytes. */
void states_put_header(unsigned char out[STATES_HEADER], const struct states_header *h,
                       const void *part, size_t n);

/* State to be sent in messages. Each message has at most `max_part` bytes of the state. */
struct states_out {
    const char *name;
    const unsigned char *state;
    size_t max_part;
    uint32_t slot;
    struct states_header next; /* header of the next message */
};
/* Begins a state of n bytes. `slot` is the slot of the previous state. Name and state must stay
 * valid until the last message. */
void states_begin(struct states_out *o, const char *name, uint32_t slot, int64_t next,
                  const struct last_message *last, uint64_t checkpoint, const void *state, size_t n,
                  size_t max_part);
/* Makes the next message; `value` has room for STATES_HEADER + max_part bytes. Returns false after
 * the last message. */
bool states_next(struct states_out *o, char key[STATES_KEY], size_t *key_len, void *value,
                 size_t *value_len);
/* Returns the slot for a state of n bytes: slot 0 if it fits into one part. A state in several
 * parts gets the slot that is not `last`, the slot of the last complete state. */
uint32_t states_slot(uint32_t last, size_t n, size_t max_part);
/* Returns the partition of the state topic for all messages of a name. One partition keeps them in
 * order. */
int32_t states_partition(const char *name, int32_t partitions);

/* Writes "pipeline TAB group TAB topic TAB partition". Returns its length; 0 if it does not fit. */
size_t states_name(char out[STATES_KEY], const char *pipeline, const char *group, const char *topic,
                   int32_t partition);
/* Finds field k of a name, counted from 0. Returns the field's length. */
size_t states_name_field(const char *name, int k, const char **at);
/* Writes the key of a message: name, slot and part. Returns its length. */
size_t states_key(char out[STATES_KEY], const char *name, uint32_t slot, uint32_t part);

/* Parts of a state that is not complete yet. */
struct states_parts {
    struct states_header of; /* header of the state; its `parts` is 0 before the first part */
    char **part;             /* part k, or NULL until part k comes */
    size_t part_bytes;       /* size of every part except the last; 0 if unknown */
    uint32_t awaited;        /* number of missing parts */
};

/* Newest complete state of a name. */
struct states_found {
    char *name;
    char *bytes; /* the n bytes; n is 0 if there is no state, or it was deleted */
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
    bool (*wanted)(void *self, const char *name); /* selects the names to keep; NULL to keep all */
    void *self;
};

enum states_result { STATES_CHANGED = 0, STATES_UNCHANGED = 1, STATES_NO_MEMORY = -1 };

/* Reads a message. Returns STATES_CHANGED if the message completes or deletes a state, and sets
 * *which to the state's index. A message that is damaged, older or not a state changes nothing. */
enum states_result states_take(struct states *s, const void *key, size_t key_len, const void *value,
                               size_t n, uint32_t *which);
/* Returns the state of this name; NULL if there is no such state. */
struct states_found *states_find(const struct states *s, const char *name);
void states_free(struct states *s);

#endif
