/* out.h -- the file that a sink writes: opened, buffered, and its errors reported once, by name.
 *
 * "-" is standard output, by a descriptor of its own. Text gathers in a buffer of 64 KiB and is
 * written when out_flush is called or the buffer is half full at the end of a line, so that several
 * sinks on one terminal or pipe do not break each other's lines. Only a line longer than the rest
 * of the buffer is written in parts.
 *
 * Errors: writing never fails in the middle. out_line and out_flush return the first error from
 * then on, so it is enough to look at the last of them. The host gets the error once: out_stop,
 * which runs when the host ends the run for that reason, does not repeat it.
 *
 * The configuration of a stage that writes begins with struct out_cfg and its instance with struct
 * out, so that the calls below can stand in its struct leat_stage as they are. */
#ifndef LEAT_COMMON_OUTPUT_OUT_H
#define LEAT_COMMON_OUTPUT_OUT_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "core/report/text_out.h"

#define OUT_BUFFER ((size_t)64 * 1024)

struct out_cfg {
    const char *path;
    int32_t append;
    int32_t format; /* of a stage that has several: it names them in a parameter of its own */
};

/* The two parameters of every sink that writes. */
#define OUT_PARAMS                                                                                 \
    LEAT_PARAM(struct out_cfg, path, LEAT_PATH, .flags = LEAT_WRITES_FILE, .def = "-",             \
               .doc = "file to write; - is standard output"),                                      \
        LEAT_PARAM(struct out_cfg, append, LEAT_BOOL, .def = "false",                              \
                   .doc = "write after what the file holds instead of emptying it first")

struct out {
    struct text_out text; /* write through this */
    const char *path;
    int fd;
    bool fresh;     /* the file is empty: a heading is due                              */
    bool reported;  /* the host knows of the failure                                    */
    bool begun;     /* out_start was called                                             */
    uint64_t begin; /* length at which writing begins; what the file holds after it goes */
};

/* ---- calls of a stage ---- */

int out_validate(const void *config, struct leat_diag *d);
/* For a stage that needs no memory but the buffer. */
int out_plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
             struct leat_plan *p);
int out_open(struct leat_ctx *ctx, void *self);
void out_close(struct leat_ctx *ctx, void *self);
/* Before anything is written: only now is the file emptied, or cut to the length it had at the
 * snapshot. */
int out_start(struct leat_ctx *ctx, void *self);
/* Writes the rest and closes the file, which on some file systems is when errors appear. */
int out_stop(struct leat_ctx *ctx, void *self);
int out_tick(struct leat_ctx *ctx, void *self, int64_t now);
int out_barrier(struct leat_ctx *ctx, void *self, uint64_t checkpoint);
/* State: the length of the file, after the barrier has written the rest. */
int out_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w);
int out_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version);

/* At a barrier and at the end, for a stage that has no other state. */
#define OUT_CALLS                                                                                  \
    .barrier = out_barrier, .stop = out_stop,                                                      \
    .state = LEAT_ROLE(leat_state, .version = 1, .snapshot = out_snapshot, .restore = out_restore)

/* ---- writing ---- */

/* failed: an errno, or 0. */
int out_result(struct leat_ctx *ctx, struct out *o, int failed);
int out_flush(struct leat_ctx *ctx, struct out *o);

/* End a line. */
static inline int out_line(struct leat_ctx *ctx, struct out *o)
{
    text_line(&o->text);
    return out_result(ctx, o, o->text.failed);
}

#endif
