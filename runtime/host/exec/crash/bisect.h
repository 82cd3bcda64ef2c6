/* bisect.h -- finds and rejects the records at which a stage ended the last run.
 *
 * A batch that a note names is first tried in a child process (crash_probe.h), whose work is lost
 * with it. If the child ends as the run did, the first n records of the batch are tried, with n
 * halved between what passes and what does not, until one record is left. That one is rejected, and
 * the rest is tried again. So the stage in this process never sees the record, and sees all others
 * as before. */
#ifndef LEAT_HOST_EXEC_CRASH_BISECT_H
#define LEAT_HOST_EXEC_CRASH_BISECT_H

struct hbatch;
struct instance;
struct worker;

/* Calls process of a stage with a batch, as the worker does. */
typedef int bisect_call(struct worker *w, struct instance *i, struct hbatch *h);

/* Rejects the records of the batch that end the process in this stage, if a note names the batch.
 * Call it right before the stage's process. */
void bisect_batch(struct worker *w, struct instance *i, struct hbatch *h, bisect_call *call);

#endif
