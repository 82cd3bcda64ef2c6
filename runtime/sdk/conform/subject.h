/* subject.h -- a stage under test: its configuration, from a script or from its own example, and
 * what comes to it. */
#ifndef LEAT_SDK_CONFORM_SUBJECT_H
#define LEAT_SDK_CONFORM_SUBJECT_H

#include "conform.h"
#include "host/graph/graph.h"
#include "sdk/harness/harness_impl.h"

/* Records of a source, for parsers of formats that nobody guesses. */
struct samples {
    char **text;
    uint32_t *len;
    uint32_t n;
    char *header; /* NULL: none */
};

struct subject {
    const struct leat_plugin *plugin; /* as it lies in the file */
    const struct leat_stage *stage;   /* in the host's layout   */
    const void *cfg;                  /* NULL: its defaults     */
    const struct node *node;          /* in the script; NULL: the example or the defaults */
    const char *refused;              /* why its example is none; NULL: it is one */
    struct samples samples;
    const char *dir; /* a folder for files, of this trial */
    uint32_t batch;  /* records of a batch; harness_open gets it */
    uint64_t seed;   /* of what comes */
    int instance;    /* whose files it writes; 0: its own */
    bool locked;     /* whoever writes to its configuration crashes */
    /* The file that it reads in place of subject_input's; NULL: that one, or a file that is
     * made. */
    const char *input;
};

/* Why the stage cannot be tried as it is configured; NULL if it can. */
const char *subject_not_run(const struct subject *s);

/* Makes a harness as subject_try does; it must succeed. */
struct harness *subject_new(const struct subject *s);
/* Fails the law since a call has; or skips it, where the file was perhaps not of its format. */
_Noreturn void subject_fails(const struct harness *h, const char *call, int status);
/* Makes such a harness, opened and started. */
struct harness *subject_open(const struct subject *s);

/* Stops and closes the stage, which must succeed. */
void subject_close(struct harness *h);

/* Returns the bytes that instance number `instance` (harness_impl) has written; to be freed. */
char *subject_written(const struct subject *s, int instance, size_t *n);

/* Is there a file of that instance? */
bool subject_has_written(const struct subject *s, int instance);

/* Fails the law unless a call, which may have no news, has returned LEAT_OK. */
void subject_returned(struct harness *h, const char *call, int status);
/* A call that returned no failure has not called host->fail either: BREACH_RETURNED. h->said is
 * empty before the call. */
void subject_told(struct harness *h, const char *call, int status);
/* barrier, which the stage may lack: it must return LEAT_OK. */
void subject_barrier(struct harness *h, uint64_t checkpoint);

/* The parameter that names a file that it reads, as it is configured; NULL if there is none. */
const struct leat_param *subject_input(const struct subject *s);

/* Does it take texts or paths, one or several? */
bool subject_is_text(const struct leat_param *p);

bool subject_has_state(const struct subject *s);
bool subject_merges(const struct subject *s);

/* The stages of a plugin, each with its configuration: from a script, or from its
 * own example. */

struct subjects {
    struct arena arena;
    struct diag diag;                 /* of the script */
    struct graph script;              /* arena NULL: there is none */
    const struct leat_plugin *plugin; /* as it lies in the file */
    struct subject *of;
    uint32_t n;
    const char *dir; /* for files */
};

/* LEAT_OK, or LEAT_EARG after messages: the script is wrong. The plugin's file can be loaded. */
int subjects_make(struct subjects *all, const struct conform_options *o, struct registry *known,
                  const char *dir);
void subjects_free(struct subjects *all);

#endif
