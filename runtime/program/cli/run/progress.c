/* progress.c -- see progress.h. Figures of running stages are read as they are: a moment old. */
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/log/log.h"
#include "core/time/clock.h"
#include "core/report/terminal.h"

enum { WIDTH = 24 };

void progress_init(struct progress *p, enum progress_mode mode, bool quiet)
{
    log_bar_begin();
    *p = (struct progress){.on = mode == PROGRESS_ALWAYS ||
                                 (mode == PROGRESS_AUTO && !quiet && isatty(STDERR_FILENO))};
}

/* Bytes read and to be read, over all sources; total 0: some source does not know. */
static void add_up(const struct run *r, uint64_t *done, uint64_t *total)
{
    int known = 1;
    *done = *total = 0;
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        const struct node *n = &r->graph->node[i];
        if (!n->stage || n->stage->kind != LEAT_SOURCE) continue;
        uint64_t d, t;
        instance_progress(run_instance(r, n, 0), &d, &t);
        *done += d;
        *total += t;
        known &= t > 0;
    }
    if (!known) *total = 0;
}

static void loss_text(const struct run *r, char *text, size_t cap)
{
    *text = 0;
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        const struct node *n = r->graph->order[i];
        if (!n->stage || n->stage->kind != LEAT_LEARNER) continue;
        double loss = progressive_loss(run_instance(r, n, 0)->learning.progressive);
        if (isfinite(loss)) snprintf(text, cap, "  loss %.4f", loss);
        return;
    }
}

static void lag_text(const struct run *r, char text[40])
{
    int64_t lag = run_lag(r);
    *text = 0;
    if (lag == LAG_NONE) return;
    if (lag < 0)
        snprintf(text, 40, "  lag n.a.");
    else
        snprintf(text, 40, "  lag %lld", (long long)lag);
}

static void rate_update(struct progress *p, uint64_t records)
{
    uint64_t now = clock_ns();
    if (p->last_ns && now > p->last_ns) {
        double rate = (double)(records - p->last_records) * 1e9 / (double)(now - p->last_ns);
        p->rate = p->rate > 0 ? 0.7 * p->rate + 0.3 * rate : rate;
    }
    p->last_ns = now;
    p->last_records = records;
}

/* done: the share that `elapsed` has taken. */
static void eta_text(double done, double share, double elapsed, char text[32])
{
    double left = done > 0.001 ? elapsed * (1 - share) / done : 0;
    *text = 0;
    if (done > 0.001 && left < 360000)
        snprintf(text, 32, "  %d:%02d left", (int)left / 60, (int)left % 60);
}

/* A bar that is wider than the terminal would wrap and could not be removed. */
static void cut_to_terminal(char *text)
{
    size_t columns = terminal_columns(STDERR_FILENO);
    if (columns && strlen(text) >= columns) text[columns - 1] = 0;
}

void progress_update(struct progress *p, const struct run *r)
{
    char text[256], bar[WIDTH + 1], loss[32], eta[32] = "", part[64] = "", rate[32] = "";
    char lag[40];
    uint64_t done, total, records = run_records(r);
    if (!p->on) return;
    add_up(r, &done, &total);
    if (!p->last_ns && r->before && total) p->begun = (double)done / (double)total;
    rate_update(p, records);
    loss_text(r, loss, sizeof loss);
    lag_text(r, lag);
    if (total) {
        double share = done < total ? (double)done / (double)total : 1.0;
        int full = (int)(share * WIDTH);
        for (int i = 0; i < WIDTH; i++)
            bar[i] = i < full ? '#' : '-';
        bar[WIDTH] = 0;
        if (p->rate > 0)
            eta_text(share - p->begun, share, (double)(clock_ns() - r->start) / 1e9, eta);
        snprintf(part, sizeof part, "[%s] %3.0f %%  ", bar, share * 100);
    }
    if (p->rate > 0) snprintf(rate, sizeof rate, "  %.0f/s", p->rate);
    snprintf(text, sizeof text, "%s%llu records%s%s%s%s", part, (unsigned long long)records, rate,
             lag, eta, loss);
    cut_to_terminal(text);
    log_bar(text);
}

void progress_end(struct progress *p)
{
    if (p->on) log_bar(NULL);
}
