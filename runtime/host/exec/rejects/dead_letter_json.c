/* dead_letter_json.c -- implementation of dead_letter_json.h. */
#include "dead_letter_json.h"

#include <string.h>

#include "core/text/utf8.h"

static void json_member(struct text_out *o, const char *name, const char *text, size_t n)
{
    text_str(o, name);
    text_json(o, text, n);
}

/* Writes the member `name` with these bytes; as NAME_hex in hexadecimal if they are not UTF-8. */
static void json_bytes(struct text_out *o, const char *name, const char *bytes, size_t n)
{
    text_char(o, '"');
    text_str(o, name);
    if ((utf8_prefix((const unsigned char *)bytes, n) == n)) {
        json_member(o, "\":", bytes, n);
        return;
    }
    text_str(o, "_hex\":\"");
    for (size_t i = 0; i < n; i++) {
        text_char(o, "0123456789abcdef"[(unsigned char)bytes[i] >> 4]);
        text_char(o, "0123456789abcdef"[bytes[i] & 15]);
    }
    text_char(o, '"');
}

/* Writes the headers as [{"name":"trace","value":"t1"},…]. Leaves out "value" if a header has no
 * value. */
static void json_headers(struct text_out *o, const char *text, uint32_t n)
{
    struct leat_header h;
    text_str(o, ",\"headers\":[");
    for (bool first = true; leat_next_header(&text, &n, &h); first = false) {
        text_str(o, first ? "{" : ",{");
        json_bytes(o, "name", h.name, h.n_name);
        if (h.value) text_char(o, ',');
        if (h.value) json_bytes(o, "value", h.value, h.n_value);
        text_char(o, '}');
    }
    text_char(o, ']');
}

void dead_letter_json(struct text_out *o, const struct leat_dead_letter *l)
{
    json_member(o, "{\"input\":", l->input, strlen(l->input));
    if (l->line) text_str(o, ",\"line\":");
    if (l->line) text_uint(o, l->line);
    text_str(o, ",\"offset\":");
    text_uint(o, l->offset);
    json_member(o, ",\"stage\":", l->stage, strlen(l->stage));
    json_member(o, ",\"reason\":", l->reason, strlen(l->reason));
    json_member(o, ",\"message\":", l->message, l->n_message);
    if (l->cut) text_str(o, ",\"cut\":true");
    if (l->n_headers) json_headers(o, l->headers, l->n_headers);
    text_char(o, ',');
    json_bytes(o, "record", l->record, l->n_record);
    text_str(o, "}\n");
}
