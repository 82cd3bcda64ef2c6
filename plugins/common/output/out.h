/* out.h -- the file that a sink writes: opening, buffering, and one error message with its name.
 *
 * "-" is standard output, under a duplicate descriptor. Text gathers in a buffer of 64 KiB. It is
 * written when out_flush is called, or when the buffer is half full at the end of a line. So
 * several sinks on one terminal or pipe do not break each other's lines. Only a line longer than
 * the rest of the buffer is written in parts.
 *
 * Errors: writing never fails in the middle. out_line and out_flush return the first error from
 * then on, so it is enough to check the last call. The host gets the error once: out_stop, which
 * runs when the host ends the run for that reason, does not repeat it.
 *
 * The configuration of a stage that writes begins with struct out_cfg, and its instance with struct
 * out. So the calls below fit into its struct leat_stage unchanged. */
#ifndef LEAT_COMMON_OUTPUT_OUT_H
#define LEAT_COMMON_OUTPUT_OUT_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "core/report/text_out.h"

#define OUT_BUFFER ((size_t)64 * 1024)

struct out_cfg {
    const char *path;
    int32_t append;
    int32_t format; /* for a stage with several formats, which names them in its own parameter */
};

/* Parameters of every sink that writes. */
#define OUT_PARAMS                                                                                 \
    LEAT_PARAM(struct out_cfg, path, LEAT_PATH, .flags = LEAT_WRITES_FILE, .def = "-",             \
               .doc = "file to write; - is standard output"),                                      \
        LEAT_PARAM(struct out_cfg, append, LEAT_BOOL, .def = "false",                              \
                   .doc = "write after what the file holds instead of emptying it first")

struct out {
    struct text_out text; /* all writing goes through this */
    const char *path;
    int fd;
    bool fresh;     /* the file is empty, so a heading is due */
    bool reported;  /* the host knows of the failure */
    bool begun;     /* out_start was called */
    uint64_t begin; /* length at which writing begins; later bytes in the file are cut off */
};

/* ---- calls of a stage ---- */

int out_validate(const void *config, struct leat_diag *d);
/* Plans a stage that needs no memory but the buffer. */
int out_plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
             struct leat_plan *p);
int out_open(struct leat_ctx *ctx, void *self);
void out_close(struct leat_ctx *ctx, void *self);
/* Empties the file, or cuts it to its length at the snapshot, and ends its last line. This waits
 * until just before the first write. */
int out_start(struct leat_ctx *ctx, void *self);
/* Writes the rest and closes the file. Some file systems report errors only then. */
int out_stop(struct leat_ctx *ctx, void *self);
int out_tick(struct leat_ctx *ctx, void *self, int64_t now);
int out_barrier(struct leat_ctx *ctx, void *self, uint64_t checkpoint);
/* Save and restore the length of the file, after the barrier has written the rest. */
int out_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w);
int out_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version);

/* Calls at a barrier and at the end, for a stage that has no other state. */
#define OUT_CALLS                                                                                  \
    .barrier = out_barrier, .stop = out_stop,                                                      \
    .state = LEAT_ROLE(leat_state, .version = 1, .snapshot = out_snapshot, .restore = out_restore)

/* ---- writing ---- */

/* Reports a failed write once and returns a status. failed: an errno, or 0. */
int out_result(struct leat_ctx *ctx, struct out *o, int failed);
int out_flush(struct leat_ctx *ctx, struct out *o);

/* Ends a line. */
static inline int out_line(struct leat_ctx *ctx, struct out *o)
{
    text_line(&o->text);
    return out_result(ctx, o, o->text.failed);
}

#endif
