/* param.h -- how a stage declares its parameters.
 *
 * A parameter is data: name, type, offset in the stage's configuration struct, default, range, unit
 * and one line of documentation. From this table the host checks scripts, suggests spellings,
 * writes typed values into the struct, and prints `leat plugins NAME`. A plugin never parses text.
 *
 *     struct cfg { int64_t k; double lambda; };
 *     static const struct leat_param params[] = {
 *         LEAT_PARAM(struct cfg, k, LEAT_INT, .def = "128", .min = 1, .max = 1e6,
 *                    .doc = "features kept by name"),
 *         ...
 *     };
 *
 * Strings and lists point into the host's memory, which lives as long as the stage.
 */
#ifndef LEAT_PARAM_H
#define LEAT_PARAM_H

#include <stddef.h>
#include <stdint.h>

// clang-format off
enum leat_type {        /* in the script                          in the struct, at .offset       */
    LEAT_BOOL = 1,      /* true, false                            int32_t 0 or 1                  */
    LEAT_INT,           /* 3, "3", "64Ki", "2M"                   int64_t                         */
    LEAT_FLOAT,         /* 0.5, "1e-6"                            double, always finite           */
    LEAT_STRING,        /* "text"                                 const char *, NULL when absent  */
    LEAT_PATH,          /* "a/b.csv"; a STRING displayed as path  const char *                    */
    LEAT_CHOICE,        /* one of .choices                        int32_t, index into .choices    */
    LEAT_SIZE,          /* 4096, "32KB", "1MiB" (K = 1024)        int64_t, bytes                  */
    LEAT_DURATION,      /* 1.5 (seconds), "10s", "250ms", "5min"  int64_t, nanoseconds            */
    LEAT_INTERVAL,      /* "10s" or 100000 (examples)             struct leat_interval            */
    LEAT_STRINGS,       /* { "a", "b" } or "a,b"                  struct leat_strings             */
    LEAT_FUNCTION       /* a Lua function                         const struct leat_function *    */
};
// clang-format on

enum leat_param_flags {
    LEAT_REQUIRED = 1,     /* the script must set it; .def is ignored                  */
    LEAT_POSITIONAL = 2,   /* takes the unnamed values of the constructor's table, too */
    LEAT_ADVANCED = 4,     /* listed last: most users do not need it                   */
    LEAT_OPERATIONAL = 8,  /* affects access, not content: a snapshot does not depend on it, and a
                            * run with another value resumes the snapshot */
    LEAT_SECRET = 16,      /* may hold a secret: its value is never shown; also OPERATIONAL */
    LEAT_READS_FILE = 32,  /* files to read, '-' is standard input; '*', '?' and '[]' match names.
                            * The host checks before the start that they can be read; it may also
                            * read a source's header then */
    LEAT_WRITES_FILE = 64, /* a file to write, '-' is standard output. The host checks that it can
                            * be written, and that nothing else reads or writes it */
    LEAT_STREAM = 128,     /* streams of messages that a source reads, or the stream that a sink
                            * writes. A source's name that begins with ^ is an extended regular
                            * expression. The host checks that no pipeline reads and writes the
                            * same stream of a server */
    LEAT_SERVERS = 256,    /* addresses of the streams' servers, separated by commas */
    LEAT_MAY_COME = 512,   /* for a BOOL: when true, the files that the stage reads may appear after
                            * the start; the run waits for them */
    LEAT_READS_WHOLE = 1024, /* with READS_FILE: one file, read to its end before the run, so it
                              * cannot be a pipe */
    LEAT_QUESTION = 2048     /* shapes the question to a learner, never its state. `leat model top
                              * --set` and a continued run may change it; the next answer uses the
                              * new value. Since 1.1 */
};

struct leat_interval {
    int64_t ns;       /* wall time, or 0                                 */
    int64_t examples; /* examples learned, or 0. Both 0: only at the end */
};

struct leat_strings {
    const char *const *v;
    uint32_t n;
    uint32_t reserved;
};

/* A Lua function without its state; only the host's own Lua stages take one. */
struct leat_function;

struct leat_param {
    const char *name;
    size_t offset;              /* of the value in the stage's configuration struct           */
    uint32_t type;              /* enum leat_type                                             */
    uint32_t flags;             /* enum leat_param_flags                                      */
    const char *def;            /* default as a user would type it; NULL: zero, empty, absent */
    double min, max;            /* inclusive range of numbers, bytes or seconds (of an interval: of
                                 * examples); both 0: any */
    const char *const *choices; /* LEAT_CHOICE: names, ended by NULL */
    const char *unit;           /* "rows", "bits"; NULL: none        */
    const char *doc;            /* one line                          */
    /* Name of another parameter of the stage, or NULL. Unless this parameter has its default value,
     * it decides in place of the other one. A script that sets both is refused. */
    const char *replaces;
    const char *only_with; /* another parameter, or NULL. This one has no effect unless the other is
                            * set: to a value other than its default, or to any value if it is a
                            * BOOL */
};

/* Declares a parameter named after its field. The arguments after TYPE are the members from `flags`
 * on, in their order. */
#define LEAT_PARAM(CFG, FIELD, TYPE, ...) LEAT_PARAM_AS(#FIELD, CFG, FIELD, TYPE, __VA_ARGS__)
/* Declares a parameter with a name other than its field's. */
#define LEAT_PARAM_AS(NAME, CFG, FIELD, TYPE, ...)                                                 \
    {                                                                                              \
        .name = NAME, .offset = offsetof(CFG, FIELD), .type = TYPE, __VA_ARGS__                    \
    }

#endif
