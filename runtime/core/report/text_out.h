/* text_out.h -- writing text formats: JSON strings, CSV and TSV fields, numbers that read back.
 *
 * A struct text_out collects text in a buffer of its caller. When the buffer is full, it passes the
 * text to the function `drain`. So a field may have any length, and nothing is allocated. If drain
 * fails, `failed` keeps its result, and all further text is discarded. It is enough to check
 * `failed` once for each batch.
 *
 * Names and fields may hold any bytes. A byte that is not UTF-8, such as 0xe9, becomes U+FFFD in
 * JSON and \xe9 on terminals; CSV and TSV pass it through. */
#ifndef LEAT_CORE_REPORT_TEXT_OUT_H
#define LEAT_CORE_REPORT_TEXT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text_out {
    char *buf;
    size_t n, cap;                                       /* cap >= 64              */
    int (*drain)(void *to, const char *bytes, size_t n); /* returns 0 or a failure */
    void *to;
    int failed;
};

/* Writes to a FILE; for `drain`, with the FILE as `to`. Returns 0 or an errno. */
int text_to_file(void *to, const char *bytes, size_t n);

/* Passes the text in the buffer to drain. Returns `failed`. */
int text_flush(struct text_out *o);

void text_bytes(struct text_out *o, const char *s, size_t n);
void text_str(struct text_out *o, const char *s);
void text_char(struct text_out *o, char c);
void text_pad(struct text_out *o, size_t n); /* n blanks */

/* Ends a line. Flushes the buffer if it is at least half full. So a line is rarely split between
 * two writes, and writers to the same file or terminal do not mix their lines. */
void text_line(struct text_out *o);

/* Writes a JSON string with its quotes. */
void text_json(struct text_out *o, const char *s, size_t n);
/* Writes a part of a JSON string, which ends at the end of a character. */
void text_json_part(struct text_out *o, const char *s, size_t n);

/* Writes a field by RFC 4180: quoted if it holds the delimiter, a quote or a line end, or is empty.
 * A reader can thus distinguish an empty field from a missing one, for which nothing is written. */
void text_csv(struct text_out *o, const char *s, size_t n, char delimiter);

/* Writes a field of TSV: tab, line feed, carriage return and backslash become \t \n \r \\. */
void text_tsv(struct text_out *o, const char *s, size_t n);

/* Least width, in columns, to which a part of a conjunction is cut. */
enum { LEAST_PART = 10 };
/* Writes text for a terminal, at most `width` columns; width 0: the whole text. Characters that a
 * terminal would interpret (utf8_acts) become '?'. If the text is too wide, an ellipsis replaces
 * its middle, because names that begin alike often differ at their ends. In a conjunction ("a=b &
 * c=d") the middle of each part is cut, if each part keeps at least LEAST_PART columns. */
void text_shown(struct text_out *o, const char *s, size_t n, size_t width);

/* Returns the width of the output of text_shown(…, 0), in columns. Wide characters take two,
 * combining marks none. */
size_t text_width(const char *s, size_t n);

/* Numbers. text_float and text_double write as few digits as read back as the same number: at most
 * 9 and 17. NaN and infinities are nan, inf and -inf, and -0 is 0. JSON has no such numbers, so
 * text_json_float and text_json_double write null. */
#define TEXT_NUMBER 32 /* room for any number, with a NUL */
/* Write a number to out[TEXT_NUMBER] and return its length. There may be no NUL after it. */
size_t text_format_float(char *out, float x);
size_t text_format_double(char *out, double x);
size_t text_format_int(char *out, int64_t x);
/* Writes a number of a binary format: -0 as -0; NaN, Infinity and -Infinity, as JSON5 has them. If
 * `single`, x is a float, with the digits of one. */
size_t text_format_real(char *out, double x, bool single);
void text_float(struct text_out *o, float x);
void text_double(struct text_out *o, double x);
void text_json_double(struct text_out *o, double x);
void text_json_float(struct text_out *o, float x);
void text_uint(struct text_out *o, uint64_t x);
void text_int(struct text_out *o, int64_t x);

/* Writes 1234567 as 1,234,567; at most 26 bytes without a NUL. Returns the length. */
size_t text_format_grouped(char *out, uint64_t x);

#endif
