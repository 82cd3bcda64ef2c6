/* subject.h -- a stage under test: its configuration, from a script or its example; its input. */
#ifndef LEAT_SDK_CONFORM_SUBJECT_H
#define LEAT_SDK_CONFORM_SUBJECT_H

#include "conform.h"
#include "host/graph/graph.h"
#include "sdk/harness/harness_impl.h"

/* Records of a source, for parsers whose format nobody can guess. */
struct samples {
    char **text;
    uint32_t *len;
    uint32_t n;
    char *header; /* or NULL */
};

struct subject {
    const struct leat_plugin *plugin; /* from the file, unchanged */
    const struct leat_stage *stage;   /* in the host's layout */
    const void *cfg;                  /* NULL: its defaults */
    const struct node *node;          /* in the script; NULL: it uses the example or the defaults */
    const char *refused;              /* error in its example; NULL: none */
    struct samples samples;
    const char *dir; /* a folder for the files of this trial */
    uint32_t batch;  /* records of a batch, for harness_open */
    uint64_t seed;   /* of the records */
    int instance;    /* number of the instance whose files it writes; 0: a new one */
    bool locked;     /* a write to its configuration crashes */
    /* File that it reads in place of subject_input's. NULL: that one, or a generated file. */
    const char *input;
};

/* Returns why the stage cannot be tried with its configuration; NULL if it can. */
const char *subject_not_run(const struct subject *s);

/* Makes a harness like subject_try, which must succeed. */
struct harness *subject_new(const struct subject *s);
/* Fails the law because a call has failed; or skips it if the file may have had another format. */
_Noreturn void subject_fails(const struct harness *h, const char *call, int status);
/* Makes a harness like subject_new, then opens and starts the stage. */
struct harness *subject_open(const struct subject *s);

/* Stops and closes the stage, which must succeed. */
void subject_close(struct harness *h);

/* Returns the bytes that instance number `instance` (harness_impl) has written. The caller frees
 * them. */
char *subject_written(const struct subject *s, int instance, size_t *n);

/* True if that instance has written a file. */
bool subject_has_written(const struct subject *s, int instance);

/* Fails the law unless `call` has returned LEAT_OK. */
void subject_returned(struct harness *h, const char *call, int status);
/* Reports BREACH_RETURNED if a call has succeeded but called host->fail. h->said must be empty
 * before the call. */
void subject_told(struct harness *h, const char *call, int status);
/* Calls barrier if the stage has one. It must return LEAT_OK. */
void subject_barrier(struct harness *h, uint64_t checkpoint);

/* Returns the parameter that names a file to read, in this configuration; NULL if there is none. */
const struct leat_param *subject_input(const struct subject *s);

/* True if the parameter takes texts or paths, one or several. */
bool subject_is_text(const struct leat_param *p);

bool subject_has_state(const struct subject *s);
bool subject_merges(const struct subject *s);

/* ---- the stages of a plugin, each with its configuration from a script or from its own example
 * ---- */

struct subjects {
    struct arena arena;
    struct diag diag;                 /* of the script */
    struct graph script;              /* arena is NULL without a script */
    const struct leat_plugin *plugin; /* from the file, unchanged */
    struct subject *of;
    uint32_t n;
    const char *dir; /* for files */
};

/* Makes the subjects of a plugin whose file can be loaded. Returns LEAT_OK; or LEAT_EARG after
 * messages if the script is wrong. */
int subjects_make(struct subjects *all, const struct conform_options *o, struct registry *known,
                  const char *dir);
void subjects_free(struct subjects *all);

#endif
