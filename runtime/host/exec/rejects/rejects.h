/* rejects.h -- rejected records: counted, logged, and written as dead letters.
 *
 * Dead letters go to the pipeline's file, and to sinks that take them. Too many rejections end the
 * run. A record that several branches reject counts once and is logged once, for the first of them
 * in the script, but has a dead letter for each. */
#ifndef LEAT_HOST_EXEC_REJECTS_REJECTS_H
#define LEAT_HOST_EXEC_REJECTS_REJECTS_H

#include <pthread.h>
#include <stdio.h>

#include "host/flow/batch.h"
#include "host/graph/options.h"
#include "dead_letters.h"
#include "reject_counts.h"

struct run;

/* Kinds of records: of inputs, and made by stages (expand). Too many rejections of either kind end
 * the run, so that many good records of stages do not hide bad inputs. */
enum rejects_of { REJECTS_OF_INPUTS, REJECTS_OF_STAGES, REJECTS_OF };

/* Dead letters and counts of records after the barrier of the current checkpoint. */
struct rejects_held {
    char *text;
    size_t n, cap;
    uint64_t count, passed[REJECTS_OF], rejected[REJECTS_OF];
};

/* Dead letters contain whole records, so only the owner and the group may read them. */
enum { REJECTS_MODE = 0640 };

enum { REJECT_WINDOW = 10000, REJECT_MARKS = 10 };

/* Counts at one moment. */
struct rejects_mark {
    uint64_t passed, rejected;
};

struct rejects_share {
    uint64_t passed, rejected;                  /* records at their end, in all branches */
    struct rejects_mark mark[REJECT_MARKS + 1]; /* a ring; a new mark every 1,000 records */
    uint64_t n_marks;                           /* the newest is mark[n_marks % length] */
};

struct rejects {
    const struct options *options;
    struct run *run;
    pthread_mutex_t mu;
    FILE *out;                     /* dead letters, or NULL                              */
    const char *places;            /* where dead letters go, in words; NULL: nowhere     */
    uint64_t count, logged, shown; /* shown: number of logged rejections that were shown */
    struct rejects_share of[REJECTS_OF];
    struct reject_counts counts;
    uint64_t holding; /* current checkpoint; 0: none */
    struct rejects_held held;
    _Atomic uint64_t waits_since; /* since when the file blocks (clock_ns); 0: it does not */
    uint64_t resume_at;           /* length of the file in the snapshot */
    uint64_t resume_of;           /* name_id of that file's path: another file begins empty */
    struct dead_letters *free_letters;
    uint64_t sent;  /* dead letters written to the file or given to sinks */
    bool told_more; /* logged that not all are shown */
};

void rejects_init(struct rejects *r, const struct options *o, struct run *run);
/* Opens the file of dead letters. rejects_begin cuts its contents later, because the run may never
 * start. Returns LEAT_OK, or a failure of the run. Failures to write later also fail the run. */
int rejects_open(struct rejects *r);
/* Cuts the file to its length in the snapshot, or empties it. Call it before the first record. */
int rejects_begin(struct rejects *r);
void rejects_close(struct rejects *r);

/* Ends the run with the first rejection of the batch, if on_error = "fail". */
void rejects_fail(struct rejects *r, struct hbatch *h);

/* Gathers the rejections of a batch that is at its end, or at a fork that makes `copies` of it.
 * When the last copy is at its end, writes the rejections of all copies in the order of the input.
 * All copies of a batch reach their ends before those of the next batch. So letters have the order
 * of the source's batches; and one order for all sources if every batch passes the same merge. Then
 * checks whether too many were rejected. `checkpoint`: the last one whose barrier the calling
 * worker has passed. */
void rejects_passed(struct rejects *r, struct hbatch *h, uint32_t copies, uint64_t checkpoint);

/* Notes that a stage's expand has made `h` from another batch (batch_derive), so that that batch
 * reaches its end only after `h`. */
void rejects_derived(struct rejects *r, struct hbatch *h);

/* Fails the run if too many were rejected: of all its records, or of the last 10,000 or more, so
 * that a stream that turns bad late ends as soon. Counts only records that have left the pipeline,
 * so the result does not depend on how far ahead the source is. Call it with r->mu held. */
void reject_ratio_check(struct rejects *r, enum rejects_of k);

/* Fails the run at the end of its input if all records were rejected, or too many of an input that
 * was too short for an earlier check. A stopped run does not fail, because better records may come
 * when it continues. Call it while no worker runs. */
void rejects_finish(struct rejects *r);

/* Holds back dead letters and counts after the barrier of the current checkpoint, until release.
 * Meanwhile rejects_write writes the state at the barrier. */
void rejects_hold(struct rejects *r, uint64_t checkpoint);
void rejects_release(struct rejects *r);
void rejects_write(struct rejects *r, struct leat_writer *w);
/* Makes the sinks that take dead letters deliver all of them. Returns LEAT_OK, or a failure of the
 * run. */
int rejects_deliver(struct rejects *r);
/* Syncs the file. Returns 0 or errno. */
int rejects_sync(struct rejects *r);
int rejects_read(struct rejects *r, struct leat_reader *from);
/* Adds the counts of `other`. */
void rejects_add(struct rejects *r, const struct rejects *other);

/* Calls `see` with each reason that a stage of the pipeline may give and its records so far, with
 * mu held. Returns the number of dead letters written or given to sinks. Any thread. */
uint64_t rejects_each(struct rejects *r, void (*see)(void *to, const char *word, uint64_t n),
                      void *to);

/* Writes a sentence such as "54 of 300 records were rejected, mostly for number (50 of them)". Call
 * it while no worker runs. */
void rejects_sentence(const struct rejects *r, char *text, size_t cap);

/* Writes "10 are shown, all are in bad.jsonl"; or "" if all are shown. Call it while no worker
 * runs. */
void rejects_unshown(const struct rejects *r, char *text, size_t cap);
/* Writes the three most frequent reasons: ": fields 26, number 12, quote 12"; or "" if there is
 * only one. Call it while no worker runs. */
void rejects_by_reason(const struct rejects *r, char *text, size_t cap);

#endif
