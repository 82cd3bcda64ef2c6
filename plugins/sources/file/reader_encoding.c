/* reader_encoding.c -- see reader_encoding.h. */
#include "reader_encoding.h"

#include <string.h>

#include "base/utf8.h"

enum { LOOK_BYTES = 256 << 10 };

/* Where a part of a text stops being UTF-8; n: it is, but for a character that is cut at its
 * ends. */
static size_t find_foreign(const unsigned char *text, size_t n)
{
    size_t i = 0, k;
    while (i < 3 && i < n && (text[i] & 0xc0) == 0x80)
        i++;
    while (i < n && (k = utf8_length(text + i, n - i)) != 0)
        i += k;
    return n - i < 4 ? n : i;
}

static bool has_control(const unsigned char *text, size_t n)
{
    size_t i = 0;
    while (i < n && (text[i] < 0x80 || text[i] > 0x9f))
        i++;
    return i < n;
}

void reader_look_at_text(struct leat_ctx *ctx, struct reader *r, const char *bytes, size_t n)
{
    const unsigned char *text = (const unsigned char *)bytes;
    if (r->encoding || r->input || r->pass || r->looked >= LOOK_BYTES || !n) return;
    bool marked = !r->looked && (text[0] >= 0xfe || !text[0]);
    size_t at = marked ? n : find_foreign(text, n);
    for (size_t i = 0; i < at; i++)
        r->look_lines += text[i] == '\n';
    r->looked = marked || at < n ? LOOK_BYTES : r->looked + n;
    if (at == n) return;
    bool windows = has_control(text + at, n - at);
    ctx->host->log(ctx, LEAT_WARN,
                   "%s:%llu: the text is not UTF-8 here (byte 0x%02x): if it is %s, set encoding = "
                   "\"%s\"",
                   reader_name(r, r->input), (unsigned long long)r->look_lines + 1, text[at],
                   windows ? "text of Windows" : "Latin-1", windows ? "windows-1252" : "latin-1");
}

/* ---- byte order marks ---- */

/* Byte order marks. Some programs put that of UTF-8 before a text; the others begin what is no
 * UTF-8. That of UTF-32 begins as that of UTF-16 does, and so comes first. */
static const struct {
    const char *encoding, *bytes;
    size_t n;
} MARKS[] = {{"UTF-8", "\xef\xbb\xbf", 3},
             {"UTF-32", "\xff\xfe\0\0", 4},
             {"UTF-32", "\0\0\xfe\xff", 4},
             {"UTF-16", "\xff\xfe", 2},
             {"UTF-16", "\xfe\xff", 2}};
enum { N_MARKS = sizeof MARKS / sizeof *MARKS };

/* The mark that the window begins with; N_MARKS: none. true: more text is needed to say. */
static bool find_mark(const struct reader *r, size_t *mark)
{
    const char *text = r->window + r->from;
    size_t n = r->end - r->from;
    bool whole = r->ended || r->failure;
    for (*mark = 0; *mark < N_MARKS; (*mark)++) {
        size_t known = n < MARKS[*mark].n ? n : MARKS[*mark].n;
        if (memcmp(text, MARKS[*mark].bytes, known)) continue;
        if (known == MARKS[*mark].n) return false;
        if (!whole) return true;
    }
    return false;
}

enum reader_step reader_skip_mark(struct reader *r)
{
    size_t mark;
    if (find_mark(r, &mark)) return STEP_MORE;
    r->bom_due = false;
    if (mark == N_MARKS) return STEP_ON;
    if (mark && MARKS[mark].n == 2)
        return reader_fail(r, LEAT_EDATA,
                           "%s is text in UTF-16, as its first bytes say: set encoding = "
                           "\"utf-16\"%s",
                           reader_name(r, r->input), r->follows ? " and follow = false" : "");
    if (mark)
        return reader_fail(
            r, LEAT_EDATA,
            "%s is text in %s, and leat reads UTF-8: convert it (iconv -f %s -t UTF-8)",
            reader_name(r, r->input), MARKS[mark].encoding, MARKS[mark].encoding);
    reader_skip(r, MARKS[mark].n, 0);
    return STEP_ON;
}
