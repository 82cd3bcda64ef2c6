/* crash_notes.h -- notes in the directory of --state about the batches that ended a run.
 *
 * When a stage ends the process in `process`, the handler of the crash (call_trap.h) appends a line
 * to the file `crashes`. A run that hangs until its deadline does the same. The next run reads the
 * lines, and looks in those batches for the record (bisect.h). Nothing is written while a run
 * works. The file is removed when a run ends well. */
#ifndef LEAT_HOST_EXEC_CRASH_CRASH_NOTES_H
#define LEAT_HOST_EXEC_CRASH_CRASH_NOTES_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct hbatch;
struct instance;

enum { CRASH_NOTES = 64 }; /* most notes that a run reads: the last ones */

struct crash_note {
    const char *stage;    /* label of the stage                                 */
    const char *input;    /* input of the batch's first record                  */
    const char *fate;     /* end of the run, such as "aborted (SIGABRT)"       */
    uint64_t first, last; /* offsets of the batch's first and last record there */
    bool hung;
};

struct crash_notes {
    struct crash_note v[CRASH_NOTES];
    uint32_t n;
};

/* Makes crashes from now on write notes into the open directory. -1: they write none. */
void crash_notes_keep(int dir);
/* Reads the notes of the directory. Texts are in the arena. */
void crash_notes_read(struct crash_notes *notes, int dir, struct arena *a);
/* Writes a note about a stage that does not return from process. */
void crash_notes_hung(const struct instance *in);
/* Removes the notes. */
void crash_notes_remove(int dir);
/* Returns a note that may mean the batch in this stage, best one of a hang; NULL if none does. */
const struct crash_note *crash_notes_find(const struct crash_notes *notes,
                                          const struct instance *in, struct hbatch *h);

#endif
