/* test_registry.c -- refused plugins and their messages; the winner of two stages; the listing.
 *
 * The plugins are in tests/support/plugins, each with one fault. */
#include "support/suite.h"

#include <ftw.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/plugin/describe.h"
#include "host/plugin/registry.h"

/* Returns the path build/<mode>/tests/plugins/NAME.so, relative to this program's place. */
static const char *fixture(const char *name)
{
    static char path[2 * PATH_MAX];
    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    ck_assert_int_gt(n, 0);
    exe[n] = 0;
    *strrchr(exe, '/') = 0;
    snprintf(path, sizeof path, "%s/../../../plugins/%s.so", exe, name);
    ck_assert_msg(access(path, R_OK) == 0, "%s is not built", path);
    return path;
}

static char directory[PATH_MAX];

static const char *new_directory(void)
{
    strcpy(directory, "/tmp/leat-loader-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    return directory;
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    return remove(path);
}

static void remove_directory(const char *dir) { nftw(dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS); }

/* Makes a copy instead of a link: the loader takes two copies for two files. */
static void put_file(const char *dir, const char *as, const char *fixture_name)
{
    char to[2 * PATH_MAX], buffer[65536];
    snprintf(to, sizeof to, "%s/%s.so", dir, as);
    FILE *in = fopen(fixture(fixture_name), "rb"), *out = fopen(to, "wb");
    ck_assert(in && out);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, in));)
        ck_assert_uint_eq(fwrite(buffer, 1, n, out), n);
    fclose(in);
    fclose(out);
}

static void put_text(const char *dir, const char *as, const char *text)
{
    char to[2 * PATH_MAX];
    snprintf(to, sizeof to, "%s/%s", dir, as);
    FILE *out = fopen(to, "wb");
    ck_assert_ptr_nonnull(out);
    fputs(text, out);
    fclose(out);
}

static void ck_says(const char *text, const char *part)
{
    ck_assert_ptr_nonnull(text);
    ck_assert_msg(strstr(text, part), "\"%s\" does not say \"%s\"", text, part);
}

static void ck_before(const char *text, const char *first, const char *second)
{
    ck_says(text, first);
    ck_says(strstr(text, first), second);
    ck_assert_msg(strstr(text, second) > strstr(text, first), "%s comes before %s", second, first);
}

static void load(struct registry *r, const char *path, enum origin origin)
{
    registry_init(r);
    registry_load(r, path, origin);
}

/* Checks that the plugin is refused with one message, which names the file and contains all
 * parts. */
static void refused(const char *path, enum origin origin, const char *const *parts)
{
    struct registry r;
    registry_init(&r);
    r.probe_ms = strstr(path, "hang") ? 200 : 20000;
    registry_load(&r, path, origin);
    ck_assert_uint_eq(r.n, 0);
    ck_assert_ptr_nonnull(r.notices);
    ck_assert_ptr_null(r.notices->next);
    ck_assert_int_eq(r.notices->kind, NOTICE_REFUSED);
    ck_says(r.notices->text, path);
    for (; *parts; parts++)
        ck_says(r.notices->text, *parts);
    registry_free(&r);
}

#define REFUSED(NAME, TRUST, ...)                                                                  \
    refused(fixture(NAME), TRUST, (const char *const[]){__VA_ARGS__, NULL})

START_TEST(every_misfit_is_refused_with_what_was_found_and_wanted)
{
    REFUSED("no_symbol", TRUSTED, "no symbol 'leat_plugin'", "LEAT_PLUGIN");
    REFUSED("wrong_magic", TRUSTED, "0xdeadbeef", "not 0x3174616c", "LEAT_PLUGIN");
    REFUSED("wrong_major", TRUSTED, "ABI 7.3", "this leat has 1.1", "newer leat");
    REFUSED("truncated", TRUSTED, "24 bytes", "at least 64", "rebuild");
    REFUSED("overlong", TRUSTED, "4096 bytes", "the symbol has 64", "rebuild");
    REFUSED("newer_host", TRUSTED, "1.9", "this leat has 1.1", "newer leat");
    REFUSED("short_stage", TRUSTED, "40 bytes each", "at least 192", "rebuild");
    REFUSED("bad_name", TRUSTED, "'Lonely'", "a lower-case group.name");
    REFUSED("reserved", TRUSTED, "filter.contains", "leat.filter", "choose another group");
    REFUSED("no_process", TRUSTED, "feature.idle", "lacks the function process");
    REFUSED("bad_default", TRUSTED, "feature.bad_default", "'k'", "\"500\"", "1 to 100");
}
END_TEST

START_TEST(what_lanes_would_split_may_not_declare_them)
{
    REFUSED("parallel_learner", PROBED, "learn.parallel", "LEAT_PARALLEL",
            "is a source, learner or sink", "remove LEAT_PARALLEL from its caps");
}
END_TEST

START_TEST(a_fault_found_in_the_child_is_reported_like_one_found_here)
{
    REFUSED("wrong_major", PROBED, "ABI 7.3", "this leat has 1.1");
    REFUSED("bad_default", PROBED, "\"500\"", "1 to 100");
}
END_TEST

START_TEST(plugins_that_crash_end_or_hang_while_loading_are_refused_and_the_host_lives)
{
    REFUSED("crash", PROBED, "crashed while loading (SIGSEGV)");
    REFUSED("wild_pointer", PROBED, "crashed while loading (SIGSEGV)");
    REFUSED("wild_text", PROBED, "crashed while loading (SIGSEGV)");
    REFUSED("leave", PROBED, "exit status 3): its runtime must come first");
    REFUSED("hang", PROBED, "did not answer within 6 s"); /* 30 times probe_ms */
}
END_TEST

START_TEST(files_that_are_no_shared_objects_are_refused_by_their_first_bytes)
{
    const char *dir = new_directory();
    char path[2 * PATH_MAX];
    put_text(dir, "text.so", "#!/bin/sh\n");
    put_text(dir, "empty.so", "");
    put_text(dir, "broken.so", "\177ELF and then nothing that would make sense to a linker");
    snprintf(path, sizeof path, "%s/text.so", dir);
    refused(path, PROBED, (const char *const[]){"23 21 2f 62", "E L F", "-shared", NULL});
    snprintf(path, sizeof path, "%s/empty.so", dir);
    refused(path, PROBED, (const char *const[]){"0 bytes", "E L F", NULL});
    snprintf(path, sizeof path, "%s/broken.so", dir);
    refused(path, PROBED, (const char *const[]){"cannot be loaded", NULL});
    snprintf(path, sizeof path, "%s/missing", dir);
    refused(path, PROBED,
            (const char *const[]){"cannot load plugins from this folder", "No such file", NULL});
    remove_directory(dir);
}
END_TEST

START_TEST(one_refused_plugin_does_not_keep_others_out)
{
    const char *dir = new_directory();
    put_file(dir, "a", "wrong_major");
    put_file(dir, "b", "good");
    put_file(dir, "c", "crash");
    put_text(dir, "d.so", "no plugin");
    put_text(dir, "README", "not looked at");
    struct registry r;
    load(&r, dir, PROBED);
    ck_assert_uint_eq(r.n, 2);
    ck_assert_ptr_nonnull(registry_find(&r, "feature.every"));
    const char *refusals = r.refused;
    ck_says(refusals, "/a.so, ");
    ck_says(refusals, "/c.so, ");
    ck_says(refusals, "/d.so");
    ck_assert_ptr_null(strstr(refusals, "/b.so"));
    ck_assert_ptr_null(strstr(refusals, "README"));
    registry_free(&r);
    remove_directory(dir);
}
END_TEST

START_TEST(an_older_plugin_loads_and_what_it_lacks_is_null)
{
    struct registry r;
    load(&r, fixture("older"), PROBED);
    const struct stage_type *t = registry_find(&r, "feature.older_a");
    ck_assert_ptr_nonnull(t);
    ck_assert_ptr_nonnull(t->stage->process);
    ck_assert_uint_le(t->plugin->abi_minor, LEAT_ABI_MINOR);
    ck_assert(!t->stage->tick && !t->stage->learner->query && !t->stage->asker->show &&
              !t->stage->barrier);
    const struct leat_param *p = t->stage->params;
    ck_assert_uint_eq(t->stage->n_params, 2);
    ck_assert_uint_eq(t->stage->param_size, sizeof *p);
    ck_assert_str_eq(p[0].name, "first");
    ck_assert_str_eq(p[1].name, "second");
    ck_assert_uint_eq(p[1].offset, 8);
    ck_assert(!p[0].unit && !p[0].doc && !p[1].unit && !p[1].doc);
    ck_assert_ptr_nonnull(registry_find(&r, "feature.older_b"));
    registry_free(&r);
}
END_TEST

START_TEST(a_younger_plugin_loads_and_its_longer_structs_are_walked_by_its_own_stride)
{
    struct registry r;
    load(&r, fixture("younger"), PROBED);
    ck_assert_ptr_null(r.refused);
    ck_assert_ptr_nonnull(registry_find(&r, "feature.younger_a"));
    const struct stage_type *b = registry_find(&r, "feature.younger_b");
    ck_assert_ptr_nonnull(b);
    ck_assert_ptr_null(b->stage->barrier);
    ck_assert_uint_eq(b->plugin->abi_minor, LEAT_ABI_MINOR + 5);
    registry_free(&r);
}
END_TEST

START_TEST(names_are_sorted_and_each_is_found)
{
    struct registry r;
    load(&r, fixture("younger"), TRUSTED);
    registry_load(&r, fixture("good"), TRUSTED);
    registry_load(&r, fixture("older"), TRUSTED);
    ck_assert_uint_eq(r.n, 6);
    for (size_t i = 0; i < r.n; i++) {
        ck_assert(i == 0 || strcmp(r.name[i - 1], r.name[i]) < 0);
        ck_assert_str_eq(registry_find(&r, r.name[i])->stage->name, r.name[i]);
    }
    ck_assert_ptr_null(registry_find(&r, "feature.ever"));
    ck_assert_ptr_null(registry_find(&r, "zzz"));
    registry_free(&r);
}
END_TEST

START_TEST(the_first_of_two_stages_of_a_name_stays_and_the_other_is_noted)
{
    struct registry r;
    load(&r, fixture("good"), TRUSTED);
    registry_load(&r, fixture("same_name"), TRUSTED);
    ck_assert_str_eq(registry_find(&r, "feature.every")->plugin->name, "good");
    ck_assert_str_eq(registry_find(&r, "feature.own")->plugin->name, "bad");
    ck_assert_ptr_nonnull(r.notices);
    ck_assert_int_eq(r.notices->kind, NOTICE_SHADOWED);
    ck_says(r.notices->text, "same_name.so");
    ck_says(r.notices->text, "good.so");
    ck_says(r.notices->text, "feature.every");
    ck_assert_ptr_null(r.refused);
    registry_free(&r);
}
END_TEST

START_TEST(a_file_reached_twice_is_loaded_once)
{
    struct registry r;
    load(&r, fixture("good"), PROBED);
    registry_load(&r, fixture("good"), PROBED);
    ck_assert_uint_eq(r.n, 2);
    ck_assert_ptr_null(r.notices);
    registry_free(&r);
}
END_TEST

START_TEST(command_line_comes_before_environment)
{
    char first[PATH_MAX], second[PATH_MAX], env[3 * PATH_MAX];
    strcpy(first, new_directory());
    strcpy(second, new_directory());
    put_file(first, "x", "same_name");
    put_file(second, "x", "good");
    struct registry r;
    const char *paths[] = {first};
    snprintf(env, sizeof env, ":%s:", second);
    setenv("LEAT_PLUGIN_PATH", env, 1);
    registry_init(&r);
    registry_load_all(&r, paths, 1);
    ck_assert_str_eq(registry_find(&r, "feature.every")->plugin->name, "bad");
    ck_assert_ptr_nonnull(registry_find(&r, "source.nothing"));
    registry_free(&r);
    unsetenv("LEAT_PLUGIN_PATH");
    remove_directory(first);
    remove_directory(second);
}
END_TEST

START_TEST(the_users_folder_comes_last_and_may_be_missing)
{
    char data[PATH_MAX], leat[PATH_MAX + 16], plugins[PATH_MAX + 32];
    strcpy(data, new_directory());
    snprintf(leat, sizeof leat, "%s/leat", data);
    snprintf(plugins, sizeof plugins, "%s/plugins", leat);
    struct registry r;
    setenv("XDG_DATA_HOME", data, 1);
    registry_init(&r);
    registry_load_all(&r, NULL, 0);
    ck_assert_ptr_null(registry_find(&r, "source.nothing"));
    for (const struct notice *n = r.notices; n; n = n->next)
        ck_assert_msg(!strstr(n->text, data), "%s", n->text);
    registry_free(&r);
    mkdir(leat, 0755);
    mkdir(plugins, 0755);
    put_file(plugins, "x", "good");
    registry_init(&r);
    registry_load_all(&r, NULL, 0);
    ck_assert_ptr_nonnull(registry_find(&r, "source.nothing"));
    ck_says(registry_find(&r, "source.nothing")->file, plugins);
    registry_free(&r);
    unsetenv("XDG_DATA_HOME");
    remove_directory(plugins);
    rmdir(leat);
    rmdir(data);
}
END_TEST

/* Returns the folder of the host's own plugins: build/<mode>/lib/leat/plugins. */
static const char *own_directory(void)
{
    static char path[2 * PATH_MAX];
    strcpy(path, fixture("good"));
    strcpy(strstr(path, "/../../../plugins/"), "/../../../../lib/leat/plugins");
    return path;
}

START_TEST(the_build_knows_the_stages_of_its_own_plugins)
{
    struct registry announced, all;
    load(&announced, own_directory(), INSTALLED);
    load(&all, own_directory(), TRUSTED);
    ck_assert_uint_gt(all.n, 60);
    ck_assert_uint_eq(announced.n, all.n);
    for (size_t i = 0; i < all.n; i++) {
        ck_assert_str_eq(announced.name[i], all.name[i]);
        ck_assert_str_eq(announced.type[i]->file, all.type[i]->file);
    }
    registry_free(&all);
    registry_free(&announced);
}
END_TEST

START_TEST(own_plugins_are_loaded_when_a_stage_of_theirs_is_asked_for)
{
    struct registry r;
    load(&r, own_directory(), INSTALLED);
    for (size_t i = 0; i < r.n; i++)
        ck_assert_ptr_null(r.type[i]->stage);
    const struct stage_type *t = registry_find(&r, "sink.null");
    ck_assert_str_eq(t->stage->name, "sink.null");
    ck_assert(t->trusted && t->plugin);
    for (size_t i = 0; i < r.n; i++)
        ck_assert_int_eq(r.type[i]->stage != NULL, !strncmp(r.name[i], "sink.", 5) &&
                                                       strcmp(r.name[i], "sink.kafka") &&
                                                       strcmp(r.name[i], "sink.http") &&
                                                       strcmp(r.name[i], "sink.dead_letters"));
    registry_load_rest(&r);
    for (size_t i = 0; i < r.n; i++)
        ck_assert_str_eq(r.type[i]->stage->name, r.name[i]);
    ck_assert_ptr_null(r.notices);
    registry_free(&r);
}
END_TEST

START_TEST(a_file_called_as_an_own_one_may_have_other_stages)
{
    const char *dir = new_directory();
    struct registry r;
    put_file(dir, "sources_null", "good");
    load(&r, dir, INSTALLED);
    ck_assert_uint_eq(r.n, 1);
    ck_assert_str_eq(registry_find(&r, "feature.every")->plugin->name, "good");
    ck_assert_ptr_null(registry_find(&r, "source.null"));
    ck_assert_uint_eq(r.n, 2);
    registry_free(&r);
    remove_directory(dir);
}
END_TEST

START_TEST(an_own_plugin_that_does_not_fit_is_refused_when_it_is_needed)
{
    const char *dir = new_directory();
    struct registry r;
    struct arena a = {0};
    put_file(dir, "sources_null", "wrong_major");
    load(&r, dir, INSTALLED);
    ck_assert_ptr_null(r.notices);
    ck_assert_ptr_null(registry_find(&r, "source.null"));
    ck_says(r.notices->text, "ABI 7.3");
    ck_says(registry_missing(&r, "source.null", &a), "sources_null.so");
    ck_assert_ptr_null(registry_find(&r, "source.null"));
    ck_assert_ptr_null(r.notices->next);
    arena_free(&a);
    registry_free(&r);
    remove_directory(dir);
}
END_TEST

static int nothing(struct leat_ctx *ctx, void *self, struct leat_batch *b) { return LEAT_OK; }

static const struct leat_stage host_stage[] = {
    {.name = "feature.every", .kind = LEAT_TRANSFORM, .process = nothing},
    {.name = "lua.mine", .kind = LEAT_TRANSFORM, .process = nothing}};
static const struct leat_stage *const host_stages[] = {&host_stage[0], &host_stage[1]};
static const struct leat_plugin host_table = {.magic = LEAT_MAGIC,
                                              .abi_major = LEAT_ABI_MAJOR,
                                              .size = sizeof(struct leat_plugin),
                                              .name = "host",
                                              .n_stages = 2,
                                              .stage_size = sizeof(struct leat_stage),
                                              .stages = host_stages};

START_TEST(stages_of_the_host_hide_those_of_plugins)
{
    struct registry r;
    registry_init(&r);
    registry_add_builtin(&r, &host_table);
    registry_load(&r, fixture("good"), TRUSTED);
    ck_assert_uint_eq(r.n, 3);
    const struct stage_type *t = registry_find(&r, "feature.every");
    ck_assert_ptr_null(t->file);
    ck_assert_str_eq(t->plugin->name, "host");
    ck_says(r.notices->text, "not used: leat itself has one of the same name");
    registry_free(&r);
}
END_TEST

START_TEST(that_a_stage_of_an_own_plugin_is_hidden_is_noted_once)
{
    static const struct leat_stage mine = {
        .name = "sink.null", .kind = LEAT_TRANSFORM, .process = nothing};
    static const struct leat_stage *const stages[] = {&mine};
    struct leat_plugin host = host_table;
    struct registry r;
    host.n_stages = 1;
    host.stages = stages;
    registry_init(&r);
    registry_add_builtin(&r, &host);
    registry_load(&r, own_directory(), INSTALLED);
    ck_assert_str_eq(registry_find(&r, "sink.top")->plugin->name, "sinks");
    ck_assert_str_eq(registry_find(&r, "sink.null")->plugin->name, "host");
    ck_says(r.notices->text,
            "its stage sink.null is not used: leat itself has one of the same name");
    ck_assert_ptr_null(r.notices->next);
    registry_free(&r);
}
END_TEST

START_TEST(more_stages_than_first_room_are_kept_in_order)
{
    enum { N = 300 };
    static char names[N][16];
    static struct leat_stage stage[N];
    static const struct leat_stage *stages[N];
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "x.s%03d", i * 7 % N);
        stage[i] =
            (struct leat_stage){.name = names[i], .kind = LEAT_TRANSFORM, .process = nothing};
        stages[i] = &stage[i];
    }
    struct leat_plugin many = host_table;
    many.n_stages = N;
    many.stages = stages;
    struct registry r;
    registry_init(&r);
    registry_add_builtin(&r, &many);
    ck_assert_uint_eq(r.n, N);
    for (int i = 0; i < N; i++) {
        char want[16];
        snprintf(want, sizeof want, "x.s%03d", i);
        ck_assert_str_eq(r.name[i], want);
        ck_assert_str_eq(r.type[i]->stage->name, want);
    }
    registry_free(&r);
}
END_TEST

START_TEST(a_missing_stage_is_answered_with_the_nearest_and_with_refused_files)
{
    struct registry r;
    struct arena a = {0};
    load(&r, fixture("good"), TRUSTED);
    const char *text = registry_missing(&r, "feature.evrey", &a);
    ck_says(text, "'feature.evrey': did you mean 'feature.every'?");
    ck_assert_ptr_null(strstr(text, "refused"));
    registry_load(&r, fixture("wrong_major"), TRUSTED);
    text = registry_missing(&r, "quite.different", &a);
    ck_says(text, "'quite.different'");
    ck_says(text, "wrong_major.so");
    arena_free(&a);
    registry_free(&r);
}
END_TEST

/* Returns the output of a describe function for the good plugin. */
static char *printed(void (*all)(const struct registry *, FILE *),
                     void (*one)(const struct stage_type *, FILE *), const char *name)
{
    char *text = NULL;
    size_t n = 0;
    struct registry r;
    load(&r, fixture("good"), TRUSTED);
    FILE *out = open_memstream(&text, &n);
    if (all)
        all(&r, out);
    else
        one(registry_find(&r, name), out);
    fclose(out);
    registry_free(&r);
    return text;
}

START_TEST(a_described_stage_tells_all_it_declares_within_the_terminal)
{
    char *text = printed(NULL, describe_stage, "feature.every");
    static const char *const parts[] = {
        "feature.every (transform)",
        "needs   columns, labels",
        "makes   examples, feature names",
        "integer, 1 to 1000000 rows; default 65536",
        "number, at least 0; default 1e-06",
        "\"logistic\" or \"hinge\"; default \"hinge\"",
        "size, 1KB to 1GB; default \"32KB\"",
        "duration, 0s to 1min; default \"250ms\"",
        "interval; default \"10s\"",
        "list; required; also unnamed",
        "    w <- w - eta * g\n",
        "    leat.feature.every { \"a\", \"b\", budget = \"32KB\" }\n",
        "good 1.2 (MIT): a plugin without fault",
        "good.so"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        ck_says(text, parts[i]);
    /* `file` is advanced, so it comes last. */
    ck_before(text, "    columns", "    file ");
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        ck_assert_msg(strlen(line) <= 90 || strstr(line, ".so"), "too long: %s", line);
    free(text);
}
END_TEST

START_TEST(json_holds_every_stage_and_parameter)
{
    char *text = printed(describe_json, NULL, NULL);
    json_error_t error;
    json_t *all = json_loads(text, 0, &error);
    ck_assert_msg(all != NULL, "%s", error.text);
    ck_assert_uint_eq(json_array_size(all), 2);
    json_t *stage = json_array_get(all, 0), *params = json_object_get(stage, "params");
    ck_assert_str_eq(json_string_value(json_object_get(stage, "name")), "feature.every");
    ck_assert_uint_eq(json_array_size(params), 10);
    json_t *count = json_array_get(params, 1);
    ck_assert_str_eq(json_string_value(json_object_get(count, "type")), "integer");
    ck_assert_str_eq(json_string_value(json_object_get(count, "default")), "64Ki");
    ck_assert(json_real_value(json_object_get(count, "max")) == 1e6);
    ck_assert_ptr_null(
        json_object_get(json_array_get(params, 2), "max")); /* infinity is not a JSON number */
    ck_assert_uint_eq(json_array_size(json_object_get(json_array_get(params, 5), "choices")), 2);
    ck_assert(json_is_true(json_object_get(json_array_get(params, 9), "required")));
    json_decref(all);
    free(text);
}
END_TEST

START_TEST(the_manual_has_sections_whole_tables_and_no_paths)
{
    char *text = printed(describe_markdown, NULL, NULL);
    ck_says(text, "\n## Sources\n");
    ck_says(text, "\n## Features\n");
    ck_before(text, "## Sources", "## Features");
    ck_says(text, "\n### feature.every\n");
    ck_says(text, "which loss \\| or none");
    ck_says(text, "Keeps `alpha_1`-th records.\nThe last\\`\\_.");
    ck_says(text, "```\n  w <- w - eta * g\n```");
    ck_assert_ptr_null(strstr(text, ".so"));
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        int bars = 0;
        for (char *c = line; *line == '|' && *c; c++)
            bars += *c == '|' && (c == line || c[-1] != '\\');
        ck_assert_msg(*line != '|' || bars == 5, "%s", line);
    }
    free(text);
}
END_TEST

START_TEST(the_list_names_each_stage_and_what_was_refused)
{
    struct registry r;
    char *text = NULL;
    size_t n = 0;
    load(&r, fixture("good"), TRUSTED);
    registry_load(&r, fixture("truncated"), TRUSTED);
    FILE *out = open_memstream(&text, &n);
    describe_list(&r, out);
    fclose(out);
    ck_says(text, "a stream without records");
    ck_says(text, "2 stages");
    ck_says(text, "truncated.so");
    free(text);
    registry_free(&r);
}
END_TEST

LEAT_SUITE("loader", every_misfit_is_refused_with_what_was_found_and_wanted,
           what_lanes_would_split_may_not_declare_them,
           a_fault_found_in_the_child_is_reported_like_one_found_here,
           plugins_that_crash_end_or_hang_while_loading_are_refused_and_the_host_lives,
           files_that_are_no_shared_objects_are_refused_by_their_first_bytes,
           one_refused_plugin_does_not_keep_others_out,
           an_older_plugin_loads_and_what_it_lacks_is_null,
           a_younger_plugin_loads_and_its_longer_structs_are_walked_by_its_own_stride,
           names_are_sorted_and_each_is_found,
           the_first_of_two_stages_of_a_name_stays_and_the_other_is_noted,
           a_file_reached_twice_is_loaded_once, command_line_comes_before_environment,
           the_users_folder_comes_last_and_may_be_missing,
           the_build_knows_the_stages_of_its_own_plugins,
           own_plugins_are_loaded_when_a_stage_of_theirs_is_asked_for,
           a_file_called_as_an_own_one_may_have_other_stages,
           an_own_plugin_that_does_not_fit_is_refused_when_it_is_needed,
           stages_of_the_host_hide_those_of_plugins,
           that_a_stage_of_an_own_plugin_is_hidden_is_noted_once,
           more_stages_than_first_room_are_kept_in_order,
           a_missing_stage_is_answered_with_the_nearest_and_with_refused_files,
           a_described_stage_tells_all_it_declares_within_the_terminal,
           json_holds_every_stage_and_parameter, the_manual_has_sections_whole_tables_and_no_paths,
           the_list_names_each_stage_and_what_was_refused)
