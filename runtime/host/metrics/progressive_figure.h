/* progressive_figure.h -- declarations of the host's own figures of a learner. */
#ifndef LEAT_HOST_METRICS_PROGRESSIVE_FIGURE_H
#define LEAT_HOST_METRICS_PROGRESSIVE_FIGURE_H

#include <leat/stage.h>

/* Returns kind and unit of the figure of this name; a gauge without a unit if it is unknown. */
struct leat_figure progressive_figure(const char *name);

#endif
