/* rejects.h -- rejected records: they are counted, logged, and written as dead letters (to the
 * pipeline's file, and to sinks that take them); too many of them end the run. A record that
 * several branches reject is counted and logged once, for the first of them in the script, and has
 * a dead letter of each. */
#ifndef LEAT_HOST_EXEC_REJECTS_REJECTS_H
#define LEAT_HOST_EXEC_REJECTS_REJECTS_H

#include <pthread.h>
#include <stdio.h>

#include "host/flow/batch.h"
#include "host/graph/options.h"
#include "dead_letters.h"
#include "reject_counts.h"

struct run;

/* Records of inputs, and records that stages made of them (expand). Too many rejections of either
 * end the run: many that were made do not make up for few that came. */
enum rejects_of { REJECTS_OF_INPUTS, REJECTS_OF_STAGES, REJECTS_OF };

/* Dead letters and counts of records after the barrier of the checkpoint under way. */
struct rejects_held {
    char *text;
    size_t n, cap;
    uint64_t count, passed[REJECTS_OF], rejected[REJECTS_OF];
};

/* Dead letters hold whole records: nobody reads them but the owner and the group. */
enum { REJECTS_MODE = 0640 };

enum { REJECT_WINDOW = 10000, REJECT_MARKS = 10 };

/* Counts at some moment. */
struct rejects_mark {
    uint64_t passed, rejected;
};

struct rejects_share {
    uint64_t passed, rejected; /* records that have come to their end, in all branches   */
    struct rejects_mark mark[REJECT_MARKS + 1]; /* a ring: every 1,000 records at least */
    uint64_t n_marks; /* the newest is mark[n_marks % its length]                        */
};

struct rejects {
    const struct options *options;
    struct run *run;
    pthread_mutex_t mu;
    FILE *out;                     /* dead letters, or NULL                             */
    const char *places;            /* where dead letters go, in words; NULL: nowhere     */
    uint64_t count, logged, shown; /* shown: of those that came to be logged  */
    struct rejects_share of[REJECTS_OF];
    struct reject_counts counts;
    uint64_t holding; /* the checkpoint under way; 0: none */
    struct rejects_held held;
    _Atomic uint64_t waits_since; /* its file takes nothing since then (clock_ns); 0: it does */
    uint64_t resume_at;           /* length of the file when the snapshot was made, … */
    uint64_t resume_of;           /* … and the name_id of its path: another file begins empty */
    struct dead_letters *free_letters;
    uint64_t sent;  /* dead letters that were written, or given to sinks */
    bool told_more; /* that not all are shown */
};

void rejects_init(struct rejects *r, const struct options *o, struct run *run);
/* Opens the file of dead letters. Its contents are kept until rejects_begin cuts them, for this run
 * may never start. LEAT_OK, or a failure of the run; failures to write later fail the run as well.
 */
int rejects_open(struct rejects *r);
/* Cuts the file to its length in the snapshot, or empties it; before the first record. */
int rejects_begin(struct rejects *r);
void rejects_close(struct rejects *r);

/* Ends the run with the first rejection of the batch, for on_error = "fail". */
void rejects_fail(struct rejects *r, struct hbatch *h);

/* The batch is at its end, or at a fork that makes so many copies of it. What it has noted is
 * gathered with what its copies note, written in the order of the input when the last of them is at
 * its end, and forgotten. All copies of one batch come to their ends before those of the next do:
 * so this order is that of all batches of a source, and of all sources if each batch comes through
 * the same merge. Then checks whether too many were rejected. `checkpoint`: the last one whose
 * barrier the calling worker has passed. */
void rejects_passed(struct rejects *r, struct hbatch *h, uint32_t copies, uint64_t checkpoint);

/* A stage's expand has made `h` of another batch (batch_derive), which is at its end only after
 * it. */
void rejects_derived(struct rejects *r, struct hbatch *h);

/* Fails the run if too many were rejected: of the whole run, or of the last 10,000 or more, so that
 * a stream that turns bad late ends as soon. Counts only records that have left the pipeline, so
 * that it does not matter how far ahead the source is. Under r->mu. */
void reject_ratio_check(struct rejects *r, enum rejects_of k);

/* Fails the run at the end of its input, if all records were rejected, or too many of an input too
 * short for an earlier check. A run that was stopped does not fail: better records may come when it
 * continues. No worker runs. */
void rejects_finish(struct rejects *r);

/* A checkpoint is under way: dead letters and counts after its barrier are held back until release,
 * and rejects_write writes the state at the barrier. */
void rejects_hold(struct rejects *r, uint64_t checkpoint);
void rejects_release(struct rejects *r);
void rejects_write(struct rejects *r, struct leat_writer *w);
/* Has the sinks that take dead letters deliver all of them. Returns LEAT_OK; or a failure of the
 * run. */
int rejects_deliver(struct rejects *r);
/* Sync the file. 0, or errno. */
int rejects_sync(struct rejects *r);
int rejects_read(struct rejects *r, struct leat_reader *from);
/* Add the other's counts. */
void rejects_add(struct rejects *r, const struct rejects *other);

/* Shows each reason that a stage of the pipeline may give, with its records so far. Returns the
 * number of dead letters that were written or given to sinks. Any thread; `see` runs under mu. */
uint64_t rejects_each(struct rejects *r, void (*see)(void *to, const char *word, uint64_t n),
                      void *to);

/* "54 of 300 records were rejected, mostly for number (50 of them)". No worker runs. */
void rejects_sentence(const struct rejects *r, char *text, size_t cap);

/* "10 are shown, all are in bad.jsonl"; "" where all are shown. No worker runs. */
void rejects_unshown(const struct rejects *r, char *text, size_t cap);
/* ": fields 26, number 12, quote 12", the most frequent three; "" where there is one reason. No
 * worker runs. */
void rejects_by_reason(const struct rejects *r, char *text, size_t cap);

#endif
