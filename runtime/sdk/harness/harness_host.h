/* harness_host.h -- the fake host of the harness. */
#ifndef LEAT_SDK_HARNESS_HARNESS_HOST_H
#define LEAT_SDK_HARNESS_HARNESS_HOST_H

#include <stdarg.h>

#include "harness_inside.h"

extern const struct leat_host harness_host;

/* Adds a line to h->said. */
void harness_say(struct harness *h, const char *param, const char *format, va_list args);

/* The name of an input, as `where` tells it. */
const char *harness_input(struct leat_ctx *ctx, uint32_t input);

/* What the stage has not freed itself. */
void harness_free_blocks(struct harness *h);

#endif
