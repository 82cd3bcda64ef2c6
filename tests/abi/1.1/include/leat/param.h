/* param.h -- how a stage declares its parameters.
 *
 * A parameter is a row of a table: name, type, offset in the stage's configuration struct, default,
 * range, unit and one line of documentation. With this table the host checks scripts, suggests
 * spellings, writes typed values into the struct, and prints `leat plugins NAME`. So a plugin never
 * parses parameters.
 *
 *     struct cfg { int64_t k; double lambda; };
 *     static const struct leat_param params[] = {
 *         LEAT_PARAM(struct cfg, k, LEAT_INT, .def = "128", .min = 1, .max = 1e6,
 *                    .doc = "features kept by name"),
 *         ...
 *     };
 *
 * Strings and lists in the struct belong to the host, and are valid as long as the stage.
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
    LEAT_REQUIRED = 1,     /* the script must set it; .def is ignored                         */
    LEAT_POSITIONAL = 2,   /* takes the values without a name in the constructor's table, too */
    LEAT_ADVANCED = 4,     /* listed last: most users do not need it                          */
    LEAT_OPERATIONAL = 8,  /* affects how data is accessed, not the results: a run with another
                            * value can continue from the snapshot */
    LEAT_SECRET = 16,      /* may hold a secret, so its value is never shown; implies OPERATIONAL */
    LEAT_READS_FILE = 32,  /* names files to read. '-' is standard input; '*', '?' and '[]' match
                            * names. Before the start the host checks that the files can be read,
                            * and may read a source's header */
    LEAT_WRITES_FILE = 64, /* names a file to write. '-' is standard output. The host checks that
                            * the file can be written, and that nothing else reads or writes it */
    LEAT_STREAM = 128,     /* names streams of messages that a source reads, or the stream that a
                            * sink writes. In a source, a name that begins with ^ is an extended
                            * regular expression. The host checks that a pipeline does not read and
                            * write the same stream of a server */
    LEAT_SERVERS = 256,    /* addresses of the servers of a STREAM parameter, separated by commas */
    LEAT_MAY_COME = 512,   /* BOOL: if true, files that the stage reads may appear after the start;
                            * the run waits for them */
    LEAT_READS_WHOLE = 1024, /* with READS_FILE: the stage reads one file to its end before the run,
                              * so the file cannot be a pipe */
    LEAT_QUESTION = 2048,    /* changes the query to a learner, never the learner's state. `leat
                              * model top --set` and a continued run may change the value; the next
                              * answer uses the new value. Since 1.1 */
    LEAT_REFERENCES = 4096,  /* texts in which ${env:NAME} and ${file:PATH} stand for secrets: the
                              * stage replaces them. Before the start the host checks that they
                              * exist. Since 1.1 */
    LEAT_LAYOUT = 8192,      /* where the names of columns stand: inputs that have them in other
                              * places may be learned apart and merged. Since 1.1 */
    LEAT_KEYED = 16384       /* STRINGS: values may have keys: { [0] = 12, orders = { [1] = "x" } }
                              * is the list "0=12", "orders/1=x". A value of the list part has its
                              * index as key, unless it is an entry with '='. Since 1.1 */
};

struct leat_interval {
    int64_t ns;       /* wall-clock time, or 0                                            */
    int64_t examples; /* number of learned examples, or 0. If both are 0: only at the end */
};

struct leat_strings {
    const char *const *v;
    uint32_t n;
    uint32_t reserved;
};

/* A Lua function. Only the Lua stages of the host have parameters of this type. */
struct leat_function;

struct leat_param {
    const char *name;
    size_t offset;              /* offset of the value in the stage's configuration struct */
    uint32_t type;              /* enum leat_type                                          */
    uint32_t flags;             /* enum leat_param_flags                                   */
    const char *def;            /* default, as in a script; NULL: zero, empty, absent      */
    double min, max;            /* inclusive range of the value: a number, bytes, or seconds
                                 * (INTERVAL: examples); both 0: no limits */
    const char *const *choices; /* LEAT_CHOICE: names, with a NULL at the end */
    const char *unit;           /* "rows", "bits"; NULL: none                 */
    const char *doc;            /* one line                                   */
    /* Name of another parameter of the stage, or NULL. If this parameter has a value other than its
     * default, the stage ignores the other parameter. A script may not set both. */
    const char *replaces;
    const char *only_with; /* name of another parameter, or NULL. This parameter has no effect
                            * unless the other one is set: a BOOL to any value, others to a value
                            * that is not the default */
};

/* Declares a parameter with the name of its field. The arguments after TYPE are designated
 * initialisers of further members, in the order of struct leat_param. */
#define LEAT_PARAM(CFG, FIELD, TYPE, ...) LEAT_PARAM_AS(#FIELD, CFG, FIELD, TYPE, __VA_ARGS__)
/* Declares a parameter with another name than its field. */
#define LEAT_PARAM_AS(NAME, CFG, FIELD, TYPE, ...)                                                 \
    {                                                                                              \
        .name = NAME, .offset = offsetof(CFG, FIELD), .type = TYPE, __VA_ARGS__                    \
    }

#endif
