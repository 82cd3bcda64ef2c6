/* look.c -- see look.h. */
#include "look.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/text/secret_text.h"
#include "core/time/clock.h"
#include "host/log/json_text.h"
#include "host/log/log.h"
#include "host/memory/memory.h"
#include "host/store/snapshot_dir.h"
#include "program/cli/command_line/command_line.h"
#include "program/cli/model/model.h"
#include "program/page/fields.h"

enum { MOST_BYTES = 64 << 20, SNAPSHOT_MS = 1000, SERVER_SECONDS = 3 };

static const double LEAST_SECONDS = 0.4; /* that a rate is made of */
static const char no_answer[] = "does not answer: nothing whole came within 3 s";

const json_t *look_learner(const json_t *status, size_t i)
{
    const json_t *stages = field(status, "stages");
    for (size_t k = 0; k < json_array_size(stages); k++) {
        const json_t *stage = json_array_get(stages, k);
        if (field(stage, "in_order") && !i--) return stage;
    }
    return NULL;
}

size_t look_learner_index(const json_t *status, const char *id)
{
    const json_t *one;
    for (size_t i = 0; (one = look_learner(status, i)); i++)
        if (!strcmp(field_text(one, "id"), id)) return i;
    return 0;
}

/* ---- where ---- */

static bool look_take_token(struct look *l, const char *reference)
{
    char why[SERVER_WHY];
    if (!reference) return true;
    if (l->of_dir) return usage_error("--http-token is for a run, not for a directory", ""), false;
    if (!secret_is_reference(reference)) {
        usage_error("--http-token takes '${env:NAME}' or '${file:PATH}', as everybody on this "
                    "machine can read command lines",
                    "");
        return false;
    }
    l->token = secret_expand(reference, why, sizeof why);
    if (!l->token) usage_error("--http-token: ", why);
    return l->token;
}

bool look_open(struct look *l, const struct command_line *c)
{
    struct stat st;
    char why[SERVER_WHY];
    bool there = !stat(c->script, &st);
    *l = (struct look){.line = c, .target = c->script, .fd = -1, .messages = -1};
    l->of_dir = there && S_ISDIR(st.st_mode);
    if (!l->of_dir && (there || !server_address_read(&l->server, c->script)))
        return usage_error("top takes ADDRESS:PORT of a run with --http, such as :9100, or a "
                           "directory of --state, not ",
                           c->script),
               false;
    if (!l->of_dir) {
        l->target = l->server.url;
        if (!server_address_resolve(&l->server, why)) return usage_error(why, ""), false;
    }
    return look_take_token(l, c->http_token);
}

/* ---- the child ---- */

static void look_print(json_t *o)
{
    json_print(o, JSON_COMPACT, stdout);
    putchar('\n');
    fflush(stdout);
}

static int look_read_snapshot(const struct look *l)
{
    struct model m;
    struct registry known;
    command_load_plugins(&known, l->line);
    int status = model_open(&m, l->target, l->line->memory, &known);
    if (status == LEAT_OK) {
        json_t *o = model_summary(&m);
        double age = m.run.saved_at ? (double)(clock_unix_ns() - m.run.saved_at) / 1e9 : 0;
        json_object_set_new(o, "age", json_real(age));
        json_object_set_new(o, "checkpoint", json_integer((json_int_t)m.from.checkpoint));
        look_print(o);
    }
    model_close(&m);
    registry_free(&known);
    return status;
}

/* Has it what /status of leat has? */
static bool look_is_status(const json_t *o)
{
    return json_is_string(field(o, "state")) && json_is_string(field(o, "pipeline")) &&
           json_is_array(field(o, "stages")) && json_is_number(field(o, "records"));
}

/* Returns the body as JSON; NULL if it is none, with what is wrong in a->fault. */
static json_t *look_get(const struct look *l, const char *path, struct http_answer *a)
{
    char *bytes;
    http_get(&l->server, path, l->token, a, &bytes);
    json_t *o = *a->fault ? NULL : json_loadb(a->body, a->n, JSON_ALLOW_NUL, NULL);
    free(bytes);
    return o;
}

static int look_refuse(const struct look *l, const struct http_answer *a, const json_t *o)
{
    char text[LOOK_TROUBLE];
    const char *error = field_text(o, "error"), *what = text;
    snprintf(text, sizeof text,
             "answers (HTTP %d), but not as a run of leat does: is it another program?", a->code);
    if (*a->fault)
        what = a->fault;
    else if (a->code == 401)
        what = l->token ? "refuses this token"
                        : "asks for a token: give --http-token '${env:NAME}' or '${file:PATH}'";
    else if (a->code != 200 && *error)
        what = error;
    fprintf(stderr, "%s %.400s\n", l->target, what);
    return LEAT_EIO;
}

static void look_ask(const struct look *l, const char *id)
{
    char path[3 * LOOK_NAME + 32], *at = path + sprintf(path, "/top/");
    struct http_answer a;
    for (const unsigned char *s = (const unsigned char *)id; *s; s++)
        at +=
            sprintf(at, (*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9') ? "%c" : "%%%02X", *s);
    sprintf(at, "?n=%d", LOOK_ROWS);
    json_t *o = look_get(l, path, &a);
    if (!json_is_object(o)) {
        json_decref(o);
        o = json_pack("{s:s}", "error", *a.fault ? a.fault : "gave an answer that is no JSON");
    }
    look_print(o);
}

static int look_read_run(const struct look *l)
{
    struct http_answer a;
    json_t *o = look_get(l, "/status", &a);
    if (a.code != 200 || !look_is_status(o)) return look_refuse(l, &a, o);
    look_print(json_incref(o));
    const char *id = field_text(look_learner(o, look_learner_index(o, l->learner)), "id");
    if (*id && strlen(id) < LOOK_NAME) look_ask(l, id);
    return LEAT_OK;
}

static void look_be_child(const struct look *l, int to)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGTSTP, SIGWINCH};
    sigset_t none;
    sigemptyset(&none);
    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++)
        signal(signals[k], SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_SETMASK, &none, NULL);
    dup2(to, STDOUT_FILENO);
    dup2(l->messages, STDERR_FILENO);
    log_set_level(LEAT_ERROR);
    _exit((l->of_dir ? look_read_snapshot : look_read_run)(l) == LEAT_OK ? EXIT_DONE : EXIT_DATA);
}

/* ---- the parent ---- */

static void look_trouble(struct look *l, const char *what)
{
    snprintf(l->trouble, sizeof l->trouble, l->of_dir ? "%s: %s" : "%s %s", l->target, what);
}

static void look_extend(struct look *l)
{
    l->until = clock_ns() + SERVER_SECONDS * UINT64_C(1000000000);
}

/* Finds what distinguishes the newest snapshot. Returns false if there is none, after a message. */
static bool look_find_newest(struct look *l, struct stat *st)
{
    uint64_t checkpoint[SNAPSHOT_DIR_CHECKPOINTS];
    char name[32], path[PATH_MAX];
    int n = snapshot_dir_list(l->target, checkpoint);
    if (n < 0) look_trouble(l, strerror(errno));
    if (n == 0) look_trouble(l, "there is no snapshot yet");
    if (n <= 0) return false;
    snapshot_dir_name(checkpoint[0], name);
    snprintf(path, sizeof path, "%s/%s", l->target, name);
    if (!stat(path, st)) return true;
    look_trouble(l,
                 strerror(errno)); /* of a moment: the next look finds the one that replaced it */
    return false;
}

static bool look_start_child(struct look *l)
{
    int ends[2];
    l->messages = memfd_create("messages", MFD_CLOEXEC);
    if (l->messages < 0 || pipe2(ends, O_CLOEXEC)) return false;
    fflush(stdout);
    l->child = fork();
    if (!l->child) look_be_child(l, ends[1]);
    close(ends[1]);
    l->fd = ends[0];
    fcntl(l->fd, F_SETFL, O_NONBLOCK);
    return l->child > 0;
}

static void look_end_child(struct look *l)
{
    if (l->child > 0) {
        kill(l->child, SIGKILL);
        waitpid(l->child, NULL, 0);
    }
    if (l->fd >= 0) close(l->fd);
    if (l->messages >= 0) close(l->messages);
    l->child = 0;
    l->fd = l->messages = -1;
}

static bool look_is_seen(struct look *l)
{
    struct stat st;
    const struct stat *old = &l->seen;
    if (!look_find_newest(l, &st)) return true;
    if (st.st_ino == old->st_ino && st.st_mtim.tv_sec == old->st_mtim.tv_sec &&
        st.st_mtim.tv_nsec == old->st_mtim.tv_nsec)
        return true;
    l->seen = st;
    return false;
}

void look_begin(struct look *l, const char *learner)
{
    look_end_child(l);
    l->under_way = true;
    l->n = 0;
    snprintf(l->learner, sizeof l->learner, "%s", learner);
    *l->trouble = 0;
    look_extend(l);
    if (l->of_dir && look_is_seen(l)) return;
    if (look_start_child(l)) return;
    look_trouble(l, strerror(errno));
    look_end_child(l);
}

/* Counts that fell are those of another run. */
static bool look_is_same_run(const json_t *before, const json_t *now)
{
    return !strcmp(field_text(before, "pipeline"), field_text(now, "pipeline")) &&
           field_number(now, "seconds") > field_number(before, "seconds") &&
           field_number(now, "records") >= field_number(before, "records");
}

/* A look that follows a key at once would show the rates of a moment: the look before stays. */
static void look_take_status(struct look *l, json_t *status)
{
    double since = field_number(status, "seconds") - field_number(l->status, "seconds");
    bool soon = l->before && since >= 0 && since < LEAST_SECONDS;
    json_decref(soon ? l->status : l->before);
    if (!soon) l->before = l->status;
    l->status = status;
    if (look_is_same_run(l->before, l->status)) return;
    json_decref(l->before);
    l->before = NULL;
}

/* Takes the last line that the child has written, without the words that begin every message. */
static void look_take_message(struct look *l)
{
    char text[LOOK_TROUBLE];
    ssize_t n = pread(l->messages, text, sizeof text - 1, 0);
    while (n > 0 && text[n - 1] == '\n')
        n--;
    text[n > 0 ? n : 0] = 0;
    const char *line = strrchr(text, '\n') ? strrchr(text, '\n') + 1 : text;
    if (!strncmp(line, "leat: ", 6)) line += 6;
    if (!strncmp(line, "error: ", 7)) line += 7;
    if (*line)
        snprintf(l->trouble, sizeof l->trouble, "%s", line);
    else
        look_trouble(l, l->of_dir ? "the snapshot could not be read" : no_answer);
}

/* Keeps the last status if nothing is new. late: the server was given up. */
static void look_take(struct look *l, bool late)
{
    const char *end = l->n ? memchr(l->bytes, '\n', l->n) : NULL;
    size_t n = end ? (size_t)(end - l->bytes) + 1 : 0;
    json_t *status = end ? json_loadb(l->bytes, n, JSON_ALLOW_NUL, NULL) : NULL;
    if (!status) {
        late ? look_trouble(l, no_answer) : look_take_message(l);
        l->seen.st_ino = 0; /* it is read again */
        return;
    }
    l->seen_ns = clock_unix_ns();
    look_take_status(l, status);
    json_decref(l->top);
    l->top = l->n > n ? json_loadb(l->bytes + n, l->n - n, JSON_ALLOW_NUL, NULL) : NULL;
    if (late && !l->top) l->top = json_pack("{s:s}", "error", no_answer);
}

/* The answer has as long as the status had. */
static void look_keep(struct look *l, const char *bytes, size_t n)
{
    if (l->n + n > l->cap) {
        char *grown = memory_take(2 * (l->n + n));
        if (l->n) memcpy(grown, l->bytes, l->n);
        free(l->bytes);
        l->bytes = grown;
        l->cap = 2 * (l->n + n);
    }
    memcpy(l->bytes + l->n, bytes, n);
    l->n += n;
    if (bytes[n - 1] == '\n') look_extend(l);
}

bool look_step(struct look *l)
{
    char bytes[1 << 14];
    bool late = !l->of_dir && clock_ns() >= l->until;
    while (l->fd >= 0 && !late) {
        ssize_t n = read(l->fd, bytes, sizeof bytes);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
        if (n <= 0 || l->n > MOST_BYTES) break;
        look_keep(l, bytes, (size_t)n);
    }
    if (l->child) look_take(l, late);
    look_end_child(l);
    l->under_way = false;
    return true;
}

int look_poll(const struct look *l, struct pollfd *p)
{
    uint64_t now = clock_ns();
    *p = (struct pollfd){.fd = l->under_way ? l->fd : -1, .events = POLLIN};
    if (!l->under_way) return -1;
    if (l->fd < 0) return 0;
    if (l->of_dir) return SNAPSHOT_MS;
    return now < l->until ? (int)((l->until - now) / 1000000 + 1) : 0;
}

void look_free(struct look *l)
{
    look_end_child(l);
    server_address_free(&l->server);
    free(l->token);
    free(l->bytes);
    json_decref(l->status);
    json_decref(l->before);
    json_decref(l->top);
}
