/* metrics.h -- the figures of a run as Prometheus reads them. */
#ifndef LEAT_PROGRAM_WATCH_METRICS_H
#define LEAT_PROGRAM_WATCH_METRICS_H

#include "exposition.h"
#include "figures.h"
#include "http.h"

struct server;

struct reloads {
    uint64_t n[HTTP_RELOADS]; /* by result */
    double last;              /* seconds since 1970; 0: there was none */
};

/* Of a run that has started, with figures that were just taken. */
void metrics_of_run(struct text_out *out, const struct figures *f);
/* Of the server, and whether the run is ready, at any time. */
void metrics_of_server(struct text_out *out, const struct server *s, bool ready);
/* Of the process, at any time. */
void metrics_of_reloads(struct text_out *out, const struct reloads *r);

#endif
