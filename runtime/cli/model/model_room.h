/* model_room.h -- how large the tables of a merged model may become. */
#ifndef LEAT_CLI_MODEL_MODEL_ROOM_H
#define LEAT_CLI_MODEL_MODEL_ROOM_H

#include "model.h"

/* Where a number or size that is operational (max_features) is larger in the other model, that of
 * `m`, none of whose stages is open, becomes the same. */
void model_room_take(struct model *m, const struct model *other);

#endif
