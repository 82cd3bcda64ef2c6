/* text_out.h -- writing text formats: JSON strings, CSV and TSV fields, numbers that read back.
 *
 * A struct text_out gathers what is written in a buffer of its caller and hands the buffer to
 * `drain` when it is full, so a field may be of any length and nothing is ever allocated. Once
 * drain has failed, everything is discarded and `failed` keeps drain's answer: look at it once a
 * batch.
 *
 * Names and fields come from data, so they may be anything: bytes that are not UTF-8 become U+FFFD
 * in JSON (which must be UTF-8) and on terminals; CSV and TSV pass them through as they are.
 */
#ifndef LEAT_BASE_TEXT_OUT_H
#define LEAT_BASE_TEXT_OUT_H

#include <stddef.h>
#include <stdint.h>

struct text_out {
    char *buf;
    size_t n, cap;                                       /* cap >= 64 */
    int (*drain)(void *to, const char *bytes, size_t n); /* 0, or why it failed */
    void *to;
    int failed;
};

/* Hand over what is in the buffer. Returns `failed`. */
int text_flush(struct text_out *o);

void text_bytes(struct text_out *o, const char *s, size_t n);
void text_str(struct text_out *o, const char *s);
void text_char(struct text_out *o, char c);
void text_pad(struct text_out *o, size_t n); /* blanks */

/* End a line. Past half of the buffer it is handed over, so that writers who share a file or a
 * terminal do not break each other's lines. */
void text_line(struct text_out *o);

/* A JSON string with its quotes. */
void text_json(struct text_out *o, const char *s, size_t n);

/* A field by RFC 4180: quoted when it holds the delimiter, a quote or a line end, or is empty (an
 * absent value is written as nothing at all, so that the two can be told apart). */
void text_csv(struct text_out *o, const char *s, size_t n, char delimiter);

/* A field between tabs: tab, line feed, carriage return and backslash become \t \n \r \\. */
void text_tsv(struct text_out *o, const char *s, size_t n);

/* For eyes: control characters, which could move a terminal's cursor, become '?'. At most `width`
 * columns, the last an ellipsis when it was cut; width 0: all of it. */
void text_shown(struct text_out *o, const char *s, size_t n, size_t width);

/* Columns that text_shown(…, 0) takes: one a code point. */
size_t text_width(const char *s, size_t n);

/* Numbers. text_float and text_double write the fewest of 6 to 9 (15 to 17) significant digits that
 * read back as the same number, without trailing zeros; nan, inf and -inf as such. text_json_double
 * writes null for those three, which JSON does not know. */
#define TEXT_NUMBER 32 /* bytes that any number fits, with a NUL */
size_t text_format_float(char *out, float x);
size_t text_format_double(char *out, double x);
void text_float(struct text_out *o, float x);
void text_double(struct text_out *o, double x);
void text_json_double(struct text_out *o, double x);
void text_json_float(struct text_out *o, float x);
void text_uint(struct text_out *o, uint64_t x);

/* 1234567 as 1,234,567. Returns its length. */
size_t text_format_grouped(char *out, uint64_t x);

#endif
