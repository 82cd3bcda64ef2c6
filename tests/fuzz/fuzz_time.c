/* fuzz_time.c -- any bytes as a format, a zone's file and a text.
 *
 * Times lie between 1970 and 2262. The reading of a zone's clock leads back to the same time, or to
 * the other time with that reading. No read is out of bounds. The first line of the input is the
 * format, the second the text; the rest is the file.
 *
 * sources: plugins/kernels/text/{time_text,time_zone,edit_distance,decimal}.c
 */
#include "fuzz.h"
#include "kernels/text/time_text.h"

/* Returns the number of bytes up to the end of the line or of the data. */
static size_t line_of(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    return end ? (size_t)(end - data) : size;
}

static void look_around(struct time_zone *z, int64_t t)
{
    int32_t offset = time_zone_offset(z, t);
    must(offset >= -TIME_ZONE_MAX_OFFSET && offset <= TIME_ZONE_MAX_OFFSET);
    int64_t back = time_zone_to_utc(z, t + offset);
    must(back - t >= -2 * (int64_t)TIME_ZONE_MAX_OFFSET && back - t <= 2 * TIME_ZONE_MAX_OFFSET);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct time_reader r = {.year = 0};
    char why[TIME_WHY];
    int64_t ns = TIME_NONE;
    size_t n = line_of(data, size), from = n < size ? n + 1 : n;
    size_t text_n = line_of(data + from, size - from),
           file = from + text_n + (from + text_n < size);
    char *format = exact_text(data, n), *text = exactly(data + from, text_n);
    char *bytes = exactly(data + file, size - file);
    if (time_zone_read(&r.zone, bytes, size - file)) time_zone_fixed(&r.zone, 5400);
    must(r.zone.n >= 1 && r.zone.n <= TIME_ZONE_CHANGES);
    for (int64_t t = 0; t < TIME_SECONDS; t += 40000000)
        look_around(&r.zone, t);
    if (time_format_read(&r.format, format, why) && !time_read(&r, text, text_n, 1, &ns))
        must(ns >= 0);
    free(format);
    free(text);
    free(bytes);
    return 0;
}
