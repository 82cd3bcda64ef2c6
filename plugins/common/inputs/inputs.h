/* inputs.h -- files of a source: expands patterns, and checks all files before it reads one. */
#ifndef LEAT_COMMON_INPUTS_INPUTS_H
#define LEAT_COMMON_INPUTS_INPUTS_H

#include <stdbool.h>

#include <leat/plugin.h>

/* Row of a stage's parameter table for its files. */
#define INPUTS_PATH(OFFSET)                                                                        \
    {                                                                                              \
        .name = "path", .type = LEAT_STRINGS,                                                      \
        .flags = LEAT_REQUIRED | LEAT_POSITIONAL | LEAT_OPERATIONAL | LEAT_READS_FILE,             \
        .offset = (OFFSET),                                                                        \
        .doc = "files to read, in this order; '*', '?' and '[]' match names; '-' is standard "     \
               "input"                                                                             \
    }

/* Row for `window`. */
#define INPUTS_WINDOW(OFFSET)                                                                      \
    {                                                                                              \
        .name = "window", .type = LEAT_SIZE, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL,            \
        .offset = (OFFSET), .min = 1 << 20, .max = 4294967296.0, .unit = "bytes",                  \
        .doc = "the largest window of zstd, or dictionary of xz, that compressed data may ask "    \
               "for; without it what files ask for, up to 128MB, and 8MB for pipes"                \
    }

/* Row for `encoding`, an enum recode_from. */
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
    const char *name;    /* name in messages: the path, or "standard input" */
    bool standard_input; /* path is "-" */
    uint64_t before;     /* bytes of the earlier inputs */
    uint64_t window;     /* largest window of its decoder */
};

struct inputs {
    struct input *v;
    uint32_t n;
    uint64_t bytes;   /* bytes of all inputs; 0 if one has no size (a pipe) */
    const char *pipe; /* first input that cannot be read again from any offset, or NULL */
};

/* Reports wrong `path`s, in validate. Returns true if standard input is among them. */
bool inputs_validate(const struct leat_strings *paths, struct leat_diag *d);
/* Returns, in plan, the most memory that a decoder of one of the files takes. `window` is the
 * parameter; if it is 0, the first bytes of the files decide. */
uint64_t inputs_decoder_bytes(const struct leat_strings *paths, int64_t window);
/* Expands `paths` and checks that each can be read, so that a run does not read two files and then
 * find the third missing. Names the inputs to the host. The caller always calls inputs_fini, even
 * after a failure. */
int inputs_init(struct leat_ctx *ctx, struct inputs *in, const struct leat_strings *paths,
                int64_t window);
/* Returns LEAT_OK, or LEAT_EARG after reporting an input that a later run could not continue. */
int inputs_seekable(struct leat_ctx *ctx, const struct inputs *in);
/* Write the name of the input that a source has reached, and compare it in a later run. Returns
 * LEAT_OK, or LEAT_EDATA after refusing: there were more inputs (n) than now, this one is gone, or
 * files that sort before it were added or removed. */
int inputs_write(const struct inputs *in, uint32_t input, struct leat_writer *w);
int inputs_same(const struct inputs *in, uint64_t n, uint64_t input, struct leat_reader *from);
void inputs_fini(struct leat_ctx *ctx, struct inputs *in);

#endif
