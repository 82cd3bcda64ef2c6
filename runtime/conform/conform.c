/* conform.c -- see conform.h. */
#include "conform.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/json_text.h"
#include "base/plain_text.h"
#include "laws.h"
#include "subjects.h"

static const struct law_table *const tables[] = {
    &laws_of_stages, &laws_of_batches, &laws_of_returns,  &laws_of_memory,
    &laws_of_states, &laws_of_merges,  &laws_of_learners, &laws_of_sources,
    &laws_of_sinks,  &laws_of_commits, &laws_of_processes};
enum { N_TABLES = sizeof tables / sizeof *tables };

static const char runs[] = "runs";

/* ---- what is printed ---- */

static const char *const words[] = {[PASSED] = "ok", [FAILED] = "not ok", [SKIPPED] = "skip"};

static void print_json(const char *stage, const struct law *law, enum outcome outcome,
                       const char *found)
{
    json_t *line = json_object();
    json_object_set_new(line, "stage", json_text(stage));
    if (law) json_object_set_new(line, "law", json_text(law->name));
    if (law) json_object_set_new(line, "claim", json_text(law->claim));
    json_object_set_new(line, "result", json_text(words[outcome]));
    if (*found) json_object_set_new(line, "found", json_text(found));
    json_print(line, JSON_COMPACT, stdout);
}

static void print_found(const char *found)
{
    for (size_t n; *found; found += n + (found[n] == '\n')) {
        n = strcspn(found, "\n");
        plain_text_line(stdout, "    %.*s", (int)n, found);
    }
}

static void print(const struct conform_options *o, const char *stage, const struct law *law,
                  enum outcome outcome, const char *found)
{
    if (o->json) {
        print_json(stage, law, outcome, found);
        return;
    }
    if (outcome == SKIPPED)
        plain_text_line(stdout, "skip %s%s%s: %s", stage, law ? " " : "", law ? law->name : "",
                        found);
    else
        plain_text_line(stdout, "%s %s %s: %s", words[outcome], stage, law->name, law->claim);
    if (outcome != FAILED) return;
    print_found(found);
    plain_text_line(stdout, "    again:    leat plugin test %s%s%s --stage %s --law %s", o->file,
                    o->script ? " " : "", o->script ? o->script : "", stage, law->name);
}

static void tell(const struct conform_options *o, struct conform_counts *counts,
                 const struct subject *s, const struct law *law, enum outcome outcome,
                 const char *found)
{
    counts->passed += outcome == PASSED;
    counts->failed += outcome == FAILED;
    counts->skipped += outcome == SKIPPED;
    print(o, s->stage->name, law, outcome, found);
}

/* ---- folders ---- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    return remove(path);
}

static void remove_folder(const char *path) { nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

/* ---- laws ---- */

static enum outcome try_law(const struct conform_options *o, struct conform_counts *counts,
                            const struct subject *s, const char *dir, const struct law *law)
{
    struct trial_page page;
    struct subject with = *s;
    const char *why = law->applies ? law->applies(s) : NULL;
    if (why && o->law) tell(o, counts, s, law, SKIPPED, why);
    if (why) return SKIPPED;
    char path[4200];
    snprintf(path, sizeof path, "%s/trial", dir);
    mkdir(path, 0700);
    with.dir = path;
    trial_run(law, &with, &page);
    remove_folder(path);
    const struct law *about = page.outcome == SKIPPED && law->name == runs ? NULL : law;
    tell(o, counts, s, about, page.outcome, page.outcome == PASSED ? "" : page.found);
    return page.outcome;
}

static bool wanted(const struct conform_options *o, const struct law *law)
{
    return !o->law || !strcmp(o->law, law->name);
}

/* Those that open a stage are tried when it runs. */
static void try_all(const struct conform_options *o, struct conform_counts *counts,
                    const struct subject *s, const char *dir)
{
    bool works = !subject_not_run(s) || !o->law;
    for (size_t t = 0; t < N_TABLES; t++)
        for (size_t i = 0; i < tables[t]->n; i++) {
            const struct law *law = &tables[t]->law[i];
            if (!wanted(o, law) || (!works && !law->is_static)) continue;
            enum outcome outcome = try_law(o, counts, s, dir, law);
            if (!strcmp(law->name, runs)) works = outcome == PASSED;
            if (!strcmp(law->name, runs) && outcome == FAILED && !o->law)
                tell(o, counts, s, NULL, SKIPPED, "the other laws need a stage that runs");
        }
    if (o->law && subject_not_run(s)) tell(o, counts, s, NULL, SKIPPED, subject_not_run(s));
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
    const char *names[128] = {NULL};
    size_t n = 0;
    for (size_t t = 0; t < N_TABLES; t++)
        for (size_t i = 0; i < tables[t]->n; i++)
            names[n++] = tables[t]->law[i].name;
    for (size_t i = 0; o->law && i < n; i++)
        if (!strcmp(o->law, names[i])) return LEAT_OK;
    return o->law ? no_such("law", o->law, names, n) : LEAT_OK;
}

static int check_stage(const struct conform_options *o, const struct subjects *all)
{
    const char *names[256] = {NULL};
    uint32_t n = all->n < 256 ? all->n : 256;
    for (uint32_t i = 0; i < n; i++) {
        names[i] = all->of[i].stage->name;
        if (!o->stage || !strcmp(o->stage, names[i])) return LEAT_OK;
    }
    return no_such("stage", o->stage, names, n);
}

/* Was the file refused? That is a finding, and the only one. */
static bool tell_refusal(const struct conform_options *o, const struct registry *known,
                         struct conform_counts *counts)
{
    static const struct law load = {.name = "load", .claim = "the host takes it"};
    for (const struct notice *n = known->notices; n; n = n->next) {
        if (n->kind != NOTICE_REFUSED || strcmp(n->file, o->file) != 0) continue;
        counts->failed++;
        print(o, o->file, &load, FAILED, n->text);
        return true;
    }
    return false;
}

static int try_subjects(const struct conform_options *o, struct registry *known,
                        struct conform_counts *counts, const char *dir)
{
    struct subjects all;
    int status = subjects_make(&all, o, known, dir);
    if (status == LEAT_OK) status = check_stage(o, &all);
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
        plain_text_line(stderr, "leat: %s: no folder can be made there", dir);
        return LEAT_EARG;
    }
    int status = try_subjects(o, known, counts, dir);
    remove_folder(dir);
    return status;
}
