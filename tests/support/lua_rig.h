/* lua_rig.h -- one Lua stage, a fake host, and a fixed batch:
 *
 *      carrier (text)   delay (number)   amount (text)   @label   @raw
 *   0  WN               5                10              1        r0
 *   1  AA               20               x               -1       r1
 *   2  none             none             none            none     r2
 *   3  DL               -3               (empty)         1        r3
 *   4  AA               16               1e2             -1       r4 */
#ifndef LEAT_TESTS_SUPPORT_LUA_RIG_H
#define LEAT_TESTS_SUPPORT_LUA_RIG_H

#include <string.h>

#include "host/memory/arena.h"
#include "host/lua/run.h"
#include "host/lua/stages.h"
#include "suite.h"

enum { ROWS = 5, COLUMNS_MAX = 8, TEXT = 512 };

struct rig {
    struct leat_ctx ctx; /* first member, as the fake host gets it */
    const struct leat_stage *stage;
    struct lua_cfg cfg;
    struct arena arena;
    void *self;
    struct leat_schema in, out;
    struct leat_column in_column[COLUMNS_MAX], out_column[COLUMNS_MAX];
    struct leat_batch b;
    union leat_cells cells[COLUMNS_MAX];
    struct leat_str text[COLUMNS_MAX][ROWS], raw[ROWS];
    double number[COLUMNS_MAX][ROWS];
    float label[ROWS], weight[ROWS];
    uint8_t status[ROWS];
    uint16_t reason[ROWS];
    uint32_t sel[ROWS];
    char bytes[4096];
    char why[ROWS][TEXT];    /* reason of each rejected record */
    char problems[4 * TEXT]; /* messages of reports and failures */
    int open, allocated;
};

/* Returns the function that a script returns. */
const struct leat_function *rig_function(struct arena *a, const char *source);
/* `source` is a script that returns the function. `columns` is "a,b:number". */
void rig_prepare(struct rig *g, const char *stage, const char *source, const char *columns);

/* Calls validate and negotiate. g->problems gets their messages. */
int rig_check(struct rig *g);
int rig_open(struct rig *g);

/* rig_fill fills the batch; rig_go fills and processes it; rig_run checks, opens and calls rig_go,
 * and each must succeed. */
void rig_fill(struct rig *g);
void rig_go(struct rig *g);
void rig_run(struct rig *g);
void rig_fini(struct rig *g);

/* rig_strings converts "a,b" to the host's form; rig_put puts text into the batch. */
struct leat_strings rig_strings(struct rig *g, const char *list);
struct leat_str rig_put(struct rig *g, const char *s);

/* Return the accepted records, "0 3 4", with rejected ones as "!1"; the text of a cell, or
 * "none". */
const char *rig_kept(const struct rig *g);
const char *rig_cell(const struct rig *g, uint32_t column, uint32_t r);

#define SAYS(TEXT_, PART)                                                                          \
    ck_assert_msg(strstr(TEXT_, PART) != NULL, "'%s' does not say '%s'", TEXT_, PART)

#endif
