/* state_prefix.h -- several models in one state: the names of each one's fields get a prefix.
 *
 * The writer and the reader put the prefix before each name and forward the call to another writer
 * or reader. A refusal begins with the name of the model:
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
    char name[STATE_PREFIX_NAME]; /* name of the field being written */
};

struct state_prefix_reader {
    struct leat_reader base;
    struct leat_reader *from;
    char prefix[STATE_PREFIX_MAX], model[STATE_PREFIX_MAX];
    char name[STATE_PREFIX_NAME];
};

/* Both return &p->base. They copy the prefix and the model's name, at most STATE_PREFIX_MAX - 1
 * bytes each. */
struct leat_writer *state_prefix_writer(struct state_prefix_writer *p, struct leat_writer *to,
                                        const char *prefix);
struct leat_reader *state_prefix_reader(struct state_prefix_reader *p, struct leat_reader *from,
                                        const char *prefix, const char *model);

#endif
