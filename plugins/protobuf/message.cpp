/* message.cpp -- messages of message.h, with libprotobuf; or nothing at all, without it. */
#include "message.h"

#ifdef LEAT_NO_PROTOBUF

const char *protobuf_library(void) { return nullptr; }

struct protobuf_schema *protobuf_schema_open(const char *, char *, size_t) { return nullptr; }

struct protobuf_schema *protobuf_schema_of(const struct protobuf_file *, uint32_t, char *, size_t)
{
    return nullptr;
}

void protobuf_schema_free(struct protobuf_schema *) {}

struct protobuf_type *protobuf_type_named(struct protobuf_schema *, const char *, size_t)
{
    return nullptr;
}

struct protobuf_type *protobuf_type_short(struct protobuf_schema *, const char *, size_t)
{
    return nullptr;
}
struct protobuf_type *protobuf_type_sorted(struct protobuf_schema *, uint64_t) { return nullptr; }
struct protobuf_type *protobuf_type_at(struct protobuf_schema *, const int64_t *, uint32_t, bool)
{
    return nullptr;
}

const char *protobuf_type_name(const struct protobuf_type *) { return ""; }

void protobuf_names(const struct protobuf_type *, protobuf_name *, void *) {}

bool protobuf_read(struct protobuf_type *, const void *, uint32_t) { return false; }

bool protobuf_has_unknown(const struct protobuf_type *) { return false; }

bool protobuf_each(struct protobuf_type *, const struct json_step *, uint32_t, protobuf_visit *,
                   void *)
{
    return false;
}

#else

#include <cstdio>
#include <cstring>
#include <string>

#include "descriptors.h"

namespace pb = google::protobuf;
using Field = pb::FieldDescriptor;
using Type = pb::Descriptor;

/* ---- values ----
 *
 * A place is what a path leads to: nothing, a null, a message, an array, a map or a single value.
 * An array or a map is a repeated field. A single value is a field, or its element i. */

namespace
{

struct Place {
    protobuf_kind kind; /* PROTOBUF_TEXT: a single value of any type */
    const pb::Message *m;
    const Field *f;
    int i; /* element of f; -1: f has one value */
};

const Place NOWHERE = {PROTOBUF_NOTHING, nullptr, nullptr, -1};

bool is_compound(const Field *f) { return f->cpp_type() == Field::CPPTYPE_MESSAGE; }

bool is_single(const Field *f) { return f && !f->is_repeated() && !is_compound(f); }

/* True for seconds and nanoseconds. */
bool is_time(const Type *type)
{
    bool named = type->well_known_type() == Type::WELLKNOWNTYPE_TIMESTAMP ||
                 type->well_known_type() == Type::WELLKNOWNTYPE_DURATION;
    const Field *seconds = named ? type->FindFieldByNumber(1) : nullptr;
    const Field *nanos = named ? type->FindFieldByNumber(2) : nullptr;
    return is_single(seconds) && is_single(nanos) && seconds->cpp_type() == Field::CPPTYPE_INT64 &&
           nanos->cpp_type() == Field::CPPTYPE_INT32;
}

Place of_message(const pb::Message &m);

/* Returns the place of a google.protobuf.Value. */
Place of_any_value(const pb::Message &m)
{
    const Type *type = m.GetDescriptor();
    const pb::Reflection *r = m.GetReflection();
    if (type->oneof_decl_count() != 1) return {PROTOBUF_MESSAGE, &m, nullptr, -1};
    const Field *f = r->GetOneofFieldDescriptor(m, type->oneof_decl(0));
    if (!f || f->cpp_type() == Field::CPPTYPE_ENUM) return {PROTOBUF_NULL, &m, f, -1};
    if (is_compound(f)) return of_message(r->GetMessage(m, f));
    return {PROTOBUF_TEXT, &m, f, -1};
}

/* Returns the place of a message. A type with a well-known name and other fields is a message. */
Place of_message(const pb::Message &m)
{
    const Type *type = m.GetDescriptor();
    const Field *f = type->FindFieldByNumber(1);
    switch (type->well_known_type()) {
    case Type::WELLKNOWNTYPE_VALUE:
        return of_any_value(m);
    case Type::WELLKNOWNTYPE_STRUCT:
        if (f && f->is_map()) return {PROTOBUF_MAP, &m, f, -1};
        break;
    case Type::WELLKNOWNTYPE_LISTVALUE:
        if (f && f->is_repeated()) return {PROTOBUF_ARRAY, &m, f, -1};
        break;
    case Type::WELLKNOWNTYPE_DOUBLEVALUE:
    case Type::WELLKNOWNTYPE_FLOATVALUE:
    case Type::WELLKNOWNTYPE_INT64VALUE:
    case Type::WELLKNOWNTYPE_UINT64VALUE:
    case Type::WELLKNOWNTYPE_INT32VALUE:
    case Type::WELLKNOWNTYPE_UINT32VALUE:
    case Type::WELLKNOWNTYPE_STRINGVALUE:
    case Type::WELLKNOWNTYPE_BYTESVALUE:
    case Type::WELLKNOWNTYPE_BOOLVALUE:
        if (is_single(f)) return {PROTOBUF_TEXT, &m, f, -1};
        break;
    default:
        break;
    }
    return {PROTOBUF_MESSAGE, &m, nullptr, -1};
}

/* Returns the place of a field. A field without presence has its default if the message lacks it,
 * and so has a field whose schema declares a default. */
Place of_field(const pb::Message &m, const Field *f)
{
    const pb::Reflection *r = m.GetReflection();
    if (f->is_repeated()) return {f->is_map() ? PROTOBUF_MAP : PROTOBUF_ARRAY, &m, f, -1};
    bool has = !f->has_presence() || r->HasField(m, f);
    if (!has && !f->has_default_value()) return NOWHERE;
    return is_compound(f) ? of_message(r->GetMessage(m, f)) : Place{PROTOBUF_TEXT, &m, f, -1};
}

Place of_element(const Place &array, int i)
{
    const pb::Reflection *r = array.m->GetReflection();
    if (!is_compound(array.f)) return {PROTOBUF_TEXT, array.m, array.f, i};
    return of_message(r->GetRepeatedMessage(*array.m, array.f, i));
}

bool is_key(const pb::Message &entry, const Field *f, const json_step *step)
{
    const pb::Reflection *r = entry.GetReflection();
    std::string scratch;
    char number[32];
    switch (f->cpp_type()) {
    case Field::CPPTYPE_STRING: {
        const std::string &key = r->GetStringReference(entry, f, &scratch);
        return key.size() == step->len && !memcmp(key.data(), step->key, step->len);
    }
    case Field::CPPTYPE_BOOL:
        snprintf(number, sizeof number, "%s", r->GetBool(entry, f) ? "true" : "false");
        break;
    case Field::CPPTYPE_INT32:
        snprintf(number, sizeof number, "%d", r->GetInt32(entry, f));
        break;
    case Field::CPPTYPE_UINT32:
        snprintf(number, sizeof number, "%u", r->GetUInt32(entry, f));
        break;
    case Field::CPPTYPE_INT64:
        snprintf(number, sizeof number, "%lld", static_cast<long long>(r->GetInt64(entry, f)));
        break;
    default:
        snprintf(number, sizeof number, "%llu",
                 static_cast<unsigned long long>(r->GetUInt64(entry, f)));
    }
    return strlen(number) == step->len && !memcmp(number, step->key, step->len);
}

/* Returns the value of a key in a map. Of equal keys the last one counts, as everywhere in
 * Protocol Buffers. */
Place of_key(const Place &map, const json_step *step)
{
    const pb::Reflection *r = map.m->GetReflection();
    const Type *type = map.f->message_type();
    const Field *key = type->map_key(), *value = type->map_value();
    for (int i = r->FieldSize(*map.m, map.f) - 1; i >= 0; i--) {
        const pb::Message &entry = r->GetRepeatedMessage(*map.m, map.f, i);
        if (!is_key(entry, key, step)) continue;
        if (!is_compound(value)) return {PROTOBUF_TEXT, &entry, value, -1};
        return of_message(entry.GetReflection()->GetMessage(entry, value));
    }
    return NOWHERE;
}

const Field *field_named(protobuf_type *t, const Type *type, const json_step *step)
{
    auto found = t->field.find({type, step});
    if (found != t->field.end()) return found->second;
    const Field *f = type->FindFieldByName(std::string(step->key, step->len));
    t->field[{type, step}] = f;
    return f;
}

Place follow(protobuf_type *t, const Place &from, const json_step *step)
{
    if (step->kind == JSON_KEY && from.kind == PROTOBUF_MAP) return of_key(from, step);
    if (step->kind == JSON_KEY && from.kind == PROTOBUF_MESSAGE) {
        const Field *f = field_named(t, from.m->GetDescriptor(), step);
        return f ? of_field(*from.m, f) : NOWHERE;
    }
    if (step->kind != JSON_ELEMENT || from.kind != PROTOBUF_ARRAY) return NOWHERE;
    int n = from.m->GetReflection()->FieldSize(*from.m, from.f);
    return step->index < static_cast<uint32_t>(n) ? of_element(from, static_cast<int>(step->index))
                                                  : NOWHERE;
}

/* ---- single values ---- */

void put_text(const std::string &text, protobuf_value *v)
{
    v->kind = PROTOBUF_TEXT;
    v->text = text.data();
    v->n = static_cast<uint32_t>(text.size());
}

/* Sets an enum by its name. A number without a name, which newer schemas may have, stays one. */
void put_enum(const Field *f, int number, protobuf_value *v)
{
    const pb::EnumValueDescriptor *value = f->enum_type()->FindValueByNumber(number);
    v->integer = number;
    v->kind = PROTOBUF_INTEGER;
    if (!value) return;
    put_text(value->name(), v);
    v->kind = PROTOBUF_ENUM;
}

void put_integer(protobuf_kind kind, int64_t integer, protobuf_value *v)
{
    v->kind = kind;
    v->integer = integer;
}

void put_real(protobuf_kind kind, double real, protobuf_value *v)
{
    v->kind = kind;
    v->real = real;
}

/* GET(Int32) reads the field of a place, or its element. */
#define GET(TYPE) (p.i < 0 ? r->Get##TYPE(*p.m, p.f) : r->GetRepeated##TYPE(*p.m, p.f, p.i))

void put_single(const Place &p, protobuf_value *v)
{
    const pb::Reflection *r = p.m->GetReflection();
    std::string scratch; /* stays empty, because the string is that of the message */
    switch (p.f->cpp_type()) {
    case Field::CPPTYPE_INT32:
        return put_integer(PROTOBUF_INTEGER, GET(Int32), v);
    case Field::CPPTYPE_INT64:
        return put_integer(PROTOBUF_INTEGER, GET(Int64), v);
    case Field::CPPTYPE_UINT32:
        return put_integer(PROTOBUF_INTEGER, GET(UInt32), v);
    case Field::CPPTYPE_UINT64:
        return put_integer(PROTOBUF_UNSIGNED, static_cast<int64_t>(GET(UInt64)), v);
    case Field::CPPTYPE_BOOL:
        return put_integer(PROTOBUF_BOOL, GET(Bool), v);
    case Field::CPPTYPE_FLOAT:
        return put_real(PROTOBUF_FLOAT, static_cast<double>(GET(Float)), v);
    case Field::CPPTYPE_DOUBLE:
        return put_real(PROTOBUF_DOUBLE, GET(Double), v);
    case Field::CPPTYPE_ENUM:
        return put_enum(p.f, GET(EnumValue), v);
    default:
        return put_text(p.i < 0 ? r->GetStringReference(*p.m, p.f, &scratch)
                                : r->GetRepeatedStringReference(*p.m, p.f, p.i, &scratch),
                        v);
    }
}

void put_time(const pb::Message &m, protobuf_value *v)
{
    const Type *type = m.GetDescriptor();
    const pb::Reflection *r = m.GetReflection();
    bool point = type->well_known_type() == Type::WELLKNOWNTYPE_TIMESTAMP;
    put_integer(point ? PROTOBUF_TIME : PROTOBUF_SPAN, r->GetInt64(m, type->FindFieldByNumber(1)),
                v);
    v->nanos = r->GetInt32(m, type->FindFieldByNumber(2));
}

protobuf_value value_at(const Place &p)
{
    protobuf_value v = {};
    v.kind = p.kind;
    if (p.kind == PROTOBUF_TEXT)
        put_single(p, &v);
    else if (p.kind == PROTOBUF_MESSAGE && is_time(p.m->GetDescriptor()))
        put_time(*p.m, &v);
    return v;
}

bool each(protobuf_type *t, Place p, const json_step *step, uint32_t n, protobuf_visit *visit,
          void *to)
{
    for (; n && step->kind != JSON_ALL && p.kind != PROTOBUF_NOTHING; n--)
        p = follow(t, p, step++);
    if (!n || p.kind == PROTOBUF_NOTHING) {
        const protobuf_value v = value_at(p);
        return visit(to, &v);
    }
    if (p.kind != PROTOBUF_ARRAY) return each(t, p, step + 1, n - 1, visit, to);
    const int elements = p.m->GetReflection()->FieldSize(*p.m, p.f);
    for (int i = 0; i < elements; i++)
        if (!each(t, of_element(p, i), step + 1, n - 1, visit, to)) return false;
    return true;
}

} // namespace

bool protobuf_read(struct protobuf_type *t, const void *bytes, uint32_t n)
{
    return n <= INT32_MAX && t->message->ParsePartialFromArray(bytes, static_cast<int>(n));
}

bool protobuf_has_unknown(const struct protobuf_type *t)
{
    return t->message->GetReflection()->GetUnknownFields(*t->message).field_count() > 0;
}

bool protobuf_each(struct protobuf_type *t, const struct json_step *step, uint32_t n,
                   protobuf_visit *visit, void *to)
{
    return each(t, of_message(*t->message), step, n, visit, to);
}

/* ---- names ---- */

namespace
{

/* Limits of a path, and of the types visited. A type that contains itself has endless paths. */
enum { PATH_BYTES = 240, TYPES = 4096 };

/* Walk through a type. */
struct Walk {
    protobuf_name *name;
    void *to;
    int types;
};

void walk(Walk *w, const Type *type, const std::string &path)
{
    if (w->types++ >= TYPES) return;
    for (int i = 0; i < type->field_count(); i++) {
        const Field *f = type->field(i);
        std::string at = path + (path.empty() ? "" : ".") + f->name();
        if (f->is_map() || at.size() > PATH_BYTES) continue;
        if (f->is_repeated()) at += "[*]";
        bool whole = !is_compound(f) || f->message_type()->well_known_type();
        if (whole)
            w->name(w->to, at.data(), static_cast<uint32_t>(at.size()));
        else
            walk(w, f->message_type(), at);
    }
}

} // namespace

void protobuf_names(const struct protobuf_type *t, protobuf_name *name, void *to)
{
    Walk w = {name, to, 0};
    walk(&w, t->type, "");
}

#endif
