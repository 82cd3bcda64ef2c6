/* avro_made.c -- schemas that are made of columns (avro_write.h). */
#include "avro_write.h"
#include "kernels/encode/fit_made.h"

/* True if the n bytes are letters, digits and _, with no digit first. */
static bool avro_is_name(const char *name, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool letter = (name[i] | 0x20) >= 'a' && (name[i] | 0x20) <= 'z';
        if (!letter && name[i] != '_' && !(i && name[i] >= '0' && name[i] <= '9')) return false;
    }
    return n > 0;
}

static void avro_write_name(FILE *to, const char *name, size_t n) { fwrite(name, 1, n, to); }

static const struct fit_language avro_language = {
    .type = {[FIT_BOOLEAN] = "\"boolean\"",
             [FIT_INTEGER] = "\"long\"",
             [FIT_REAL] = "\"double\"",
             [FIT_TIME] = "{\"type\":\"long\",\"logicalType\":\"timestamp-micros\"}",
             [FIT_TEXT] = "\"string\"",
             [FIT_BYTES] = "\"bytes\""},
    .record = {"{\"type\":\"record\",\"name\":\"", "\",\"fields\":["},
    .record_end = "]}",
    .field = {"{\"name\":\"", "\",\"type\":"},
    .field_end = "}",
    .value = {"[\"null\",", "],\"default\":null"},
    .write = avro_write_name,
    .is_name = avro_is_name,
    .demands = "names in Avro have letters, digits and _ only",
};

char *avro_schema_made(const struct fit_column *column, uint32_t n, const char *name,
                       struct fit_faults *faults)
{
    return fit_schema_made(&avro_language, column, n, name, faults);
}
