/* command_group.c -- `leat group status`: asks the stage source.group, and prints what it tells.
 *
 * The records of source.group are objects of JSON: partitions, members, at last the group. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "core/text/plain_text.h"
#include "group_report.h"
#include "host/exec/trial/peek.h"
#include "host/log/log.h"
#include "host/params/params.h"
#include "program/cli/command.h"
#include "program/cli/session.h"

enum { MOST_SETTINGS = 6 };

/* Settings of the stage that is asked. */
struct group_settings {
    struct setting v[MOST_SETTINGS];
    size_t n;
};

static void settings_add(struct group_settings *to, const char *key, const struct value *v)
{
    if (to->n < MOST_SETTINGS) to->v[to->n++] = (struct setting){key, *v};
}

static void settings_add_text(struct group_settings *to, const char *key, const char *text)
{
    struct value v = {.type = VALUE_TEXT, .text = text, .n = strlen(text)};
    settings_add(to, key, &v);
}

/* ---- the settings of the command line ---- */

/* Takes arguments of the command line as settings, like those of an application. Returns an exit
 * code. */
static int settings_of_arguments(struct group_settings *to, const struct command_line *c)
{
    static const char *const names[][2] = {{"brokers", "brokers"},
                                           {"topic", "topics"},
                                           {"state_topic", "state_topic"},
                                           {"properties", "properties"},
                                           {"pipeline", "pipeline"}};
    enum { N = sizeof names / sizeof *names };
    bool brokers = false;
    settings_add_text(to, "group", c->operand[0]);
    for (size_t i = 0; i < c->n_args; i++) {
        size_t k = 0;
        while (k < N && strcmp(c->args[i].key, names[k][0]) != 0)
            k++;
        if (k == N)
            return usage_error("group status takes brokers, topic, state_topic, properties and "
                               "pipeline, not --set ",
                               c->args[i].key);
        brokers |= k == 0;
        settings_add_text(to, names[k][1], c->args[i].value);
    }
    return brokers
               ? EXIT_DONE
               : usage_error("--brokers HOST:PORT is missing: leat group status ", c->operand[0]);
}

/* ---- the settings of a script ---- */

/* Returns the source that reads by a group; NULL if there is none. */
static const struct node *group_source_of(const struct graph *g)
{
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        if (!n->stage || n->stage->kind != LEAT_SOURCE) continue;
        for (size_t k = 0; k < n->n_settings; k++)
            if (n->settings[k].key && !strcmp(n->settings[k].key, "group")) return n;
    }
    return NULL;
}

/* Takes the settings that both stages have. */
static void settings_of_source(struct group_settings *to, const struct node *source)
{
    static const char *const names[] = {"group", "brokers", "topics", "state_topic", "properties"};
    const struct leat_param *unnamed = params_positional(source->stage);
    for (size_t i = 0; i < source->n_settings; i++) {
        const struct setting *s = &source->settings[i];
        const char *key = s->key ? s->key : unnamed ? unnamed->name : "";
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (!strcmp(key, names[k])) settings_add(to, key, &s->value);
    }
}

static int settings_of_script(struct group_settings *to, struct session *s,
                              const struct command_line *c)
{
    struct command_line line = *c;
    line.script = c->operand[0];
    int status = session_prepare(s, &line, SESSION_LINKED);
    const struct node *source = status == LEAT_OK ? group_source_of(&s->graph) : NULL;
    session_print_problems(s, &line);
    if (status != LEAT_OK) return EXIT_CONFIG;
    if (!source) {
        plain_text_line(stderr, "leat: no source of %s reads by a group: give one by `group`",
                        line.script);
        return EXIT_CONFIG;
    }
    settings_of_source(to, source);
    settings_add_text(to, "pipeline", s->graph.name);
    return EXIT_DONE;
}

/* ---- asking ---- */

/* Returns the records as an array; NULL if one is no JSON, which would be a fault of the stage. */
static json_t *group_records(const struct value *list)
{
    json_t *records = json_array();
    for (size_t i = 0; i < list->n; i++) {
        json_t *o = json_loadb(list->list[i].text, list->list[i].n, 0, NULL);
        if (!o || json_array_append_new(records, o)) {
            json_decref(records);
            return NULL;
        }
    }
    return records;
}

static int command_group_ask(struct group_settings *settings, struct session *s,
                             const struct command_line *c)
{
    const char *why = NULL;
    const struct value *list =
        peek_list(&s->known, "source.group", settings->v, settings->n, SIZE_MAX, &s->arena, &why);
    if (!list) {
        plain_text_line(stderr, "leat: %s", why ? why : "the group cannot be asked");
        return EXIT_DATA;
    }
    json_t *records = group_records(list);
    bool whole = records && group_report(records, c, stdout);
    json_decref(records);
    if (!whole) fputs("leat: the brokers did not tell all in time; try again\n", stderr);
    return whole ? EXIT_DONE : EXIT_DATA;
}

static bool group_is_script(const char *name)
{
    size_t n = strlen(name);
    return n > 4 && !strcmp(name + n - 4, ".lua");
}

int command_group(const struct command_line *c)
{
    struct group_settings settings = {.n = 0};
    struct session s = {.diag.arena = &s.arena};
    if (strcmp(c->script, "status") != 0)
        return usage_error("leat group takes status, not ", c->script);
    if (c->n_operands != 1)
        return usage_error("one group, or one pipeline, is needed: leat group status ",
                           c->n_operands ? c->operand[1] : "GROUP --brokers HOST:PORT");
    if (c->log_level >= 0) log_set_level(c->log_level);
    bool script = group_is_script(c->operand[0]);
    if (!script) command_load_plugins(&s.known, c);
    int code = script ? settings_of_script(&settings, &s, c) : settings_of_arguments(&settings, c);
    if (code == EXIT_DONE) code = command_group_ask(&settings, &s, c);
    session_release(&s);
    return code;
}
