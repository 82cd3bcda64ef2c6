/* test_crash_marks.c -- calls in which a run was killed, by its marks: unless somebody had asked
 * for its end. Also the note about a call that does not return. */
#include "host/exec/crash/crash_marks.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/exec/crash/crash_notes.h"
#include "host/exec/run.h"
#include "host/memory/arena.h"
#include "support/suite.h"

/* A run of one stage, in a directory of its own. */
struct world {
    struct leat_stage stage;
    struct node node;
    struct graph graph;
    struct instance parser, *lanes[1];
    struct run run;
    char path[32];
    int dir;
};

static void begin(struct world *w)
{
    *w = (struct world){.stage = {.kind = LEAT_PARSER}, .path = "/tmp/leat_marks_XXXXXX"};
    w->node = (struct node){.stage = &w->stage, .label = "p (parse.p)", .lanes = 1};
    w->graph = (struct graph){.node = &w->node, .n_nodes = 1};
    w->parser.node = &w->node;
    w->parser.own = w->lanes[0] = &w->parser;
    w->run.graph = &w->graph;
    w->run.instance = w->lanes;
    ck_assert_ptr_nonnull(mkdtemp(w->path));
    w->dir = open(w->path, O_RDONLY | O_DIRECTORY);
}

static void end(struct world *w)
{
    crash_notes_remove(w->dir);
    close(w->dir);
    ck_assert_int_eq(rmdir(w->path), 0);
}

/* Begins a call with 7 records and reads the marks, as the next run does. Returns the number of
 * notes. */
static uint32_t notes_of_a_kill(struct world *w)
{
    struct crash_notes notes = {0};
    struct arena a = {0};
    atomic_store(&w->parser.count.in, 3);
    crash_mark_enter(&w->parser, CRASH_PROCESS, 7);
    crash_marks_read(w->dir);
    crash_notes_read(&notes, w->dir, &a);
    if (notes.n) ck_assert_uint_eq(notes.newest->first, 3);
    if (notes.n) ck_assert_uint_eq(notes.newest->last, 9);
    arena_free(&a);
    crash_notes_remove(w->dir);
    return notes.n;
}

START_TEST(a_kill_is_noted_unless_an_end_was_asked_for_even_before_the_run)
{
    struct world w;
    begin(&w);
    crash_marks_begin(w.dir, &w.run, 100);
    ck_assert_uint_eq(notes_of_a_kill(&w), 1);
    crash_marks_end(w.dir, &w.run);
    crash_marks_over();
    crash_marks_begin(w.dir, &w.run, 100);
    ck_assert_uint_eq(notes_of_a_kill(&w), 0);
    crash_marks_end(w.dir, &w.run);
    end(&w);
}
END_TEST

START_TEST(a_call_that_has_returned_leaves_no_note)
{
    struct world w;
    struct crash_notes notes = {0};
    struct arena a = {0};
    begin(&w);
    crash_marks_begin(w.dir, &w.run, 0);
    crash_mark_enter(&w.parser, CRASH_PROCESS, 7);
    crash_mark_leave(&w.parser);
    crash_marks_read(w.dir);
    crash_notes_read(&notes, w.dir, &a);
    ck_assert_uint_eq(notes.n, 0);
    crash_marks_end(w.dir, &w.run);
    arena_free(&a);
    end(&w);
}
END_TEST

/* The stage may be slow and at work: its thread counts lines by the batch's cursor. */
START_TEST(a_note_about_a_call_that_does_not_return_leaves_its_batch_alone)
{
    struct world w;
    struct crash_notes notes = {0};
    struct arena a = {0};
    struct leat_str raw[] = {{0, 1}, {2, 1}, {4, 1}};
    struct leat_extent extent = {.n = 3, .offset = 100, .line = 7};
    struct hbatch h = {.b = {.n = 3, .bytes = (char[]){"a\nb\nc\n"}, .raw = raw}};
    h.b.extent = &extent;
    h.b.n_extents = 1;
    begin(&w);
    ck_assert_uint_eq(batch_origin(&h, 1).line, 8);
    struct batch_cursor cursor = h.cursor;
    atomic_store(&w.parser.call, "process");
    atomic_store(&w.parser.works_on, &h);
    crash_notes_keep(w.dir);
    crash_notes_hung(&w.parser);
    crash_notes_keep(-1);
    ck_assert_mem_eq(&h.cursor, &cursor, sizeof cursor);
    crash_notes_read(&notes, w.dir, &a);
    ck_assert_uint_eq(notes.n, 1);
    ck_assert(notes.newest->hung);
    ck_assert_uint_eq(notes.newest->first, 100);
    ck_assert_uint_eq(notes.newest->last, 104);
    arena_free(&a);
    end(&w);
}
END_TEST

LEAT_SUITE("crash marks", a_call_that_has_returned_leaves_no_note,
           a_kill_is_noted_unless_an_end_was_asked_for_even_before_the_run,
           a_note_about_a_call_that_does_not_return_leaves_its_batch_alone)
