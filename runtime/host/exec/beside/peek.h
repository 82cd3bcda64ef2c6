/* peek.h -- what `leat check` asks before a run: files for their headers, so that it knows their
 * columns, tables that a stage reads whole, memory for learners, the first records, and servers. */
#ifndef LEAT_HOST_EXEC_BESIDE_PEEK_H
#define LEAT_HOST_EXEC_BESIDE_PEEK_H

#include "host/log/diag.h"
#include "host/graph/graph.h"

struct hbatch;
struct run;

/* Sets schema_out.header of each source whose parser takes a header and whose inputs, named by
 * parameters with LEAT_READS_FILE, are all regular files; for that it is opened, asked and closed.
 * The graph must have been negotiated, which gives sources their framing; the next negotiation uses
 * the headers. What is wrong with a header goes to d. Before any thread is started. */
void peek_headers(struct graph *g, struct diag *d);

/* Opens and closes each stage that reads a regular file to its end before the run
 * (LEAT_READS_WHOLE); what is wrong with the file goes to d. The graph must have been negotiated
 * without errors; a stage whose columns are not known yet is passed over. Before any thread is
 * started. */
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

/* Lets each stage ask its servers whether what it needs is there (leat_stage.online), some seconds
 * each; what is wrong goes to d. The graph must have been negotiated without errors. Before any
 * thread of a run is started. */
void peek_online(struct graph *g, struct diag *d);

/* A batch for the records of an open source. NULL: the run has failed. */
struct hbatch *peek_batch(struct run *r, const struct node *source);
/* Fills it with the next records. The status of the source's `produce`. */
int peek_produce(struct run *r, struct node *source, struct hbatch *h);

#endif
