/* crash_marks.h -- marks of the calls at work, which outlive a process that is killed.
 *
 * The marks are in the file `running` in the directory of --state, which is mapped into memory. A
 * worker writes the mark of a stage before and after each call with records: two stores, no system
 * call. A file that is left tells the next run in which calls the last one was killed by SIGKILL,
 * for instance by the kernel for lack of memory. */
#ifndef LEAT_HOST_EXEC_CRASH_CRASH_MARKS_H
#define LEAT_HOST_EXEC_CRASH_CRASH_MARKS_H

#include <stdatomic.h>
#include <stdint.h>

struct instance;
struct run;

enum crash_call { CRASH_PROCESS, CRASH_EXPAND };
enum { CRASH_LABEL = 112 }; /* bytes for a stage's label; a longer one has no mark */

struct crash_mark {
    uint64_t first;     /* records that the stage got before this call */
    _Atomic uint32_t n; /* records of the call; 0: no call             */
    uint32_t call;      /* enum crash_call                             */
    char stage[CRASH_LABEL];
};

/* Writes a note (crash_notes.h) for each call that a killed run has left in the open directory, and
 * removes its marks. */
void crash_marks_read(int dir);
/* Makes the marks of a run that begins after `records` records of its sources. A run whose
 * directory has no room works without. */
void crash_marks_begin(int dir, struct run *r, uint64_t records);
/* Notes that an end of the process from now on is no crash: it is noted already, or somebody has
 * asked for it. Holds for marks that are made later, too. May be called from a signal handler, and
 * by any thread before crash_marks_end(). */
void crash_marks_over(void);
/* Removes the marks. No worker runs any more. */
void crash_marks_end(int dir, struct run *r);

/* Marks the begin of a call with n records, and its end. */
void crash_mark_enter(const struct instance *i, enum crash_call call, uint32_t n);
void crash_mark_leave(const struct instance *i);

#endif
