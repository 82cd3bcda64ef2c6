/* rejects.h -- what happens to bad records: counted, logged, written to the dead letters, and too
 * many of them end the run. */
#ifndef LEAT_RUNTIME_REJECTS_H
#define LEAT_RUNTIME_REJECTS_H

#include <pthread.h>
#include <stdio.h>

#include "batch.h"
#include "options.h"

struct run;

struct rejects {
    const struct options *options;
    struct run *run;
    pthread_mutex_t mu;
    FILE *out; /* dead letters, or NULL */
    uint64_t count, logged;
    uint64_t passed; /* records whose journey, or way to the first fork, has ended */
    uint64_t by_reason[LEAT_R_COUNT];
};

void rejects_init(struct rejects *r, const struct options *o, struct run *run);
/* The dead-letter file. Failures, also of writing, are the run's (run_fail). */
int rejects_open(struct rejects *r);
void rejects_close(struct rejects *r);

/* Note a rejection in the batch. Any stage's thread; the batch is its own. */
void rejects_note(struct hbatch *h, const struct instance *by, uint32_t record, int reason,
                  const char *format, va_list args);

/* Write out what the batch has noted, in the order of its records, and forget it. */
void rejects_flush(struct rejects *r, struct hbatch *h);

/* The batch is at its end, or at a fork: flush, and see whether too much has been rejected. */
void rejects_passed(struct rejects *r, struct hbatch *h);

/* "a.csv:17 (byte 1234): parse (parse.csv): 11 columns expected, 9 found" */
void rejects_describe(const struct hbatch *h, const struct rejection *j, char *text, size_t cap);

const char *rejects_reason_name(int reason);

#endif
