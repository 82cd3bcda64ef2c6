/* state_prefix.h -- several models in one state: a prefix distinguishes the fields of each model.
 *
 * The writer and the reader put the prefix before the name of each field and forward the call to
 * another writer or reader. A refusal begins with the name of the model:
 *
 *   struct state_prefix_writer p;
 *   status = write_model(state_prefix_writer(&p, w, "2."), &model[2]);    2.width, 2.cells, ...
 *
 *   struct state_prefix_reader p;
 *   status = read_model(state_prefix_reader(&p, r, "2.", "class 2"), &model[2]);
 */
#ifndef LEAT_COMMON_STATE_STATE_PREFIX_H
#define LEAT_COMMON_STATE_STATE_PREFIX_H

#include <leat/plugin.h>

enum { STATE_PREFIX_MAX = 24, STATE_PREFIX_NAME = 64 };

struct state_prefix_writer {
    struct leat_writer base;
    struct leat_writer *to;
    char prefix[STATE_PREFIX_MAX];
    char name[STATE_PREFIX_NAME]; /* name of the present field, with the prefix */
};

struct state_prefix_reader {
    struct leat_reader base;
    struct leat_reader *from;
    char prefix[STATE_PREFIX_MAX], model[STATE_PREFIX_MAX];
    char name[STATE_PREFIX_NAME];
};

/* Set up *p and return &p->base. They copy the prefix and the name of the model, of which at most
 * STATE_PREFIX_MAX - 1 bytes each are allowed. */
struct leat_writer *state_prefix_writer(struct state_prefix_writer *p, struct leat_writer *to,
                                        const char *prefix);
struct leat_reader *state_prefix_reader(struct state_prefix_reader *p, struct leat_reader *from,
                                        const char *prefix, const char *model);

#endif
