/* progress.c -- implementation of progress.h: the bar, the lines, and messages to systemd. */
#include "progress.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/report/terminal.h"
#include "core/time/clock.h"
#include "host/exec/calls.h"
#include "host/exec/instance/instance.h"
#include "host/exec/run.h"
#include "host/log/log.h"
#include "program/cli/summary/summary.h"

/* ---- the bar at the bottom of a terminal ---- */

/* Reads figures while the stages change them, so the bar may be slightly out of date. */

enum { WIDTH = 24 };
static const uint64_t FIRST_LINE_NS = UINT64_C(10000000000), LINES_NS = UINT64_C(600000000000);

void progress_init(struct progress *p, const struct command_line *c)
{
    log_bar_begin();
    bool automatic = c->progress == PROGRESS_AUTO && !c->quiet, terminal = isatty(STDERR_FILENO);
    bool informs = c->log_level < 0 || c->log_level >= LEAT_INFO;
    *p = (struct progress){.on = c->progress == PROGRESS_ALWAYS || (automatic && terminal),
                           .next_ns = automatic && !terminal && informs ? FIRST_LINE_NS : 0};
}

bool progress_line_is_due(struct progress *p, uint64_t ns)
{
    if (!p->next_ns || ns < p->next_ns) return false;
    while (p->next_ns <= ns)
        p->next_ns += p->next_ns < LINES_NS ? p->next_ns : LINES_NS;
    return true;
}

/* Adds up the bytes read and the bytes to read of all sources. Sets *total to 0 if some source does
 * not know its size. */
static void progress_add_up(const struct run *r, uint64_t *done, uint64_t *total)
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

static void progress_lag_text(const struct run *r, char text[40])
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

/* Writes the remaining time. `share` is the fraction of the input that has been read in total;
 * `done` is the fraction that this run has read, in `elapsed` seconds. */
static void eta_text(double done, double share, double elapsed, char text[32])
{
    double left = done > 0.001 ? elapsed * (1 - share) / done : 0;
    *text = 0;
    if (done > 0.001 && left < 360000)
        snprintf(text, 32, "  %d:%02d left", (int)left / 60, (int)left % 60);
}

/* Cuts a bar that is wider than the terminal. If it wrapped, it could not be erased. */
static void cut_to_terminal(char *text)
{
    size_t columns = terminal_columns(STDERR_FILENO);
    if (columns && strlen(text) >= columns) text[columns - 1] = 0;
}

/* Returns the fraction of the input that has been read; -1 if it is unknown. */
static double progress_share(const struct run *r)
{
    uint64_t done, total;
    progress_add_up(r, &done, &total);
    if (!total) return -1.0;
    return done < total ? (double)done / (double)total : 1.0;
}

/* Prints a line with what the run has done in `ns`. */
static void progress_line(const struct progress *p, const struct run *r, uint64_t ns)
{
    char text[256], eta[32] = "", part[32] = "", lag[40];
    uint64_t records = run_records(r);
    double share = progress_share(r), seconds = (double)ns / 1e9;
    progress_lag_text(r, lag);
    if (share >= 0) eta_text(share - p->begun, share, seconds, eta);
    if (share >= 0) snprintf(part, sizeof part, " (%.0f %% of the input)", share * 100);
    snprintf(text, sizeof text, "leat: %llu records in %.0f s%s  %.0f/s%s%s",
             (unsigned long long)records, seconds, part, (double)(records - r->before) / seconds,
             lag, eta);
    log_line(text);
}

static void progress_bar(struct progress *p, const struct run *r, uint64_t ns)
{
    char text[256], bar[WIDTH + 1], loss[32], eta[32] = "", part[64] = "", rate[32] = "";
    char lag[40];
    uint64_t records = run_records(r);
    double share = progress_share(r);
    rate_update(p, records);
    loss_text(r, loss, sizeof loss);
    progress_lag_text(r, lag);
    if (share >= 0) {
        int full = (int)(share * WIDTH);
        for (int i = 0; i < WIDTH; i++)
            bar[i] = i < full ? '#' : '-';
        bar[WIDTH] = 0;
        if (p->rate > 0) eta_text(share - p->begun, share, (double)ns / 1e9, eta);
        snprintf(part, sizeof part, "[%s] %3.0f %%  ", bar, share * 100);
    }
    if (p->rate > 0) snprintf(rate, sizeof rate, "  %.0f/s", p->rate);
    snprintf(text, sizeof text, "%s%llu records%s%s%s%s", part, (unsigned long long)records, rate,
             lag, eta, loss);
    cut_to_terminal(text);
    log_bar(text);
}

void progress_update(struct progress *p, const struct run *r)
{
    uint64_t ns = clock_ns() - r->start;
    if (!p->on && !p->next_ns) return;
    if (!p->has_begun && r->before) p->begun = fmax(progress_share(r), 0);
    p->has_begun = true;
    if (p->on)
        progress_bar(p, r, ns);
    else if (progress_line_is_due(p, ns))
        progress_line(p, r, ns);
}

void progress_end(struct progress *p)
{
    if (p->on) log_bar(NULL);
}

/* ---- messages to a service manager ---- */

void service_tell(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t n = path ? strlen(path) : 0;
    if ((n < 2) || n >= sizeof to.sun_path || (*path != '/' && *path != '@')) return;
    memcpy(to.sun_path, path, n);
    if (*path == '@') to.sun_path[0] = '\0'; /* an abstract socket has a NUL in place of '@' */
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return;
    sendto(fd, state, strlen(state), MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&to,
           (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
    close(fd);
}

void service_tell_reloading(void)
{
    char state[64];
    snprintf(state, sizeof state, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64 "\n", clock_ns() / 1000);
    service_tell(state);
}

/* Returns the watchdog's time in ns. WATCHDOG_USEC applies only to the process WATCHDOG_PID. */
static uint64_t asked_ns(void)
{
    const char *usec = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
    if (!usec || (pid && strtoll(pid, NULL, 10) != (long long)getpid())) return 0;
    uint64_t us = strtoull(usec, NULL, 10);
    return us > UINT64_MAX / 1000 ? 0 : us * 1000;
}

uint64_t service_watchdog_ns(void) { return asked_ns() / 2; }

void service_alive(const struct run *r)
{
    char state[128];
    uint64_t asked = asked_ns();
    snprintf(state, sizeof state, "%sSTATUS=%" PRIu64 " records\n",
             calls_ns(r) < asked ? "WATCHDOG=1\n" : "", run_records(r));
    service_tell(state);
}
