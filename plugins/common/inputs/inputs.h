/* inputs.h -- which files a source reads: patterns are expanded, and every file is checked before
 * the first is read. */
#ifndef LEAT_COMMON_INPUTS_INPUTS_H
#define LEAT_COMMON_INPUTS_INPUTS_H

#include <stdbool.h>

#include <leat/plugin.h>

/* The row of a stage's parameter table for its files. */
#define INPUTS_PATH(OFFSET)                                                                        \
    {                                                                                              \
        .name = "path", .type = LEAT_STRINGS,                                                      \
        .flags = LEAT_REQUIRED | LEAT_POSITIONAL | LEAT_OPERATIONAL | LEAT_READS_FILE,             \
        .offset = (OFFSET),                                                                        \
        .doc = "files to read, in this order; '*', '?' and '[]' match names; '-' is standard "     \
               "input"                                                                             \
    }

/* The row for `window`. */
#define INPUTS_WINDOW(OFFSET)                                                                      \
    {                                                                                              \
        .name = "window", .type = LEAT_SIZE, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL,            \
        .offset = (OFFSET), .min = 1 << 20, .max = 4294967296.0, .unit = "bytes",                  \
        .doc = "the largest window of zstd, or dictionary of xz, that compressed data may ask "    \
               "for; without it what files ask for, up to 128MB, and 8MB for pipes"                \
    }

/* The row for `encoding`: an enum recode_from. */
#define INPUTS_ENCODING(OFFSET)                                                                    \
    {                                                                                              \
        .name = "encoding", .type = LEAT_CHOICE, .offset = (OFFSET), .def = "utf-8",               \
        .choices = inputs_encodings,                                                               \
        .doc = "of the text, which becomes UTF-8; utf-16 has a byte order mark, or is little "     \
               "endian"                                                                            \
    }
extern const char *const inputs_encodings[];

struct input {
    const char *path;
    const char *name;    /* for messages: the path, or "standard input" */
    bool standard_input; /* path is "-" */
    uint64_t before;     /* bytes of the inputs before it */
    uint64_t window;     /* of its decoder, at most       */
};

struct inputs {
    struct input *v;
    uint32_t n;
    uint64_t bytes;   /* of all together; 0 when one has no size (a pipe)        */
    const char *pipe; /* the first that cannot be read again from any offset, or NULL */
};

/* Called in validate: reports wrong `path`s. Returns whether standard input is among them. */
bool inputs_validate(const struct leat_strings *paths, struct leat_diag *d);
/* Called in plan: the most memory that a decoder of one of them takes. `window` is the parameter, 0
 * when it is absent: then the first bytes of the files say it. */
uint64_t inputs_decoder_bytes(const struct leat_strings *paths, int64_t window);
/* Expands `paths` and checks that each can be read, so that a run does not read two files and then
 * find the third missing. Names the inputs to the host. Always call inputs_fini, also after a
 * failure. */
int inputs_init(struct leat_ctx *ctx, struct inputs *in, const struct leat_strings *paths,
                int64_t window);
/* Returns LEAT_OK; or LEAT_EARG after reporting an input that a later run could not continue. */
int inputs_seekable(struct leat_ctx *ctx, const struct inputs *in);
/* Write the name of the input that a source has come to; and compare it in a later run. Returns
 * LEAT_OK, or LEAT_EDATA after refusing: there were more inputs (n) than there are, it is gone, or
 * files that sort before it were added or removed. */
int inputs_write(const struct inputs *in, uint32_t input, struct leat_writer *w);
int inputs_same(const struct inputs *in, uint64_t n, uint64_t input, struct leat_reader *from);
void inputs_fini(struct leat_ctx *ctx, struct inputs *in);

#endif
