/* look.c -- implementation of look.h: the child that looks, and its result. */
#include "look.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/time/clock.h"
#include "host/log/json_text.h"
#include "host/log/log.h"
#include "host/store/snapshot_dir.h"
#include "program/cli/model/model.h"
#include "program/page/fields.h"
#include "program/watch/http.h"

enum { SERVER_SECONDS = 3, LOOK_ROWS = 60 };

static const double LEAST_SECONDS = 0.4; /* shortest time between two looks for a rate */
static const char no_answer[] = "does not answer: no complete answer came within 3 s";

const json_t *look_learner(const json_t *status, const char *id, int step)
{
    const json_t *stages = field(status, "stages"), *stage;
    int n = 0, at = 0;
    for (size_t k = 0; (stage = json_array_get(stages, k)); k++) {
        if (!field(stage, "in_order")) continue;
        if (!strcmp(field_text(stage, "id"), id)) at = n;
        n++;
    }
    at = n ? (at + step + n) % n : 0;
    for (size_t k = 0; (stage = json_array_get(stages, k)); k++)
        if (field(stage, "in_order") && !at--) return stage;
    return NULL;
}

bool look_open(struct look *l, const struct command_line *c)
{
    struct stat st;
    char why[HTTP_WHY];
    bool there = !stat(c->script, &st);
    *l = (struct look){.line = c, .view = {.target = c->script}};
    l->view.of_dir = there && S_ISDIR(st.st_mode);
    snprintf(l->view.learner, sizeof l->view.learner, "%s", c->stage ? c->stage : "");
    if (l->view.of_dir && c->http_token)
        return usage_error("--http-token is for a run, not for a directory", ""), false;
    if (l->view.of_dir) return true;
    if (there || !server_address_read(&l->server, c->script))
        return usage_error("top takes ADDRESS:PORT of a run with --http, such as :9100, or a "
                           "directory of --state, not ",
                           c->script),
               false;
    l->view.target = l->server.url;
    if (!server_address_resolve(&l->server, why)) return usage_error(why, ""), false;
    if (c->http_token) l->token = http_token(c->http_token, why);
    return !c->http_token || l->token || (usage_error("--http", why), false);
}

/* ---- in the child ---- */

static void look_leave(const struct look *l, json_t *o)
{
    if (o) json_print(o, JSON_COMPACT, l->found);
    fflush(l->found);
}

static json_t *look_fault(const char *what)
{
    return json_pack("{s:o}", "trouble", json_text(what));
}

static json_t *look_read_snapshot(const struct look *l)
{
    struct model m;
    struct registry known;
    uint64_t checkpoint[SNAPSHOT_DIR_CHECKPOINTS];
    int n = snapshot_dir_list(l->view.target, checkpoint);
    if (n < 0) return look_fault(strerror(errno));
    if (n == 0) return look_fault("there is no snapshot yet");
    command_load_plugins(&known, l->line);
    if (model_open(&m, l->view.target, l->line->memory, &known) != LEAT_OK)
        return look_fault(*m.fault ? m.fault : "the snapshot could not be read");
    json_t *o = model_summary(&m);
    double age = m.run.saved_at ? (double)(clock_unix_ns() - m.run.saved_at) / 1e9 : 0;
    json_object_set_new(o, "age", json_real(age));
    json_object_set_new(o, "checkpoint", json_integer((json_int_t)m.from.checkpoint));
    return o;
}

/* Requests `path`. Returns the body as JSON; NULL if it is not JSON. */
static json_t *look_get(const struct look *l, const char *path, struct http_answer *a)
{
    alarm(SERVER_SECONDS);
    *a = http_get(&l->server, path, l->token);
    alarm(0);
    return a->fault ? NULL : json_loadb(a->body, a->n, JSON_ALLOW_NUL, NULL);
}

/* True if the object has the members of /status. */
static bool look_is_status(const json_t *o)
{
    return json_is_string(field(o, "state")) && json_is_string(field(o, "pipeline")) &&
           json_is_array(field(o, "stages")) && json_is_number(field(o, "records"));
}

static json_t *look_refuse(const struct look *l, const struct http_answer *a, const json_t *o)
{
    char text[100];
    const char *error = field_text(o, "error");
    snprintf(text, sizeof text,
             "answers (HTTP %d), but is not a run of leat: check the address and the port",
             a->code);
    if (a->code == 401)
        error = l->token ? "refuses this token"
                         : "asks for a token: give --http-token '${env:NAME}' or '${file:PATH}'";
    return look_fault(a->fault ? a->fault : a->code != 200 && *error ? error : text);
}

static json_t *look_ask(const struct look *l, const char *id)
{
    char path[3 * VIEW_NAME + 32] = "/top/", *at = path + strlen(path);
    struct http_answer a;
    for (const char *s = id; *s && s < id + VIEW_NAME; s++)
        at += sprintf(at, (*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9') ? "%c" : "%%%02X",
                      (unsigned char)*s);
    sprintf(at, "?n=%d", LOOK_ROWS);
    json_t *o = look_get(l, path, &a);
    if (json_is_object(o)) return o;
    return json_pack("{s:s}", "error", a.fault ? a.fault : "gave an answer that is not JSON");
}

/* Prints the status for the parent. Returns the answer of a learner, a fault, or NULL. */
static json_t *look_read_run(const struct look *l)
{
    struct http_answer a;
    json_t *o = look_get(l, "/status", &a);
    if (a.fault || a.code != 200 || !look_is_status(o)) return look_refuse(l, &a, o);
    look_leave(l, json_incref(o));
    const char *id = field_text(look_learner(o, l->view.learner, 0), "id");
    return *id ? look_ask(l, id) : NULL;
}

static void look_be_child(const struct look *l)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_IGN);
    if (freopen("/dev/null", "w", stderr))
        look_leave(l, l->view.of_dir ? look_read_snapshot(l) : look_read_run(l));
    _exit(0);
}

/* ---- in the parent ---- */

static void look_trouble(struct view *v, const char *what)
{
    snprintf(v->trouble, sizeof v->trouble, v->of_dir ? "%s: %.400s" : "%s %.400s", v->target,
             what);
}

static void look_drop(struct look *l)
{
    if (l->child > 0) {
        kill(l->child, SIGKILL);
        waitpid(l->child, NULL, 0);
    }
    if (l->found) fclose(l->found);
    l->child = 0;
    l->found = NULL;
}

/* True if the newest snapshot has already been read. Reading a large model again would take
 * long. */
static bool look_is_seen(struct look *l)
{
    struct stat st;
    struct timespec seen = l->seen;
    uint64_t checkpoint[SNAPSHOT_DIR_CHECKPOINTS];
    char name[32], path[PATH_MAX];
    if (!l->view.of_dir || snapshot_dir_list(l->view.target, checkpoint) <= 0) return false;
    snapshot_dir_name(checkpoint[0], name);
    snprintf(path, sizeof path, "%s/%s", l->view.target, name);
    if (stat(path, &st)) return false;
    l->seen = st.st_mtim;
    return !memcmp(&seen, &l->seen, sizeof seen);
}

void look_begin(struct look *l)
{
    look_drop(l);
    if (look_is_seen(l)) return;
    fflush(stdout);
    l->found = fdopen(memfd_create("found", MFD_CLOEXEC), "w+");
    l->child = l->found ? fork() : -1;
    if (!l->child) look_be_child(l);
    if (l->child > 0) return;
    look_trouble(&l->view, strerror(errno));
    look_drop(l);
}

json_t *look_since(json_t *now, const json_t *before)
{
    const char *key;
    json_t *one, *o;
    if (json_is_number(now))
        return json_real(fmax(json_number_value(now) - json_number_value(before), 0));
    if (!json_is_array(now) && !json_is_object(now)) return json_incref(now);
    o = json_is_array(now) ? json_array() : json_object();
    for (size_t k = 0; k < json_array_size(now); k++)
        json_array_append_new(o, look_since(json_array_get(now, k), json_array_get(before, k)));
    json_object_foreach(now, key, one)
    {
        json_object_set_new(o, key, look_since(one, json_object_get(before, key)));
    }
    return o;
}

/* Stores a new status. Keeps the previous one in l->before for the rates, if it is of the same run:
 * the graph is the same, and no count has fallen. If the looks are too close together, for example
 * after a key, keeps the older l->before. */
static void look_take_status(struct look *l, json_t *now)
{
    struct view *v = &l->view;
    double since = field_number(now, "seconds") - field_number(v->status, "seconds");
    if (!l->before || !(since >= 0 && since < LEAST_SECONDS)) {
        json_decref(l->before);
        l->before = json_incref(v->status);
    }
    const json_t *old = l->before, *edges = field(now, "edges");
    if (field_number(now, "seconds") <= field_number(old, "seconds") ||
        field_number(now, "records") < field_number(old, "records") ||
        !json_equal(edges, field(old, "edges"))) {
        json_decref(l->before);
        l->before = NULL;
    }
    json_decref(v->status);
    json_decref(v->since);
    v->status = now;
    v->since = l->before ? look_since(now, l->before) : NULL;
    v->seen_ns = clock_unix_ns();
}

/* Reads the output of the child. Keeps the last status if there is nothing new. */
static void look_take(struct look *l)
{
    const size_t flags = JSON_ALLOW_NUL | JSON_DISABLE_EOF_CHECK;
    struct view *v = &l->view;
    rewind(l->found);
    json_t *status = json_loadf(l->found, flags, NULL), *top = json_loadf(l->found, flags, NULL);
    const char *what = field_text(status, "trouble");
    *v->trouble = 0;
    if (!status || *what) {
        look_trouble(v, *what ? what : v->of_dir ? "the snapshot could not be read" : no_answer);
        l->seen.tv_sec = 0; /* makes the next look read the snapshot again */
        json_decref(status);
        json_decref(top);
        return;
    }
    look_take_status(l, status);
    json_decref(v->top);
    v->top = top || v->of_dir ? top : json_pack("{s:s}", "error", no_answer);
}

bool look_end(struct look *l, bool wait)
{
    if (!l->child) return true;
    if (!waitpid(l->child, NULL, wait ? 0 : WNOHANG)) return false;
    l->child = 0;
    look_take(l);
    look_drop(l);
    return true;
}

void look_free(struct look *l)
{
    look_drop(l);
    if (l->server.list) freeaddrinfo(l->server.list);
    free(l->token);
    json_decref(l->before);
    json_decref(l->view.status);
    json_decref(l->view.since);
    json_decref(l->view.top);
}
