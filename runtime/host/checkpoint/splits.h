/* splits.h -- which splits of the input a snapshot has learned from.
 *
 * Engines run a task again: a speculative copy, a lost worker, a job that is queued anew. So a
 * merge must know which splits each state holds. The section `splits` of a snapshot is a JSON
 * array, sorted by id (natural order) and digest, with an object for each split:
 *
 *     {"id": "7",               name of --split; absent for a run without one
 *      "records": 1000, "bytes": 34567,      as far as the sources know
 *      "digest": "3f0c…",       what was learned of it: 32 hexadecimal digits
 *      "weight": 2}             how often it counts; absent for once
 *
 * The state of a partition of a topic has the id TOPIC/PARTITION, and its learner's examples as
 * records (shards_splits.h).
 *
 * The digest covers the states of learners and transforms. The same split gives the same digest
 * on every machine, with any number of threads. */
#ifndef LEAT_HOST_CHECKPOINT_SPLITS_H
#define LEAT_HOST_CHECKPOINT_SPLITS_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "host/store/snapshot.h"

/* Returns the splits of a snapshot; NULL if it has no such section, or a damaged one. The caller
 * frees them. */
json_t *splits_read(const struct snapshot *s);
/* Returns one split in an array. `id` may be NULL. The caller frees it. */
json_t *splits_one(const char *id, uint64_t records, uint64_t bytes,
                   const struct snapshot_section *section, uint32_t n);
/* Returns the sum of the member `key` of all splits. */
uint64_t splits_sum(const json_t *splits, const char *key);

/* From good to bad. */
enum splits_meeting {
    SPLITS_NEW,    /* no split is in both                                  */
    SPLITS_ALIKE,  /* one digest twice, with two ids: the same data again? */
    SPLITS_HELD,   /* `all` has all of them, with the same digests         */
    SPLITS_PARTLY, /* `all` has some of them                               */
    SPLITS_DIFFER, /* one id has two digests, or two weights               */
    SPLITS_UNNAMED /* one digest twice, of splits without an id            */
};
/* Compares the splits of an input with all splits so far. Returns the worst that one of them
 * meets. Sets *which to the first that meets it; NULL for SPLITS_NEW. */
enum splits_meeting splits_meet(const json_t *all, const json_t *more, const json_t **which);
/* True if `all` has each of the splits: the same id or none, the same digest and weight. */
bool splits_hold(const json_t *all, const json_t *some);
/* Multiplies the weights of splits by a positive number. */
void splits_weigh(json_t *splits, double weight);
/* Adds splits to a sorted array. */
void splits_add(json_t *all, const json_t *more);
/* Returns the name of a split for messages: its id, or "of digest 3f0c…". */
const char *splits_name(const json_t *split, char text[48]);
/* Returns the ids that are missing of n, as text such as "3, 5 to 7", at most some 200 bytes; NULL
 * if none is. Ids are 0 to n - 1, or 1 to n if there is no 0. Other ids are only counted. */
const char *splits_missing(const json_t *splits, uint64_t n, char text[256]);

#endif
