/* feed.c -- see feed.h. */
#include "feed.h"

#include <stdio.h>
#include <string.h>

#include "core/text/secret_text.h"
#include "core/time/clock.h"
#include "program/cli/command_line/options.h"
#include "program/page/fields.h"

enum { NO_END_MS = 1000 };

static const double LEAST_SECONDS = 0.4; /* that a rate is made of */

/* ---- where ---- */

static bool read_token(struct feed *f, const char *reference)
{
    char why[SERVER_WHY];
    if (!reference) return true;
    if (f->of_dir) return usage_error("--http-token is for a run, not for a directory", ""), false;
    if (!secret_is_reference(reference)) {
        usage_error("--http-token takes '${env:NAME}' or '${file:PATH}', as everybody on this "
                    "machine can read command lines",
                    "");
        return false;
    }
    f->run.token = secret_expand(reference, why, sizeof why);
    if (!f->run.token) usage_error("--http-token: ", why);
    return f->run.token;
}

static bool open_dir(struct feed *f, const struct command_line *c)
{
    f->of_dir = true;
    f->target = c->script;
    f->snapshots.line = c;
    f->snapshots.dir = c->script;
    return true;
}

static bool open_run(struct feed *f)
{
    char why[SERVER_WHY];
    f->target = f->run.server.url;
    if (server_address_resolve(&f->run.server, why)) return true;
    usage_error(why, "");
    return false;
}

bool feed_open(struct feed *f, const struct command_line *c)
{
    struct stat st;
    *f = (struct feed){.run.get.fd = -1, .snapshots = {.fd = -1, .messages = -1}};
    bool there = !stat(c->script, &st);
    bool opened;
    if (there && S_ISDIR(st.st_mode))
        opened = open_dir(f, c);
    else if (!there && server_address_read(&f->run.server, c->script))
        opened = open_run(f);
    else
        return usage_error("top takes ADDRESS:PORT of a run with --http, such as :9100, or a "
                           "directory of --state, not ",
                           c->script),
               false;
    return opened && read_token(f, c->http_token);
}

void feed_free(struct feed *f)
{
    run_watch_free(&f->run);
    snapshot_watch_free(&f->snapshots);
    json_decref(f->status);
    json_decref(f->before);
    json_decref(f->top);
}

/* ---- looks ---- */

void feed_begin(struct feed *f, const char *learner)
{
    f->under_way = true;
    if (f->of_dir)
        snapshot_watch_begin(&f->snapshots);
    else
        http_get_end(&f->run.get), run_watch_begin(&f->run, learner);
}

/* Counts that fell are those of another run. */
static bool is_same_run(const json_t *before, const json_t *now)
{
    return !strcmp(field_text(before, "pipeline"), field_text(now, "pipeline")) &&
           field_number(now, "seconds") > field_number(before, "seconds") &&
           field_number(now, "records") >= field_number(before, "records");
}

static void replace(json_t **member, json_t **with)
{
    json_decref(*member);
    *member = *with;
    *with = NULL;
}

/* Looks that follow a key at once would show the rates of a moment: the one before them stays. */
static void take_status(struct feed *f, json_t **status)
{
    double since = field_number(*status, "seconds") - field_number(f->status, "seconds");
    if (!(f->before && since >= 0 && since < LEAST_SECONDS)) replace(&f->before, &f->status);
    replace(&f->status, status);
    if (is_same_run(f->before, f->status)) return;
    json_decref(f->before);
    f->before = NULL;
}

/* What was seen last stays where nothing is new. */
static void take(struct feed *f, struct look *l)
{
    memcpy(f->trouble, l->trouble, sizeof f->trouble);
    if (!l->status) return;
    f->seen_ns = clock_unix_ns();
    take_status(f, &l->status);
    replace(&f->top, &l->top);
}

bool feed_step(struct feed *f)
{
    bool over = f->of_dir ? snapshot_watch_step(&f->snapshots) : run_watch_step(&f->run);
    if (!over) return false;
    f->under_way = false;
    take(f, f->of_dir ? &f->snapshots.look : &f->run.look);
    return true;
}

int feed_poll(const struct feed *f, struct pollfd *p)
{
    *p = (struct pollfd){.fd = -1};
    if (!f->under_way) return -1;
    p->fd = f->of_dir ? f->snapshots.fd : f->run.get.fd;
    p->events = f->of_dir ? POLLIN : f->run.get.events;
    if (p->fd < 0) return 0;
    return f->of_dir ? NO_END_MS : http_get_left(&f->run.get);
}
