/* peek.h -- the part of `leat check` that looks at files, memory and servers before a run. */
#ifndef LEAT_HOST_EXEC_TRIAL_PEEK_H
#define LEAT_HOST_EXEC_TRIAL_PEEK_H

#include "host/log/diag.h"
#include "host/graph/graph.h"
#include "host/memory/arena.h"
#include "host/plugin/registry.h"
#include "host/params/setting.h"

struct hbatch;
struct run;

/* Sets schema_out.header of each source whose parser takes a header, if all its inputs (parameters
 * with LEAT_READS_FILE) are regular files. To do so, opens the source, reads the header and closes
 * it. The graph must have been negotiated, which gives sources their framing; the next negotiation
 * uses the headers. Faults of a header go to d. Call it before any thread is started. */
void peek_headers(struct graph *g, struct diag *d);

/* Opens and closes each stage that reads a regular file to its end before the run
 * (LEAT_READS_WHOLE). Faults of the file go to d. The graph must have been negotiated without
 * errors. Passes over stages with unknown columns. Call it before any thread is started. */
void peek_tables(struct graph *g, struct diag *d);

/* Opens all learners together, like a run, and closes them, to check for the memory that they
 * reserve. Failures to open go to d. The graph must have been negotiated without errors. Call it
 * before any thread is started. */
void peek_learners(struct graph *g, struct diag *d);

/* Gives each parser a batch of the first records of its regular files, and some of its output to
 * the transforms and learners after it, like a run. Rejections, and messages of source and parser
 * about the records, go to d as warnings. The graph must have been negotiated without errors. Call
 * it before any thread is started. */
void peek_records(struct graph *g, struct diag *d);

/* Lets each stage ask its servers for everything that it needs (leat_stage.online), each for some
 * seconds. Faults go to d. The graph must have been negotiated without errors. Call it before any
 * thread of a run is started. */
void peek_online(struct graph *g, struct diag *d);

/* Fills a batch with the next records. Returns the status of the source's `produce`. */
int peek_produce(struct run *r, struct node *source, struct hbatch *h);

/* ---- the beginning of an input, for scripts that decide by it ---- */

/* Returns the first records of source.file, up to `max` bytes and one record more, each ended by
 * \n, in a. Passes over records that are too long. On failure returns NULL, with *n 0 and the
 * reason in *why (in a); *why is NULL if an input is not a regular file, because reading would
 * consume a pipe. If the first records are too long and there is no other, *why says so, and the
 * first bytes of one are returned. `path` (a pattern or a list, too) and `encoding` (or NULL) have
 * the form of source.file's parameters. Call it before any thread is started. */
const char *peek_text(struct registry *known, const char *path, const char *encoding, size_t max,
                      struct arena *a, size_t *n, const char **why);

/* Returns the records of a source with these settings, until they are `max` bytes or it ends: a
 * list of texts in a, input by input. First lets the source ask its servers (leat_stage.online).
 * Takes half a minute at most; the settings should end the source sooner. On failure returns NULL,
 * with the reason in *why (in a). */
const struct value *peek_list(struct registry *known, const char *stage, struct setting *settings,
                              size_t n_settings, size_t max, struct arena *a, const char **why);

#endif
