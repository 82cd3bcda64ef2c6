/* progressive_figure.h -- what the host's own figures of a learner are. */
#ifndef LEAT_HOST_METRICS_PROGRESSIVE_FIGURE_H
#define LEAT_HOST_METRICS_PROGRESSIVE_FIGURE_H

#include <leat/stage.h>

/* Kind and unit of the figure of this name; a gauge without a unit where nothing else is known. */
struct leat_figure progressive_figure(const char *name);

#endif
