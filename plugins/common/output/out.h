/* out.h -- the file that a sink writes: opening, buffering and error reports.
 *
 * "-" is standard output, under a duplicate descriptor. Text is collected in a buffer of 64 KiB.
 * The buffer is written when out_flush is called, or when it is half full at the end of a line. So
 * several sinks on one terminal or pipe do not break each other's lines. Only a line longer than
 * the rest of the buffer is written in parts.
 *
 * Errors: after an error, writing has no effect. From then on, out_line and out_flush return the
 * first error, so it is enough to check the last call. The error is reported to the host once:
 * out_stop, which runs when the host ends the run because of it, does not report it again.
 *
 * The configuration of a stage that writes begins with struct out_cfg, and its instance with struct
 * out. So the functions below can be members of its struct leat_stage. */
#ifndef LEAT_COMMON_OUTPUT_OUT_H
#define LEAT_COMMON_OUTPUT_OUT_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "core/report/text_out.h"

#define OUT_BUFFER ((size_t)64 * 1024)

struct out_cfg {
    const char *path;
    int32_t append;
    int32_t format; /* for a stage with a parameter that names its formats */
};

/* Parameters of every sink that writes a file. */
#define OUT_PARAMS                                                                                 \
    LEAT_PARAM(struct out_cfg, path, LEAT_PATH, .flags = LEAT_WRITES_FILE, .def = "-",             \
               .doc = "file to write; - is standard output"),                                      \
        LEAT_PARAM(struct out_cfg, append, LEAT_BOOL, .def = "false",                              \
                   .doc = "append to the file instead of emptying it first")

struct out {
    struct text_out text; /* text to write: use this for all output */
    const char *path;
    int fd;
    bool fresh;     /* the file is empty: write a heading if the format has one */
    bool reported;  /* the failure was reported to the host */
    bool begun;     /* out_start was called */
    uint64_t begin; /* length of the file to keep; writing begins there */
};

/* ---- functions for struct leat_stage ---- */

int out_validate(const void *config, struct leat_diag *d);
/* Plans the memory of a stage that needs only the buffer. */
int out_plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
             struct leat_plan *p);
int out_open(struct leat_ctx *ctx, void *self);
void out_close(struct leat_ctx *ctx, void *self);
/* Empties the file, or cuts it to its length at the snapshot, and ends its last line. Called just
 * before the first write. */
int out_start(struct leat_ctx *ctx, void *self);
/* Writes the rest and closes the file, as some file systems report errors only then. */
int out_stop(struct leat_ctx *ctx, void *self);
int out_tick(struct leat_ctx *ctx, void *self, int64_t now);
int out_barrier(struct leat_ctx *ctx, void *self, uint64_t checkpoint);
/* Save and restore the length of the file. out_barrier() has written the buffer before. */
int out_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w);
int out_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version);

/* Functions at a barrier and at the end, for a stage without other state. */
#define OUT_CALLS                                                                                  \
    .barrier = out_barrier, .stop = out_stop,                                                      \
    .state = LEAT_ROLE(leat_state, .version = 1, .snapshot = out_snapshot, .restore = out_restore)

/* ---- writing ---- */

/* Reports a failed write once. failed: an errno, or 0. Returns LEAT_OK or LEAT_EIO. */
int out_result(struct leat_ctx *ctx, struct out *o, int failed);
int out_flush(struct leat_ctx *ctx, struct out *o);

/* Ends a line. Returns LEAT_OK or LEAT_EIO. */
static inline int out_line(struct leat_ctx *ctx, struct out *o)
{
    text_line(&o->text);
    return out_result(ctx, o, o->text.failed);
}

#endif
