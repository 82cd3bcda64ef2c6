/* peek.h -- what `leat check` asks before a run: files for their headers, so that it knows their
 * columns, tables that a stage reads whole, memory for learners, the first records, and servers. */
#ifndef LEAT_HOST_EXEC_TRIAL_PEEK_H
#define LEAT_HOST_EXEC_TRIAL_PEEK_H

#include "host/log/diag.h"
#include "host/graph/graph.h"
#include "host/memory/arena.h"
#include "host/plugin/registry.h"
#include "host/plugin/setting.h"

struct hbatch;
struct run;

/* Sets schema_out.header of each source whose parser takes a header and whose inputs, named by
 * parameters with LEAT_READS_FILE, are all regular files; for that it is opened, asked and closed.
 * The graph must have been negotiated, which gives sources their framing; the next negotiation uses
 * the headers. What is wrong with a header goes to d. Before any thread is started. */
void peek_headers(struct graph *g, struct diag *d);

/* Opens and closes each stage that reads a regular file to its end before the run
 * (LEAT_READS_WHOLE). Faults of the file go to d. The graph must have been negotiated without
 * errors; stages with unknown columns are passed over. Call it before any thread is started. */
void peek_tables(struct graph *g, struct diag *d);

/* Opens all learners together, as a run does, and closes them: is there memory for what
 * they reserve? Why one cannot open goes to d. The graph must have been negotiated without errors.
 * Before any thread is started. */
void peek_learners(struct graph *g, struct diag *d);

/* Gives each parser a batch of the first records of the regular files that it reads, and the
 * transforms and learners after it some of what it makes, as a run would. What they reject, and
 * what source and parser say of the records, goes to d as warnings. The graph must have been
 * negotiated without errors. Before any thread is started. */
void peek_records(struct graph *g, struct diag *d);

/* Lets each stage ask its servers for all that it needs (leat_stage.online), some seconds each.
 * Faults go to d. The graph must have been negotiated without errors. Call it before any thread of
 * a run is started. */
void peek_online(struct graph *g, struct diag *d);

/* Fills a batch with the next records. Returns the status of the source's `produce`. */
int peek_produce(struct run *r, struct node *source, struct hbatch *h);

/* ---- the beginning of an input, for scripts, which choose by it ---- */

/* The records of source.file until they are `max` bytes (one record more), each ended by \n; in a.
 * NULL: *n is 0, and *why, in a, says why, or is NULL where not all are regular files: nothing is
 * read of what gives a record once, such as a pipe. Records that are too long are left out; when
 * the first are, and no other is found, that is *why, and the first bytes of one are returned.
 * Before any thread is started. `path` is as source.file takes it: a pattern or a list, too; so is
 * `encoding`, or NULL. */
const char *peek_text(struct registry *known, const char *path, const char *encoding, size_t max,
                      struct arena *a, size_t *n, const char **why);

/* The records of a source with these settings, until they are `max` bytes or it ends: a list of
 * texts in a, those of one input behind those of the input before it. Its servers are asked first
 * (leat_stage.online). It takes half a minute at most: the settings should end it sooner. NULL:
 * *why, in a, says why. */
const struct value *peek_list(struct registry *known, const char *stage, struct setting *settings,
                              size_t n_settings, size_t max, struct arena *a, const char **why);

#endif
