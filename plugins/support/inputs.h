/* inputs.h -- which files a source reads: patterns written out, every one looked at beforehand.
 */
#ifndef LEAT_SUPPORT_INPUTS_H
#define LEAT_SUPPORT_INPUTS_H

#include <stdbool.h>

#include <leat/plugin.h>

struct input {
    const char *path;
    const char *name;    /* for people: the path, or "standard input" */
    bool standard_input; /* path is "-" */
    uint64_t before;     /* bytes of those before it */
};

struct inputs {
    struct input *v;
    uint32_t n;
    uint64_t bytes;   /* of all together; 0 when one has no size (a pipe)       */
    const char *pipe; /* the first that cannot be read from any place in it, or NULL */
};

/* Write out `paths` and check that each can be read, so that a run does not find the third missing
 * after two. Names the inputs to the host. Owns what it holds: inputs_fini, also after a failure.
 */
int inputs_init(struct leat_ctx *ctx, struct inputs *in, const struct leat_strings *paths);
/* LEAT_OK, or LEAT_EARG after saying which of them cannot be gone on with in a later run. */
int inputs_seekable(struct leat_ctx *ctx, const struct inputs *in);
/* State: which input a source stands in; and that it is the same one in a later run. LEAT_OK, or
 * LEAT_EDATA after refusing: files that sort before it came or went, or it did. */
int inputs_write(const struct inputs *in, uint32_t input, struct leat_writer *w);
int inputs_same(const struct inputs *in, uint64_t input, struct leat_reader *from);
void inputs_fini(struct leat_ctx *ctx, struct inputs *in);

#endif
