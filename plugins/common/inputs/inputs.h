/* inputs.h -- files of a source: expands patterns, and checks all files before the first is
 * read. */
#ifndef LEAT_COMMON_INPUTS_INPUTS_H
#define LEAT_COMMON_INPUTS_INPUTS_H

#include <stdbool.h>

#include <leat/plugin.h>

/* Row for the parameter `path`. */
#define INPUTS_PATH(OFFSET)                                                                        \
    {                                                                                              \
        .name = "path", .type = LEAT_STRINGS,                                                      \
        .flags = LEAT_REQUIRED | LEAT_POSITIONAL | LEAT_OPERATIONAL | LEAT_READS_FILE,             \
        .offset = (OFFSET),                                                                        \
        .doc = "files to read, in this order; '*', '?' and '[]' match names; '-' is standard "     \
               "input"                                                                             \
    }

/* Row for the parameter `window`. */
#define INPUTS_WINDOW(OFFSET)                                                                      \
    {                                                                                              \
        .name = "window", .type = LEAT_SIZE, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL,            \
        .offset = (OFFSET), .min = 1 << 20, .max = 4294967296.0, .unit = "bytes",                  \
        .doc = "largest zstd window or xz dictionary that compressed data may need; by default "   \
               "as much as a file needs, up to 128MB, and 8MB for pipes"                           \
    }

/* Row for the parameter `encoding`, an enum recode_from. */
#define INPUTS_ENCODING(OFFSET)                                                                    \
    {                                                                                              \
        .name = "encoding", .type = LEAT_CHOICE, .offset = (OFFSET), .def = "utf-8",               \
        .choices = inputs_encodings,                                                               \
        .doc = "encoding of the text, which becomes UTF-8; utf-16 without a byte order mark is "   \
               "little endian"                                                                     \
    }
extern const char *const inputs_encodings[];

struct input {
    const char *path;
    const char *name;    /* name in messages: the path, or "standard input" */
    bool standard_input; /* the path is "-" */
    const char *format;  /* coding of its items (decoder_of_items); NULL: its name decides */
    uint64_t before;     /* bytes of all earlier inputs */
    uint64_t window;     /* largest window for the decoder */
};

struct inputs {
    struct input *v;
    uint32_t n;
    uint64_t bytes;   /* bytes of all inputs; 0 if the size of one is unknown (a pipe) */
    const char *pipe; /* first input that can be read only once, such as a pipe; or NULL */
};

/* Reports wrong `path`s when a stage is validated. Returns true if standard input is among them. */
bool inputs_validate(const struct leat_strings *paths, struct leat_diag *d);
/* Returns the most memory that a decoder of one of the files takes. Called in plan. `window` is the
 * parameter; if it is 0, the first bytes of the files decide. `format`: as in struct input. */
uint64_t inputs_decoder_bytes(const struct leat_strings *paths, const char *format, int64_t window);
/* Expands `paths` and checks that each file can be read, so that a run does not read two files and
 * then find the third missing. Reports the names of the inputs to the host. Always call
 * inputs_fini() afterwards, even after a failure. */
int inputs_init(struct leat_ctx *ctx, struct inputs *in, const struct leat_strings *paths,
                int64_t window);
/* Checks that a later run can continue in every input. Returns LEAT_OK; LEAT_EARG, reported to the
 * host, if an input can be read only once. */
int inputs_seekable(struct leat_ctx *ctx, const struct inputs *in);
/* Write the name of the input that the source has reached, and compare it when a later run
 * continues. inputs_same() returns LEAT_OK; or refuses with LEAT_EDATA if there are now fewer
 * inputs than n, or input number `input` has another name. */
int inputs_write(const struct inputs *in, uint32_t input, struct leat_writer *w);
int inputs_same(const struct inputs *in, uint64_t n, uint64_t input, struct leat_reader *from);
void inputs_fini(struct leat_ctx *ctx, struct inputs *in);

#endif
