/* fuzz_parsers.c -- any bytes as records of a parser, in its stage.
 *
 * A record is taken, rejected with a reason, or filtered. It becomes the same in one batch with
 * others as alone. Cells lie in the batch, and values are finite. The first byte of the input
 * chooses the parser and its parameters; the byte 1e separates the records.
 *
 * sources: plugins/parsers/?*.c plugins/parsers/csv/?*.c plugins/parsers/fields/?*.c
 *   plugins/common/paths/path_columns.c plugins/common/paths/path_row.c
 *   plugins/common/zone_file.c
 *   plugins/kernels/base/feature_id.c plugins/kernels/text/csv.c
 *   plugins/kernels/text/{access_log,decimal,json,json_path,packet,sparse_text,tsv}.c
 *   plugins/kernels/text/{plain_entries,edit_distance,time_text,time_zone}.c
 *   ${B:-build/release}/lib/libleat-harness.a -lpcre2-8 -ljansson -ldl
 */
#include <leat/harness.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "fuzz.h"

enum { RECORDS = 16, MOST = 1500, CONFIGS = 25, OUTCOME = 1 << 17 };

static const struct config {
    const char *stage, *params; /* "name=value name=value" */
} configs[] = {
    {"parse.csv", "columns=a,b,c numbers=b"},
    {"parse.csv", "columns=a missing=NA,-"},
    {"parse.csv",
     "columns=a,b,c numbers=b,c delimiter=; decimal=, thousands=. extra=ignore short=fill"},
    {"parse.csv", "columns=a,b delimiter=|| quote= numbers=a missing=NA,- texts=b"},
    {"parse.tsv", "columns=a,b,c escapes=backslash numbers=b"},
    {"parse.tsv", "columns=a escapes=backslash missing=NA,\\N"},
    {"parse.tsv", "columns=a,b quote=\" short=fill"},
    {"parse.logfmt", "columns=a,b,c.d,x=\"[0]\" numbers=b"},
    {"parse.logfmt", "columns=a,b,ab,aa=a numbers=b,aa other=empty missing=reject"},
    {"parse.regex", "format=combined"},
    {"parse.regex", "format=syslog"},
    {"parse.regex", "format=syslog5424"},
    {"parse.regex",
     "pattern=(?s)(?<a>a*?b)?(?<c>(x|y)+)(?<d>.)(?<e>$)? missing=x unmatched=filter"},
    {"parse.libsvm", ""},
    {"parse.libsvm", "names=true qid=true label=raw"},
    {"parse.libffm", "label=raw"},
    {"parse.vw", ""},
    {"parse.vw", "label=raw tag=true keep=a,user skip_base=true missing=reject"},
    {"parse.vw", "names=false ignore=a positive=2"},
    {"parse.dead_letters", ""},
    {"parse.regex", "format=vhost_combined"},
    {"parse.regex", "format=forwarded_combined"},
    {"parse.regex", "format=haproxy"},
    {"parse.regex", "format=auditd"},
    {"parse.regex", "format=cef"},
};

extern const struct leat_plugin leat_plugin;
static struct harness *together[CONFIGS], *alone[CONFIGS];

static struct harness *opened(const struct config *c, uint32_t records)
{
    struct harness *h = harness_of(&leat_plugin, c->stage);
    char params[256], *save = NULL;
    snprintf(params, sizeof params, "%s", c->params);
    for (char *p = strtok_r(params, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
        char *value = strchr(p, '=');
        *value = 0;
        harness_set(h, p, value + 1);
    }
    must(harness_open(h, records) == LEAT_OK);
    return h;
}

static void close_all(void)
{
    for (int i = 0; i < CONFIGS; i++) {
        harness_free(together[i]);
        harness_free(alone[i]);
    }
}

static void open_all(void)
{
    for (int i = 0; i < CONFIGS; i++) {
        together[i] = opened(&configs[i], RECORDS);
        alone[i] = opened(&configs[i], 1);
    }
    atexit(close_all);
}

/* ---- what became of a record, as text ---- */

struct outcome {
    char text[OUTCOME];
    size_t n;
};

static void put(struct outcome *o, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    o->n += (size_t)vsnprintf(o->text + o->n, sizeof o->text - o->n, format, args);
    va_end(args);
    must(o->n < sizeof o->text);
}

static void put_slice(struct outcome *o, const struct leat_batch *b, struct leat_str s)
{
    put(o, "%d ", (int)s.len);
    if (s.len == LEAT_NULL) return;
    must(s.off <= b->n_bytes && s.len <= b->n_bytes - s.off && s.len < sizeof o->text - o->n);
    memcpy(o->text + o->n, leat_text(b, s), s.len);
    o->n += s.len;
}

static void put_cells(struct outcome *o, const struct harness *h, uint32_t r)
{
    for (uint32_t c = 0; c < h->out.n_columns; c++) {
        union leat_cells cells = h->b.column[c];
        if (h->out.column[c].type == LEAT_TEXT) {
            put_slice(o, &h->b, cells.text[r]);
        } else if (h->out.column[c].type == LEAT_NUMBER) {
            must(!isinf(cells.number[r]));
            put(o, "%.17g ", isnan(cells.number[r]) ? (double)NAN : cells.number[r]);
        } else {
            put(o, "%lld ", (long long)cells.int64[r]);
        }
    }
    if (h->out.has & LEAT_HAS_KEY) put_slice(o, &h->b, h->b.key[r]);
}

static void put_examples(struct outcome *o, const struct harness *h, uint32_t r)
{
    const struct leat_batch *b = &h->b;
    for (uint32_t e = 0; e < b->n_examples; e++) {
        if (b->ex_record[e] != r) continue;
        must(isfinite(b->ex_label[e]) && isfinite(b->ex_weight[e]));
        put(o, "%g*%g: ", (double)b->ex_label[e], (double)b->ex_weight[e]);
        for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++) {
            must(isfinite(b->value[i]));
            put(o, "%llx %s %a ", (unsigned long long)b->id[i],
                h->out.has & LEAT_HAS_NAMES ? harness_name(h, i) : "", (double)b->value[i]);
        }
    }
}

static void describe(struct outcome *o, const struct harness *h, uint32_t r)
{
    const struct harness_rejection *rejected = harness_rejected(h, r);
    uint32_t taken = 0;
    o->n = 0;
    for (uint32_t i = 0; i < h->b.n_sel; i++)
        taken += h->b.sel[i] == r;
    must(taken + (rejected != NULL) <= 1);
    if (rejected) {
        must(h->b.status[r] == LEAT_ROW_REJECTED && *rejected->text);
        put(o, "rejected %d %s", rejected->reason, rejected->text);
    } else if (taken) {
        put_cells(o, h, r);
        put_examples(o, h, r);
    } else {
        must(h->b.status[r] == LEAT_ROW_FILTERED);
        put(o, "filtered");
    }
}

static void same_alone(struct harness *h, struct harness *one, const struct leat_str *record,
                       uint32_t n, const char *text)
{
    static struct outcome a, b;
    for (uint32_t r = 0; r < n; r++) {
        harness_clear(one);
        harness_bytes(one, text + record[r].off, record[r].len);
        must(harness_process(one) == LEAT_OK);
        describe(&a, h, r);
        describe(&b, one, 0);
        must(a.n == b.n && !memcmp(a.text, b.text, a.n));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > MOST) return 0;
    if (!together[0]) open_all();
    struct harness *h = together[data[0] % CONFIGS];
    struct leat_str record[RECORDS];
    const char *text = (const char *)data + 1;
    uint32_t n = 0, len = (uint32_t)size - 1;
    harness_clear(h);
    for (uint32_t at = 0; at <= len && n < RECORDS; at += record[n++].len + 1) {
        const char *end = at < len ? memchr(text + at, 0x1e, len - at) : NULL;
        record[n] = (struct leat_str){at, end ? (uint32_t)(end - text) - at : len - at};
        harness_bytes(h, text + at, record[n].len);
    }
    must(harness_process(h) == LEAT_OK);
    same_alone(h, alone[data[0] % CONFIGS], record, n, text);
    return 0;
}
