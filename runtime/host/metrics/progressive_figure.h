/* progressive_figure.h -- kinds and units of the figures that the host computes for a learner. */
#ifndef LEAT_HOST_METRICS_PROGRESSIVE_FIGURE_H
#define LEAT_HOST_METRICS_PROGRESSIVE_FIGURE_H

#include <leat/stage.h>

/* Returns the kind and unit of the figure called `name`. An unknown figure is a gauge without a
 * unit. */
struct leat_figure progressive_figure(const char *name);

#endif
