/* wild_pointer.c -- everything looks right but the list of stages, which lies nowhere. */
#include "bad.h"

DESCRIPTOR((const struct leat_stage *const *)64, );
