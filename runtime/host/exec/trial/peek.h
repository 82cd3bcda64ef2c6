/* peek.h -- checks before a run that read files, take memory and ask servers (`leat check`). */
#ifndef LEAT_HOST_EXEC_TRIAL_PEEK_H
#define LEAT_HOST_EXEC_TRIAL_PEEK_H

#include "host/log/diag.h"
#include "host/graph/graph.h"
#include "host/memory/arena.h"
#include "host/plugin/registry.h"
#include "host/params/setting.h"

struct hbatch;
struct run;

/* Opens each source whose parser needs a header, reads the header into schema_out.header, and
 * closes the source. Skips sources with inputs (parameters with LEAT_READS_FILE) that are not
 * regular files. Reports bad headers to d. The graph must have been negotiated, which gives sources
 * their framing; the next negotiation uses the headers. Call it before any thread is started. */
void peek_headers(struct graph *g, struct diag *d);

/* Opens and closes each stage that reads a regular file to its end before the run
 * (LEAT_READS_WHOLE). Reports bad files to d. Skips stages that use servers, and those whose
 * columns are not known yet. The graph must have been negotiated without errors. Call it before any
 * thread is started. */
void peek_tables(struct graph *g, struct diag *d);

/* Opens all learners and transforms at the same time, like a run, and closes them, to check that
 * they get their memory and what else they need. Leaves out stages that use servers. Reports
 * failures to d. The graph must have been negotiated without errors. Call it before
 * any thread is started. */
void peek_stages(struct graph *g, struct diag *d);

/* Tries each parser on a batch of the first records of its regular files, and the transforms and
 * learners after it, in each branch, on some of the parser's output. Reports rejections, and
 * messages of source and parser, to d as warnings. The graph must have been negotiated without
 * errors. Call it before any thread is started. */
void peek_records(struct graph *g, struct diag *d);

/* Calls leat_stage.online of each stage, which asks the stage's servers for everything that it
 * needs and takes at most some seconds. Reports faults to d. The graph must have been negotiated
 * without errors. Call it before any thread of a run is started. */
void peek_online(struct graph *g, struct diag *d);

/* Empties the batch and calls the source's produce. Returns the status of produce. */
int peek_produce(struct run *r, struct node *source, struct hbatch *h);

/* ---- the beginning of an input, for scripts that look at it to choose their stages ---- */

/* Returns the first records of files, each with a \n after it, until they are `max` bytes or more.
 * `path`, which may be a pattern or a list, and `encoding`, which may be NULL, are parameters of
 * source.file. Skips records that are too long. On failure returns NULL and sets *n to 0 and *why
 * to the reason. If an input is not a regular file, *why is NULL: reading would consume a pipe. If
 * all of the first records are too long, *why says so, and the first bytes of one are returned. All
 * texts are in `a`. Call it before any thread is started. */
const char *peek_text(struct registry *known, const char *path, const char *encoding, size_t max,
                      struct arena *a, size_t *n, const char **why);

/* Makes a pipeline of n stages in a row. The settings are those of the first stage, the source. */
struct graph *peek_pipeline(struct arena *a, const char *script, const char *const *stages,
                            uint32_t n, struct setting *settings, size_t n_settings);

/* Returns a linked pipeline that reads the lines of files; its first stage is the source. On
 * failure returns NULL and sets *why to the reason, or to NULL if an input is not regular. */
struct graph *peek_files(struct registry *known, const char *path, const char *encoding,
                         struct arena *a, const char **why);
/* Function that looks at a batch of the source. It returns false to stop. */
typedef bool peek_take(void *to, const struct leat_batch *b);
/* Opens the source of g, passes its batches to `take`, and closes it. Returns NULL, or the reason
 * of a failure. */
const char *peek_batches(struct graph *g, peek_take *take, void *to);

/* Returns the records of a source with these settings, as a list of texts in `a`, ordered by input,
 * until they are `max` bytes or the source ends. First calls leat_stage.online. Takes at most half
 * a minute; the settings should make the source end sooner. On failure returns NULL and sets *why
 * to the reason, in `a`. */
const struct value *peek_list(struct registry *known, const char *stage, struct setting *settings,
                              size_t n_settings, size_t max, struct arena *a, const char **why);

#endif
