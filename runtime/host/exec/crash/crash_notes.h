/* crash_notes.h -- notes in the directory of --state about the calls that ended a run.
 *
 * When a stage ends the process, the handler of the crash (call_trap.h) appends a line to the file
 * `crashes`. A run that hangs until its deadline does the same. After SIGKILL, which no handler
 * sees, the next run writes the notes, from the marks that the killed run left (crash_marks.h).
 *
 * The next run reads the lines. If the call was about records (process, expand), it looks for the
 * record (bisect.h), and appends a line about each that it has found. If runs end in one call again
 * and again without progress, the next one does not begin. Nothing is written while a run works.
 * The file is removed when a run ends well. */
#ifndef LEAT_HOST_EXEC_CRASH_CRASH_NOTES_H
#define LEAT_HOST_EXEC_CRASH_CRASH_NOTES_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct hbatch;
struct instance;

enum { CRASH_NOTES = 64 };                /* most notes that a run reads: the last ones */
#define CRASH_NOTES_NO_RECORDS UINT64_MAX /* records before a run that has no state yet */

struct crash_note {
    const char *stage;    /* label of the stage                                                */
    const char *call;     /* such as "process"; "search": a record is found, or nearly so      */
    const char *input;    /* input of the batch's first record; "": places are counts          */
    const char *fate;     /* end of the run, such as "aborted (SIGABRT)"                       */
    uint64_t first, last; /* offsets of the first and last record in the input; or numbers of
                           * records that the stage got before these two                       */
    uint64_t records;     /* records of the sources before the run                             */
    bool hung, killed;
};

struct crash_notes {
    struct crash_note v[CRASH_NOTES];
    uint32_t n;
    const struct crash_note *newest; /* last note of an end; NULL: none */
};

/* Makes crashes from now on write notes into the open directory. -1: they write none. */
void crash_notes_keep(int dir);
/* Sets the records of the sources before the run, for later notes. */
void crash_notes_begin(uint64_t records);
/* Reads the notes of the directory. Texts are in the arena. */
void crash_notes_read(struct crash_notes *notes, int dir, struct arena *a);
/* Writes a note about a stage that does not return from a call with records. */
void crash_notes_hung(const struct instance *in);
/* Writes a note about a call of a run that was killed, which had n records from number `first` on.
 * `records`: records of the sources before that run. */
void crash_notes_killed(int dir, const char *stage, const char *call, uint64_t first, uint64_t n,
                        uint64_t records);
/* Writes a note about the records of the batch from row `from` to row `to`: one of them ends the
 * process. */
void crash_notes_found(const struct instance *in, struct hbatch *h, uint32_t from, uint32_t to,
                       const char *fate);
/* Removes the notes. */
void crash_notes_remove(int dir);

/* Returns a note that may mean the call with this batch, best one of a hang; NULL if none does. */
const struct crash_note *crash_notes_find(const struct crash_notes *notes,
                                          const struct instance *in, const char *call,
                                          struct hbatch *h);
/* True if the note is of a search in the batch. Sets *from and *to to the rows of its records. */
bool crash_notes_rows(const struct crash_note *note, const struct instance *in, struct hbatch *h,
                      uint32_t *from, uint32_t *to);
/* Returns why the run must not go on: the last runs, which began after as many records, all ended
 * in one call. Returns NULL if it may. `dir`: name of the directory, for the text. */
const char *crash_notes_loop(const struct crash_notes *notes, uint64_t records, const char *dir,
                             struct arena *a);

#endif
