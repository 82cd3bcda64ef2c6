/* conform.c -- implementation of conform.h: tries all laws, prints results. */
#include "conform.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/log/diag.h"
#include "host/log/json_text.h"
#include "core/text/plain_text.h"
#include "laws.h"
#include "subject.h"

static const struct law_table *const tables[] = {
    &laws_of_stages, &laws_of_waits,   &laws_of_sources,   &laws_of_batches,  &laws_of_returns,
    &laws_of_memory, &laws_of_states,  &laws_of_forgeries, &laws_of_merges,   &laws_of_learners,
    &laws_of_sinks,  &laws_of_commits, &laws_of_kills,     &laws_of_processes};
enum { N_TABLES = sizeof tables / sizeof *tables };

static const char runs[] = "runs", idle[] = "idle";
static const struct law load = {.name = "load", .claim = "the host takes it"};

struct conform_result {
    enum outcome outcome;
    const char *found; /* fault, or reason for skipping; "" if the law is kept */
    const char *wrote; /* output to standard error; NULL or "" if none */
};

/* ---- output ---- */

static const char *const words[] = {[PASSED] = "ok", [FAILED] = "not ok", [SKIPPED] = "skip"};

static void conform_print_json(const char *stage, const struct law *law,
                               const struct conform_result *r)
{
    json_t *line = json_object();
    json_object_set_new(line, "stage", json_text(stage));
    if (law) json_object_set_new(line, "law", json_text(law->name));
    if (law) json_object_set_new(line, "claim", json_text(law->claim));
    json_object_set_new(line, "result", json_text(words[r->outcome]));
    if (*r->found) json_object_set_new(line, "found", json_text(r->found));
    if (r->wrote && *r->wrote) json_object_set_new(line, "stderr", json_text(r->wrote));
    json_print(line, JSON_COMPACT, stdout);
}

static void print_lines(const char *before, const char *text)
{
    for (size_t n; *text; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        plain_text_line(stdout, "    %s%.*s", before, (int)n, text);
    }
}

/* Prints a word, with quotes if a shell needs them. */
static void conform_put_word(FILE *out, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,@%+=";
    const char *quote = !*word || word[strspn(word, plain)] ? "'" : "";
    fputs(quote, out);
    for (; *word; word++)
        *word == '\'' ? fputs("'\\''", out) : putc(*word, out);
    fputs(quote, out);
}

static void conform_put_words(FILE *out, const char *option, const char *word)
{
    fprintf(out, " %s%s", option, *option ? " " : "");
    conform_put_word(out, word);
}

static void put_argument(FILE *out, const struct argument *a)
{
    char *text = NULL;
    if (asprintf(&text, "%s=%s", a->key, a->value) < 0) return;
    conform_put_words(out, "--set", text);
    free(text);
}

/* Prints the command that repeats the trial of the law. If the host has refused the plugin file
 * (law `load`), the command names no stage and no law. */
static void print_again(const struct conform_options *o, const char *stage, const struct law *law)
{
    char *line = NULL;
    size_t n;
    FILE *out = open_memstream(&line, &n);
    if (!out) return;
    conform_put_words(out, "", o->file);
    if (o->script) conform_put_words(out, "", o->script);
    for (size_t i = 0; i < o->n_plugin_paths; i++)
        conform_put_words(out, "--plugin-path", o->plugin_paths[i]);
    for (size_t i = 0; i < o->n_args; i++)
        put_argument(out, &o->args[i]);
    if (law != &load) fprintf(out, " --stage %s --law %s", stage, law->name);
    if (!fclose(out)) plain_text_line(stdout, "    again:    leat plugin test%s", line);
    free(line);
}

static void conform_print(const struct conform_options *o, const char *stage, const struct law *law,
                          const struct conform_result *r)
{
    if (o->json) {
        conform_print_json(stage, law, r);
        return;
    }
    if (r->outcome == SKIPPED)
        plain_text_line(stdout, "skip %s%s%s: %s", stage, law ? " " : "", law ? law->name : "",
                        r->found);
    else
        plain_text_line(stdout, "%s %s %s: %s", words[r->outcome], stage, law->name, law->claim);
    if (r->outcome != FAILED) return;
    print_lines("", r->found);
    if (r->wrote) print_lines("stderr:   ", r->wrote);
    print_again(o, stage, law);
}

static void conform_tell(const struct conform_options *o, struct conform_counts *counts,
                         const struct subject *s, const struct law *law,
                         const struct conform_result *r)
{
    counts->passed += r->outcome == PASSED;
    counts->failed += r->outcome == FAILED;
    counts->skipped += r->outcome == SKIPPED;
    conform_print(o, s->stage->name, law, r);
}

static void tell_skipped(const struct conform_options *o, struct conform_counts *counts,
                         const struct subject *s, const struct law *law, const char *why)
{
    conform_tell(o, counts, s, law, &(struct conform_result){SKIPPED, why, NULL});
}

/* Warns if a stage rejected every record, because its laws then prove little. */
static void warn_rejected(const struct conform_options *o, const struct subject *s)
{
    static const char text[] = "the stage rejected every record, so the laws say little: give a "
                               "SCRIPT whose source has records of its format";
    if (!o->json) {
        plain_text_line(stdout, "warning %s: %s (leat plugin test %s SCRIPT.lua)", s->stage->name,
                        text, o->file);
        return;
    }
    json_t *line = json_object();
    json_object_set_new(line, "stage", json_text(s->stage->name));
    json_object_set_new(line, "result", json_text("warning"));
    json_object_set_new(line, "found", json_text(text));
    json_print(line, JSON_COMPACT, stdout);
}

/* ---- folders ---- */

static int conform_remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    return remove(path);
}

static void remove_folder(const char *path)
{
    nftw(path, conform_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* ---- laws ---- */

struct records_seen {
    uint64_t given, taken;
};

static enum outcome try_law(const struct conform_options *o, struct conform_counts *counts,
                            const struct subject *s, const char *dir, const struct law *law,
                            struct records_seen *seen)
{
    struct trial_page page;
    struct subject with = *s;
    const char *why = law->applies ? law->applies(s) : NULL;
    if (why && o->law) tell_skipped(o, counts, s, law, why);
    if (why) return SKIPPED;
    char path[4200];
    snprintf(path, sizeof path, "%s/trial", dir);
    mkdir(path, 0700);
    with.dir = path;
    trial_run(law, &with, &page);
    seen->given += page.given;
    seen->taken += page.taken;
    remove_folder(path);
    const struct law *about = page.outcome == SKIPPED && law->name == runs ? NULL : law;
    const char *found = page.outcome == PASSED ? "" : page.found;
    conform_tell(o, counts, s, about, &(struct conform_result){page.outcome, found, page.wrote});
    return page.outcome;
}

static bool conform_wanted(const struct conform_options *o, const struct law *law)
{
    return !o->law || !strcmp(o->law, law->name);
}

/* Tries all laws of a stage. If the stage has broken the law `runs`, tries only the laws that do
 * not open it. */
static void try_all(const struct conform_options *o, struct conform_counts *counts,
                    const struct subject *s, const char *dir)
{
    bool works = !subject_not_run(s) || !o->law;
    struct records_seen seen = {0};
    for (size_t t = 0; t < N_TABLES; t++)
        for (size_t i = 0; i < tables[t]->n; i++) {
            const struct law *law = &tables[t]->law[i];
            if (!conform_wanted(o, law) || (!works && !law->is_static)) continue;
            enum outcome outcome = try_law(o, counts, s, dir, law, &seen);
            if (!strcmp(law->name, runs)) works = outcome == PASSED;
            if (!strcmp(law->name, runs) && outcome == FAILED && !o->law)
                tell_skipped(o, counts, s, NULL, "the other laws need a stage that runs");
            if (!strcmp(law->name, idle) && outcome == FAILED && !o->law) {
                tell_skipped(o, counts, s, NULL, "the other laws need a source that does not wait");
                works = false;
            }
        }
    if (seen.given && !seen.taken) warn_rejected(o, s);
    if (o->law && subject_not_run(s)) tell_skipped(o, counts, s, NULL, subject_not_run(s));
}

/* ---- the command ---- */

static int no_such(const char *what, const char *name, const char *const *known, size_t n)
{
    const char *near = diag_suggest(name, known, n);
    plain_text_line(stderr, "leat: there is no %s '%s'%s%s%s", what, name,
                    near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
    return LEAT_EARG;
}

static int check_law(const struct conform_options *o)
{
    const char *names[128] = {0};
    size_t n = 0;
    for (size_t t = 0; t < N_TABLES; t++)
        for (size_t i = 0; i < tables[t]->n; i++)
            names[n++] = tables[t]->law[i].name;
    for (size_t i = 0; o->law && i < n; i++)
        if (!strcmp(o->law, names[i])) return LEAT_OK;
    return o->law ? no_such("law", o->law, names, n) : LEAT_OK;
}

static int conform_check_stage(const struct conform_options *o, const struct subjects *all)
{
    const char *names[256] = {0};
    uint32_t n = all->n < 256 ? all->n : 256;
    for (uint32_t i = 0; i < n; i++) {
        names[i] = all->of[i].stage->name;
        if (!o->stage || !strcmp(o->stage, names[i])) return LEAT_OK;
    }
    return no_such("stage", o->stage, names, n);
}

/* Reports that the host refuses the plugin file; there is then nothing else to test. Returns false
 * if the file was not refused. */
static bool tell_refusal(const struct conform_options *o, const struct registry *known,
                         struct conform_counts *counts)
{
    for (const struct notice *n = known->notices; n; n = n->next) {
        if (n->kind != NOTICE_REFUSED || strcmp(n->file, o->file) != 0) continue;
        counts->failed++;
        conform_print(o, o->file, &load, &(struct conform_result){FAILED, n->text, NULL});
        return true;
    }
    return false;
}

static int try_subjects(const struct conform_options *o, struct registry *known,
                        struct conform_counts *counts, const char *dir)
{
    struct subjects all;
    int status = subjects_make(&all, o, known, dir);
    if (status == LEAT_OK) status = conform_check_stage(o, &all);
    for (uint32_t i = 0; status == LEAT_OK && i < all.n; i++)
        if (!o->stage || !strcmp(o->stage, all.of[i].stage->name))
            try_all(o, counts, &all.of[i], dir);
    subjects_free(&all);
    return status;
}

int conform(const struct conform_options *o, struct registry *known, struct conform_counts *counts)
{
    const char *tmp = getenv("TMPDIR");
    char dir[4096];
    if (check_law(o) != LEAT_OK) return LEAT_EARG;
    if (tell_refusal(o, known, counts)) return LEAT_OK;
    snprintf(dir, sizeof dir, "%s/leat-plugin-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(dir)) {
        plain_text_line(stderr, "leat: %s: a folder cannot be made there", dir);
        return LEAT_EARG;
    }
    int status = try_subjects(o, known, counts, dir);
    remove_folder(dir);
    return status;
}
