/* json_index.cpp -- implementation of json_index.h. */
#include "json_index.h"

#include <memory>
#include <new>

#include <simdjson.h>

struct json_index {
    std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;
};

enum { DEPTH = 1 }; /* only for simdjson's second stage, which is not used */

struct json_index *json_index_new(size_t max_bytes)
{
    json_index *index = new (std::nothrow) json_index;
    if (!index) return nullptr;
    simdjson::error_code error =
        simdjson::get_active_implementation()->create_dom_parser_implementation(max_bytes, DEPTH,
                                                                                index->parser);
    if (!error) return index;
    delete index;
    return nullptr;
}

void json_index_free(struct json_index *index) { delete index; }

/* Computes the size like simdjson's set_capacity: an offset for each byte of whole blocks, and a
 * few more. */
uint64_t json_index_bytes(size_t max_bytes)
{
    return (((uint64_t)max_bytes + 63) / 64 * 64 + 9) * sizeof(uint32_t);
}

static enum json_index_status status_of(simdjson::error_code error)
{
    switch (error) {
    case simdjson::SUCCESS:
        return JSON_INDEX_OK;
    case simdjson::UNESCAPED_CHARS:
        return JSON_INDEX_CONTROL;
    case simdjson::UNCLOSED_STRING:
        return JSON_INDEX_UNCLOSED;
    case simdjson::CAPACITY:
        return JSON_INDEX_LONG;
    default:
        return JSON_INDEX_UTF8;
    }
}

enum json_index_status json_index_make(struct json_index *index, const char *text, size_t len,
                                       const uint32_t **at, uint32_t *n)
{
    simdjson::internal::dom_parser_implementation *parser = index->parser.get();
    *n = 0;
    if (len > parser->capacity()) return JSON_INDEX_LONG;
    simdjson::error_code error = parser->stage1(reinterpret_cast<const uint8_t *>(text), len,
                                                simdjson::stage1_mode::regular);
    if (error == simdjson::EMPTY) return JSON_INDEX_OK;
    if (error) return status_of(error);
    *n = parser->n_structural_indexes;
    parser->structural_indexes[*n] = static_cast<uint32_t>(len);
    *at = parser->structural_indexes.get();
    return JSON_INDEX_OK;
}
