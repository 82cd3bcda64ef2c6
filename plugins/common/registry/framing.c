/* framing.c -- implementation of framing.h. */
#include "framing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const framing_read_names[] = {"registry", "none", "glue", NULL};

/* ---- keys ---- */

const char *schema_key_text(const struct schema_key *key, char text[SCHEMA_KEY_TEXT])
{
    const uint8_t *at = key->at;
    char *to = text;
    if (!key->guid) {
        sprintf(text, "%u",
                (unsigned)at[0] << 24 | (unsigned)at[1] << 16 | (unsigned)at[2] << 8 | at[3]);
        return text;
    }
    for (int i = 0; i < 16; i++)
        to += sprintf(to, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", at[i]);
    return text;
}

bool schema_key_read(const char *text, size_t n, struct schema_key *key)
{
    char again[SCHEMA_KEY_TEXT];
    *key = (struct schema_key){.guid = n == 36};
    if (!n || n > 36) return false;
    if (key->guid) {
        const char *digits = text;
        for (unsigned i = 0, byte; i < 16; i++, digits += 2) {
            digits += *digits == '-';
            if (sscanf(digits, "%2x", &byte) != 1) return false;
            key->at[i] = (uint8_t)byte;
        }
    } else {
        unsigned long long value = strtoull(text, NULL, 10);
        for (int i = 0; i < 4; i++)
            key->at[i] = (uint8_t)(value >> (24 - 8 * i));
    }
    return strlen(schema_key_text(key, again)) == n && !strncasecmp(again, text, n);
}

/* ---- the first bytes ---- */

static bool framing_begins(const uint8_t *at, uint32_t n, const char *bytes, uint32_t len)
{
    return n >= len && !memcmp(at, bytes, len);
}

enum framing framing_of(const void *message, uint32_t n, struct schema_key *key)
{
    const uint8_t *at = message;
    *key = (struct schema_key){0};
    if (n >= FRAMING_NUMBER && !at[0]) {
        memcpy(key->at, at + 1, FRAMING_NUMBER - 1);
        return FRAMING_IS_NUMBER;
    }
    if (n >= FRAMING_GLUE && at[0] == 3 && (at[1] == 0 || at[1] == 5)) {
        key->guid = 1;
        memcpy(key->at, at + 2, sizeof key->at);
        return at[1] ? FRAMING_IS_GLUE_ZLIB : FRAMING_IS_GLUE;
    }
    if (framing_begins(at, n, "\xC3\1", 2) && n >= FRAMING_SINGLE) return FRAMING_IS_SINGLE;
    if (framing_begins(at, n, "Obj\1", 4)) return FRAMING_IS_CONTAINER;
    return framing_begins(at, n, "{", 1) ? FRAMING_IS_JSON : FRAMING_IS_UNKNOWN;
}

bool framing_is_long(const void *message, uint32_t n, struct schema_key *key)
{
    const uint8_t *at = message;
    static const uint8_t zero[FRAMING_NUMBER] = {0};
    if (n < FRAMING_LONG || memcmp(at, zero, sizeof zero) != 0) return false;
    if (!memcmp(at + FRAMING_NUMBER, zero, FRAMING_LONG - FRAMING_NUMBER)) return false;
    *key = (struct schema_key){0};
    memcpy(key->at, at + FRAMING_NUMBER, FRAMING_LONG - FRAMING_NUMBER);
    return true;
}

const char *framing_text(enum framing framing)
{
    static const char *const text[] = {
        [FRAMING_IS_GLUE] = "it begins as AWS Glue writes records",
        [FRAMING_IS_GLUE_ZLIB] = "it begins as AWS Glue writes compressed records",
        [FRAMING_IS_SINGLE] = "it begins like a single-object encoding",
        [FRAMING_IS_CONTAINER] = "it begins like an Avro file",
        [FRAMING_IS_JSON] = "it begins like JSON",
        [FRAMING_IS_UNKNOWN] = NULL};
    return text[framing];
}

/* ---- headers ---- */

static bool framing_is_named(const char *name, uint32_t n, const char *wanted)
{
    return n == strlen(wanted) && !memcmp(name, wanted, n);
}

bool framing_is_header(const char *name, uint32_t n)
{
    static const char apicurio[] = "apicurio.value.";
    return framing_is_named(name, n, FRAMING_HEADER_GUID) ||
           framing_is_named(name, n, FRAMING_HEADER_TYPE) ||
           (n >= sizeof apicurio - 1 && !memcmp(name, apicurio, sizeof apicurio - 1));
}

/* Finds the last header with a name. Returns false if there is none. */
static bool framing_last(const struct leat_batch *b, uint32_t r, const char *name,
                         struct leat_header *last)
{
    struct leat_header h;
    const char *text = leat_text(b, b->headers[r]);
    *last = (struct leat_header){.value = NULL};
    for (uint32_t n = b->headers[r].len; leat_next_header(&text, &n, &h);)
        if (framing_is_named(h.name, h.n_name, name)) *last = h;
    return last->name != NULL;
}

static enum framing_header framing_of_guid(uint32_t max_rest, struct schema_key *key,
                                           struct leat_header *rest)
{
    *key = (struct schema_key){.guid = rest->value && rest->n_value && *rest->value == 1};
    uint32_t bytes = key->guid ? FRAMING_GUID : FRAMING_NUMBER;
    if (!rest->value || rest->n_value < bytes || rest->n_value - bytes > max_rest ||
        (uint8_t)*rest->value != key->guid)
        return FRAMING_WRONG_HEADER;
    memcpy(key->at, rest->value + 1, bytes - 1);
    rest->value += bytes;
    rest->n_value -= bytes;
    return FRAMING_HEADER;
}

static enum framing_header framing_of_apicurio(const struct leat_header *id, struct schema_key *key)
{
    static const char zero[4] = {0};
    *key = (struct schema_key){0};
    if (!id->value || id->n_value != 8 || memcmp(id->value, zero, 4) != 0)
        return FRAMING_WRONG_CONTENT_ID;
    memcpy(key->at, id->value + 4, 4);
    return FRAMING_OF_APICURIO;
}

enum framing_header framing_find_header(const struct leat_batch *b, uint32_t r, uint32_t max_rest,
                                        struct schema_key *key, struct leat_header *rest)
{
    struct leat_header id;
    if (!b->headers || !b->headers[r].len) return FRAMING_NO_HEADER;
    if (framing_last(b, r, FRAMING_HEADER_GUID, rest)) return framing_of_guid(max_rest, key, rest);
    framing_last(b, r, FRAMING_HEADER_TYPE, rest);
    if (framing_last(b, r, FRAMING_HEADER_APICURIO, &id)) return framing_of_apicurio(&id, key);
    return framing_last(b, r, "apicurio.value.globalId", &id) ? FRAMING_GLOBAL_ID
                                                              : FRAMING_NO_HEADER;
}

const char *framing_header_fault(enum framing_header fault)
{
    switch (fault) {
    case FRAMING_WRONG_CONTENT_ID:
        return "the header " FRAMING_HEADER_APICURIO " of the message is not a number of eight "
               "bytes that is below 2^32";
    case FRAMING_GLOBAL_ID:
        return "the header apicurio.value.globalId of the message has a number that the API of a "
               "Schema Registry does not take: let its producer write the content's "
               "(apicurio.registry.use-id=contentId)";
    default:
        return "the header " FRAMING_HEADER_GUID " of the message is neither 0 and four bytes nor "
               "1 and 16 bytes";
    }
}
