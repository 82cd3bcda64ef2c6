/* bisect.h -- finds and rejects the records at which a stage ended the last run.
 *
 * A batch that a note names is first tried in a child process (crash_probe.h), whose work is lost
 * with it. If the child ends as the run did, the first n records of the batch are tried, with n
 * halved between what passes and what does not, until one record is left. That one is rejected, and
 * the rest is tried again. So the stage in this process never sees the record, and sees all others
 * as before.
 *
 * A search that a signal interrupts fails the run shortly before its deadline. What it has found
 * stays in the notes, and the next run begins with it. */
#ifndef LEAT_HOST_EXEC_CRASH_BISECT_H
#define LEAT_HOST_EXEC_CRASH_BISECT_H

struct hbatch;
struct instance;
struct worker;

/* Calls process or expand of a stage with a batch, as the worker does. */
typedef int bisect_call(struct worker *w, struct instance *i, struct hbatch *h);

/* Rejects the records of the batch that end the process in this call of the stage, if a note names
 * the batch. Call it right before the call, whose name is `name`. */
void bisect_batch(struct worker *w, struct instance *i, struct hbatch *h, const char *name,
                  bisect_call *call);

#endif
