/* rejects.h -- what happens to bad records: counted, logged, given to the dead letters (the
 * pipeline's file, and sinks that take them), and too many of them end the run. */
#ifndef LEAT_EXEC_REJECTS_H
#define LEAT_EXEC_REJECTS_H

#include <pthread.h>
#include <stdio.h>

#include "batch.h"
#include "graph/options.h"

struct run;

/* Of the dead letters and counts that are past the barrier of a checkpoint not yet written. */
struct rejects_held {
    char *text;
    size_t n, cap;
    uint64_t count, passed, by_reason[LEAT_R_COUNT];
};

struct rejects {
    const struct options *options;
    struct run *run;
    pthread_mutex_t mu;
    FILE *out; /* dead letters, or NULL */
    uint64_t count, logged;
    uint64_t passed; /* records whose journey, or way to the first fork, has ended */
    uint64_t by_reason[LEAT_R_COUNT];
    uint64_t holding; /* the checkpoint under way; 0: none */
    struct rejects_held held;
    uint64_t resume_at; /* length of the dead letters in the snapshot */
};

void rejects_init(struct rejects *r, const struct options *o, struct run *run);
/* The dead-dead_letter file; with `resuming` what it holds stays, with a snapshot until
 * rejects_begin cuts it. Failures, also of writing, are the run's (run_fail). */
int rejects_open(struct rejects *r, int resuming);
/* Before the first record: the file is cut to what the snapshot knows of it. */
int rejects_begin(struct rejects *r);
void rejects_close(struct rejects *r);

/* Note a rejection in the batch. Any stage's thread; the batch is its own. */
void rejects_note(struct hbatch *h, const struct instance *by, uint32_t record, int reason,
                  const char *format, va_list args);

/* Write out what the batch has noted, in the order of its records, and forget it. `checkpoint`: the
 * last one whose barrier the calling worker has seen. */
void rejects_flush(struct rejects *r, struct hbatch *h, uint64_t checkpoint);

/* The batch is at its end, or at a fork: flush, and see whether too much has been rejected. */
void rejects_passed(struct rejects *r, struct hbatch *h, uint64_t checkpoint);

/* A checkpoint is under way: what comes behind its barrier is held back, until it is over. In
 * between rejects_write writes the state at the barrier. */
void rejects_hold(struct rejects *r, uint64_t checkpoint);
void rejects_release(struct rejects *r);
void rejects_write(struct rejects *r, struct leat_writer *w);
/* Until the sinks that take dead letters are done with them. LEAT_OK, or a failure told to the run.
 */
int rejects_deliver(struct rejects *r);
/* Bring the dead letters to disk. 0, or errno. */
int rejects_sync(struct rejects *r);
int rejects_read(struct rejects *r, struct leat_reader *from);
/* The counts of both. */
void rejects_add(struct rejects *r, const struct rejects *other);

/* "a.csv:17 (byte 1234): parse (parse.csv): 11 columns expected, 9 found" */
void rejects_describe(const struct hbatch *h, const struct rejection *j, char *text, size_t cap);

const char *rejects_reason_name(int reason);

#endif
