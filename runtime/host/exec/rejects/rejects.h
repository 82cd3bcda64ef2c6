/* rejects.h -- rejected records: counted, logged, and written as dead letters.
 *
 * Dead letters go to the file of option dead_letters, and to sinks that take dead letters. If the
 * share of rejected records exceeds max_reject_ratio, the run fails. A record that several branches
 * reject is counted and logged once, for the first of these branches in the script. It has a dead
 * letter for each branch. */
#ifndef LEAT_HOST_EXEC_REJECTS_REJECTS_H
#define LEAT_HOST_EXEC_REJECTS_REJECTS_H

#include <pthread.h>
#include <stdio.h>

#include "host/flow/batch.h"
#include "host/graph/options.h"
#include "dead_letters.h"
#include "reject_counts.h"

struct run;

/* Kinds of records: from inputs, and made by stages with expand. The ratio of rejected records is
 * checked for each kind, so that many good records of one kind do not hide bad records of the
 * other. */
enum rejects_of { REJECTS_OF_INPUTS, REJECTS_OF_STAGES, REJECTS_OF };

/* Dead letters and counts of records after the barrier of the checkpoint in progress. */
struct rejects_held {
    char *text;
    size_t n, cap;
    uint64_t count, passed[REJECTS_OF], rejected[REJECTS_OF];
};

/* Dead letters contain whole records, so only the owner and the group may read them. */
enum { REJECTS_MODE = 0640 };

enum { REJECT_WINDOW = 10000, REJECT_MARKS = 10 };

/* Values of passed and rejected in a rejects_share at an earlier moment. */
struct rejects_mark {
    uint64_t passed, rejected;
};

struct rejects_share {
    uint64_t passed, rejected;                  /* records that have left the pipeline           */
    struct rejects_mark mark[REJECT_MARKS + 1]; /* ring buffer; one mark for every 1,000 records */
    uint64_t n_marks;                           /* marks so far; newest: mark[n_marks % length]  */
};

struct rejects {
    const struct options *options;
    struct run *run;
    pthread_mutex_t mu;
    FILE *out;                     /* file of dead letters, or NULL                           */
    const char *places;            /* result of dead_letters_places()                         */
    uint64_t count, logged, shown; /* rejections: all; passed to rejects_show; put in the log */
    struct rejects_share of[REJECTS_OF];
    struct reject_counts counts;
    uint64_t holding; /* checkpoint in progress; 0: none */
    struct rejects_held held;
    _Atomic uint64_t waits_since; /* start of a wait to open or write `out` (clock_ns), or 0 */
    uint64_t resume_at;           /* length of the file at the time of the snapshot          */
    uint64_t resume_of;           /* rejects_path_id() of the file at that time              */
    struct dead_letters *free_letters;
    uint64_t sent;  /* number of dead letters written to the file or passed to sinks */
    bool told_more; /* a message has said that further rejections are not shown      */
};

void rejects_init(struct rejects *r, const struct options *o, struct run *run);
/* Opens the file of dead letters, but does not change its contents, because the run may never
 * start. Returns LEAT_OK, or a failure, which is reported to the run. If a later write fails, the
 * run fails, too. */
int rejects_open(struct rejects *r);
/* Cuts the file of dead letters to its length at the time of the snapshot; empties it if there is
 * no snapshot. Call it before the first record. */
int rejects_begin(struct rejects *r);
void rejects_close(struct rejects *r);

/* Fails the run with the first rejection of the batch; for on_error = "fail". */
void rejects_fail(struct rejects *r, struct hbatch *h);

/* Called when a batch leaves the pipeline (copies 0), or at a fork, which makes `copies` copies of
 * it. Gathers the batch's rejections. When the last copy of a batch leaves the pipeline, writes the
 * rejections of all copies in the order of the input. Then checks whether too many records were
 * rejected. All copies of a batch leave before the copies of the next batch, so letters are in the
 * order of the source's batches. With several sources the order is fixed only if all batches pass
 * the same merge. `checkpoint` is the last checkpoint whose barrier the calling worker has
 * passed. */
void rejects_passed(struct rejects *r, struct hbatch *h, uint32_t copies, uint64_t checkpoint);

/* Counts, logs and writes the records that a stage has rejected after their batches had passed
 * (leat_host.reject_kept), and frees them. `checkpoint` is as in rejects_passed. */
void rejects_late(struct rejects *r, struct instance *by, uint64_t checkpoint);

/* Called when a stage's expand has made `h` from another batch (batch_derive). That batch then
 * counts as in the pipeline until `h` has left. */
void rejects_derived(struct rejects *r, struct hbatch *h);

/* Fails the run if the ratio of rejected records exceeds max_reject_ratio, among all records or
 * among about the last 10,000. So a long stream whose records become bad also fails soon. Counts
 * only records that have left the pipeline, so the result does not depend on threads. Call it with
 * r->mu held. */
void reject_ratio_check(struct rejects *r, enum rejects_of k);

/* Called before a checkpoint is written. Returns false if all records so far were rejected: a
 * mistake of the pipeline, such as a wrong address, must not commit its input. Fails the run if
 * these are at least AT_LEAST; fewer wait for a later checkpoint. */
bool rejects_allow_checkpoint(struct rejects *r);

/* Called before the closing checkpoint of a run that was stopped. Returns false and logs a warning
 * if all records were rejected. Call it while no worker runs. */
bool rejects_allow_closing(const struct rejects *r);

/* Called at the end of the input, before the closing checkpoint. Fails the run if all records were
 * rejected, or if too many were rejected of an input that was too short for reject_ratio_check.
 * Does nothing if the run was stopped, because better records may come when it continues. Call it
 * while no worker runs. */
void rejects_finish(struct rejects *r);

/* rejects_hold begins a checkpoint: dead letters of records after its barrier are held back, and
 * counted separately. rejects_write writes the state at the barrier, and the length of the file
 * unless `with_file` is false. rejects_release ends the
 * checkpoint and writes the dead letters that were held back. */
void rejects_hold(struct rejects *r, uint64_t checkpoint);
void rejects_release(struct rejects *r);
void rejects_write(struct rejects *r, struct leat_writer *w, bool with_file);
/* Calls `flush` of the sinks that take dead letters. Returns LEAT_OK, or a failure, which is
 * reported to the run. */
int rejects_deliver(struct rejects *r);
/* Syncs the file of dead letters to disk. Returns 0 or an errno. */
int rejects_sync(struct rejects *r);
int rejects_read(struct rejects *r, struct leat_reader *from);
/* Adds the counts of `other` to those of r. */
void rejects_add(struct rejects *r, const struct rejects *other);

/* Calls `see` for each reason with the number of its records so far, with r->mu held. Returns the
 * number of dead letters so far. Any thread may call it. */
uint64_t rejects_each(struct rejects *r, void (*see)(void *to, const char *word, uint64_t n),
                      void *to);

/* Writes a sentence such as "54 of 300 records were rejected, mostly for number (50 of them)". Call
 * it while no worker runs. */
void rejects_sentence(const struct rejects *r, char *text, size_t cap);

/* Writes "10 are shown, all are in bad.jsonl"; "" if all rejections were shown. Call it while no
 * worker runs. */
void rejects_unshown(const struct rejects *r, char *text, size_t cap);
/* Writes the three most frequent reasons: ": fields 26, number 12, quote 12"; "" if there is only
 * one reason. Call it while no worker runs. */
void rejects_by_reason(const struct rejects *r, char *text, size_t cap);

#endif
