/* page_metrics.c -- /metrics: for Prometheus. */
#include <stdio.h>
#include <stdlib.h>

#include "core/time/clock.h"
#include "inside.h"
#include "metrics.h"

static int drain(void *to, const char *bytes, size_t n)
{
    return fwrite(bytes, 1, n, to) == n ? 0 : -1;
}

struct reply page_of_metrics(struct http *h, const struct request *q)
{
    char buffer[4096];
    struct reply r = {.code = 200, .type = "text/plain; version=0.0.4; charset=utf-8"};
    FILE *to = open_memstream(&r.body, &r.n);
    struct text_out out = {.buf = buffer, .cap = sizeof buffer, .drain = drain, .to = to};
    if (!to) return r;
    if (h->run) {
        figures_take(&h->figures, NULL, clock_ns() + HTTP_WAIT_NS);
        metrics_of_run(&out, &h->figures);
    }
    metrics_of_server(&out, &h->server, h->run && !strcmp(http_state(h), "running"));
    metrics_of_reloads(&out, &h->reloads);
    bool failed = text_flush(&out);
    failed |= fclose(to) == EOF;
    if (!failed) return r;
    free(r.body);
    r.body = NULL;
    return r;
}
