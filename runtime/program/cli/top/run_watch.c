/* run_watch.c -- see run_watch.h. */
#include "run_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/page/fields.h"

static void trouble(struct run_watch *w, const char *what)
{
    snprintf(w->look.trouble, sizeof w->look.trouble, "%s %.400s", w->server.url, what);
}

void run_watch_begin(struct run_watch *w, const char *learner)
{
    look_clear(&w->look);
    snprintf(w->learner, sizeof w->learner, "%s", learner);
    w->asks_top = false;
    http_get_begin(&w->get, &w->server, "/status", w->token);
}

/* NULL: the body is no JSON object. */
static json_t *body_json(const struct answer_reader *a)
{
    json_t *o = json_loadb(a->bytes + a->body, a->body_end - a->body, JSON_ALLOW_NUL, NULL);
    if (json_is_object(o)) return o;
    json_decref(o);
    return NULL;
}

/* Has it what /status of leat has? */
static bool is_status(const json_t *o)
{
    return json_is_string(field(o, "state")) && json_is_string(field(o, "pipeline")) &&
           json_is_array(field(o, "stages")) && json_is_number(field(o, "records"));
}

/* Takes o. */
static void take_status(struct run_watch *w, json_t *o)
{
    char text[LOOK_TROUBLE];
    int code = w->get.answer.code;
    const char *error = field_text(o, "error");
    if (code == 200 && is_status(o)) {
        w->look.status = o;
        return;
    }
    if (code == 401)
        trouble(w, w->token
                       ? "refuses this token"
                       : "asks for a token: give --http-token '${env:NAME}' or '${file:PATH}'");
    else if (code != 200 && *error)
        trouble(w, error);
    else {
        snprintf(text, sizeof text,
                 "answers (HTTP %d), but not as a run of leat does: is it another program?", code);
        trouble(w, text);
    }
    json_decref(o);
}

static void write_path(struct run_watch *w, const char *id)
{
    char *at = w->path + sprintf(w->path, "/top/");
    for (const unsigned char *s = (const unsigned char *)id; *s; s++)
        at +=
            sprintf(at, (*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9') ? "%c" : "%%%02X", *s);
    sprintf(at, "?n=%d", LOOK_ROWS);
}

/* The learner that is wanted, or the first; NULL: there is none that can be asked. */
static const char *learner_of(const struct run_watch *w)
{
    const json_t *status = w->look.status;
    const char *id = field_text(look_learner(status, look_learner_index(status, w->learner)), "id");
    return *id && strlen(id) < LOOK_NAME ? id : NULL;
}

/* true: the look is over. */
static bool ask_top(struct run_watch *w)
{
    const char *id = w->look.status ? learner_of(w) : NULL;
    http_get_end(&w->get);
    if (!id) return true;
    write_path(w, id);
    w->asks_top = true;
    http_get_begin(&w->get, &w->server, w->path, w->token);
    return false;
}

static bool take_top(struct run_watch *w)
{
    json_t *o = *w->get.fault ? NULL : body_json(&w->get.answer);
    if (!o)
        o = json_pack("{s:s}", "error",
                      *w->get.fault ? w->get.fault : "gave an answer that is no JSON");
    w->look.top = o;
    http_get_end(&w->get);
    return true;
}

bool run_watch_step(struct run_watch *w)
{
    if (!http_get_step(&w->get)) return false;
    if (w->asks_top) return take_top(w);
    if (*w->get.fault)
        trouble(w, w->get.fault);
    else
        take_status(w, body_json(&w->get.answer));
    return ask_top(w);
}

void run_watch_free(struct run_watch *w)
{
    http_get_end(&w->get);
    look_clear(&w->look);
    server_address_free(&w->server);
    free(w->token);
}
