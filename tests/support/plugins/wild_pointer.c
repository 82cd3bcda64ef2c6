/* wild_pointer.c -- a descriptor whose list of stages is a wild pointer. */
#include "bad.h"

DESCRIPTOR((const struct leat_stage *const *)64, );
