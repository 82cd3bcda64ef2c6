/* text_out.h -- writing text formats: JSON strings, CSV and TSV fields, numbers that read back.
 *
 * A struct text_out collects text in its caller's buffer and passes the full buffer to `drain`. So
 * a field may have any length, and nothing is allocated. After drain has failed, all text is
 * discarded, and `failed` keeps drain's result: check it once a batch.
 *
 * Names and fields come from data and may hold any bytes. Bytes that are not UTF-8 become U+FFFD in
 * JSON, which must be UTF-8, and \xe9 on terminals; CSV and TSV pass them through. */
#ifndef LEAT_CORE_REPORT_TEXT_OUT_H
#define LEAT_CORE_REPORT_TEXT_OUT_H

#include <stddef.h>
#include <stdint.h>

struct text_out {
    char *buf;
    size_t n, cap;                                       /* cap >= 64 */
    int (*drain)(void *to, const char *bytes, size_t n); /* 0, or a failure for `failed` */
    void *to;
    int failed;
};

/* A drain whose `to` is a FILE. Fails with an errno. */
int text_to_file(void *to, const char *bytes, size_t n);

/* Passes the buffer's text to drain. Returns `failed`. */
int text_flush(struct text_out *o);

void text_bytes(struct text_out *o, const char *s, size_t n);
void text_str(struct text_out *o, const char *s);
void text_char(struct text_out *o, char c);
void text_pad(struct text_out *o, size_t n); /* blanks */

/* Ends a line. Flushes a buffer that is at least half full, so that writers to one file or terminal
 * do not break each other's lines. */
void text_line(struct text_out *o);

/* A JSON string with its quotes. */
void text_json(struct text_out *o, const char *s, size_t n);

/* Writes a field by RFC 4180: quoted if it holds the delimiter, a quote or a line end, or is empty.
 * (An absent value is written as nothing, so a reader can tell the two from each other.) */
void text_csv(struct text_out *o, const char *s, size_t n, char delimiter);

/* Writes a field between tabs: tab, line feed, carriage return and backslash become \t \n \r \\. */
void text_tsv(struct text_out *o, const char *s, size_t n);

/* Least number of columns for a part of a conjunction. */
enum { LEAST_PART = 10 };
/* Writes text for a terminal: characters that could act on it (utf8_acts) become '?'. At most
 * `width` columns; width 0: all of it. An ellipsis replaces the middle of longer text, because
 * names that begin alike differ at their ends. Each part of a conjunction ("a=b & c=d") loses its
 * own middle, as long as LEAST_PART columns of it remain. */
void text_shown(struct text_out *o, const char *s, size_t n, size_t width);

/* Number of columns of text_shown(…, 0): two for wide characters, none for marks. */
size_t text_width(const char *s, size_t n);

/* Numbers. text_float and text_double write the fewest of 6 to 9 (15 to 17) significant digits that
 * read back as the same number, without trailing zeros; nan, inf and -inf as such. text_json_double
 * writes null for those three, which JSON lacks. */
#define TEXT_NUMBER 32 /* room for any number, with a NUL */
/* Write into out[TEXT_NUMBER], perhaps without a NUL. Return the length. */
size_t text_format_float(char *out, float x);
size_t text_format_double(char *out, double x);
size_t text_format_int(char *out, int64_t x);
void text_float(struct text_out *o, float x);
void text_double(struct text_out *o, double x);
void text_json_double(struct text_out *o, double x);
void text_json_float(struct text_out *o, float x);
void text_uint(struct text_out *o, uint64_t x);
void text_int(struct text_out *o, int64_t x);

/* Writes 1234567 as 1,234,567; at most 26 bytes without a NUL. Returns the length. */
size_t text_format_grouped(char *out, uint64_t x);

#endif
