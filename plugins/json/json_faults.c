/* json_faults.c -- implementation of json_faults.h. */
#include "json_faults.h"

#include <string.h>

#include "common/registry/framing.h"

enum { MARK_BYTES = 3 /* length of a byte order mark */ };

uint32_t json_bytes_before(const char *text, uint32_t len)
{
    struct schema_key key;
    if (len >= MARK_BYTES && !memcmp(text, "\xef\xbb\xbf", MARK_BYTES)) return MARK_BYTES;
    enum framing framing = framing_of(text, len, &key);
    bool is_long = framing_is_long(text, len, &key);
    uint32_t n = is_long                        ? FRAMING_LONG
                 : framing == FRAMING_IS_NUMBER ? FRAMING_NUMBER
                 : framing == FRAMING_IS_GLUE   ? FRAMING_GLUE
                                                : 0;
    uint32_t at = n;
    while (n && at < len && strchr(" \t\r\n", text[at]))
        at++;
    return at < len && text[at] == '{' ? n : 0;
}

/* True if the text is not JSON but has separators, like CSV. */
static bool json_looks_like_csv(const char *text, uint32_t len)
{
    if (!len || *text == '{' || *text == '[') return false;
    return memchr(text, ',', len) || memchr(text, ';', len) || memchr(text, '\t', len);
}

/* Returns advice for a record that begins with a framing, and not with an object behind it. NULL if
 * it does not. */
static const char *json_framing_cure(const char *text, uint32_t len)
{
    struct schema_key key;
    switch (framing_of(text, len, &key)) {
    case FRAMING_IS_NUMBER:
        return ": the record begins with 0 and the number of a schema, and no JSON follows. "
               "parse.avro reads Avro, and parse.protobuf Protocol Buffers";
    case FRAMING_IS_GLUE:
        return ": the record begins as AWS Glue writes records, and no JSON follows. parse.avro "
               "reads Avro";
    case FRAMING_IS_GLUE_ZLIB:
        return ": the record is compressed as AWS Glue does it: set framing = \"glue\"";
    case FRAMING_IS_SINGLE:
        return ": the record begins like Avro's single-object encoding: use parse.avro";
    case FRAMING_IS_CONTAINER:
        return ": the record begins like an Avro file";
    default:
        return NULL;
    }
}

/* Returns advice for this text and fault; "" if there is none. */
static const char *json_cure_of(const char *text, uint32_t len, enum json_fault fault, uint32_t at)
{
    static const char lines[] =
        ": to write each object on one line, use jq -c . for objects of several lines and jq -c "
        "'.[]' for an array; or set record_start of source.file";
    static const char array[] = ": jq -c '.[]' writes the objects of an array as lines";
    while (len && (text[len - 1] == ' ' || text[len - 1] == '\r'))
        len--;
    bool bracket = len && (*text == '[' || *text == ']');
    bool part = len && (text[len - 1] == '{' || (*text == '"' && len > 1) || *text == '}');
    if (fault == JSON_NO_OBJECT && len > 2 && *text == '[') return array;
    if (fault == JSON_NO_OBJECT && (bracket || part)) return lines;
    if (fault == JSON_NO_OBJECT && json_looks_like_csv(text, len))
        return ": the line looks like CSV: use parse.csv in place of this stage";
    if (fault == JSON_NONFINITE)
        return ", which Python's json.dumps and DuckDB write: set other = \"empty\" to take them "
               "for no value";
    if (fault == JSON_CUT && (len == 1 || part)) return lines;
    if (fault == JSON_TRAILING && at < len && text[at] == ',')
        return ": remove the comma, because each line must be one object, not a part of an array";
    if (fault == JSON_NO_KEY && at < len && text[at] == '\'')
        return ", and ' is not a quote of JSON: write \", as Python's json.dumps does";
    return "";
}

void json_refuse_item(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, enum json_fault fault)
{
    ctx->host->reject(ctx, b, r, LEAT_R_SYNTAX, "%s",
                      fault == JSON_NO_OBJECT ? "the record is not a map, and not an object"
                      : fault == JSON_NONFINITE
                          ? "a number is NaN or infinite: set other = \"empty\" to take it for no "
                            "value"
                          : json_fault_text(fault));
}

void json_refuse_text(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, enum json_fault fault,
                      uint32_t at)
{
    const char *text = leat_text(b, b->raw[r]);
    uint32_t len = b->raw[r].len, before = json_bytes_before(text, len);
    const char *cure = before ? NULL : json_framing_cure(text, len);
    if (!cure) cure = json_cure_of(text + before, len - before, fault, at - before);
    ctx->host->reject(ctx, b, r, LEAT_R_SYNTAX, "byte %u is wrong: %s%s", (unsigned)at + 1,
                      json_fault_text(fault), cure);
}

void json_refuse_strings(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                         enum json_index_status status, bool is_unpacked)
{
    static const enum json_fault fault[] = {[JSON_INDEX_UTF8] = JSON_UTF8,
                                            [JSON_INDEX_CONTROL] = JSON_CONTROL,
                                            [JSON_INDEX_UNCLOSED] = JSON_UNCLOSED};
    if (is_unpacked) {
        json_refuse_item(ctx, b, r, fault[status]);
        return;
    }
    uint32_t at, before = json_bytes_before(leat_text(b, b->raw[r]), b->raw[r].len);
    enum json_fault found =
        json_check_strings(leat_text(b, b->raw[r]) + before, b->raw[r].len - before, &at);
    json_refuse_text(ctx, b, r, found ? found : fault[status], before + at);
}
