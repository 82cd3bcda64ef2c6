/* plain_entries.c -- implementation of plain_entries.h
 *
 * A mask of the blanks among 64 bytes gives the ends of entries. So the start of an entry does not
 * wait for the lengths of the numbers in the one before, and the processor reads several at once.
 *
 * There are two readers. The portable one takes the entries of the 64 bytes one by one. It finds
 * and converts each number in a register, eight bytes at a time. The other one needs byte
 * permutations of 64 bytes (AVX-512 VBMI). It moves the digits of up to eight entries to the right
 * end of eight words each, and converts all of them with one chain of multiplications:
 *
 *   text      1860:0.167071 2828:0.066922 …
 *   indexes   |0000 1860|0000 2828|…      fractions |0016 7071|0006 6922|…
 *
 * If both accept an entry, their results are equal. */
#include "plain_entries.h"

#include <stdbool.h>

#include "core/text/byte_mask.h"
#include "decimal.h"

/* ---- one entry ---- */

/* Reads the value at p if it is "d.ddd" or "-d.ddd" with few digits. Returns its end, or NULL. The
 * search for the end must not depend on the sign. So it uses the word after the first two bytes:
 * the fraction, or, after a sign, the point and the fraction. It skips the first byte of this
 * word. */
static inline const char *plain_value(const char *p, float *value)
{
    uint64_t w = eight_bytes(p + 2);
    uint64_t other = decimal_not_digits(w) & ~UINT64_C(0x80);
    if (!other) return NULL;
    unsigned n = (unsigned)__builtin_ctzll(other) / 8;
    unsigned negative = *p == '-';
    const char *d = p + negative;
    if (!decimal_is_digit(d[0]) || d[1] != '.' || !decimal_is_digit(d[2])) return NULL;
    w &= ~UINT64_C(0) << 8 * negative; /* removes the point, if there is a sign */
    uint64_t m =
        decimal_eight(w << (64 - 8 * n)) + (uint64_t)(d[0] - '0') * pow10_u64[n - negative];
    double v = (double)(int64_t)m / pow10_f64[n - negative];
    *value = (float)decimal_sign(v, negative);
    return p + 2 + n;
}

/* Reads the value at p if it is a whole number of up to 7 digits. Returns its end, or NULL. */
static inline const char *plain_count(const char *p, float *value)
{
    uint64_t w = eight_bytes(p), other = decimal_not_digits(w);
    unsigned n = other ? (unsigned)__builtin_ctzll(other) / 8 : 0;
    if (n == 0) return NULL;
    *value = (float)(int64_t)decimal_eight(w << (64 - 8 * n));
    return p + n;
}

/* Reads the entry [p, end) if it has a plain form. Returns the end of its value, or NULL.
 * 24 bytes at p must be readable. It reads fewer: 8 of the index with its ":", 10 of the value, 1
 * after the value. The caller checks that the value ends at `end`. */
static inline const char *plain_entry(const char *p, const char *end, uint64_t *id, float *value)
{
    uint64_t w = eight_bytes(p), other = decimal_not_digits(w);
    if (!other) return NULL;
    unsigned n = (unsigned)__builtin_ctzll(other) / 8;
    if (n == 0 || p[n] != ':') return NULL;
    *id = decimal_eight(w << (64 - 8 * n));
    if (p[n + 1] == '1' && p + n + 2 == end) {
        *value = 1;
        return end;
    }
    const char *q = plain_value(p + n + 1, value);
    return q ? q : plain_count(p + n + 1, value);
}

/* Returns a mask of the places among p[0, 64) where an entry may end: the blanks in `blanks`, and
 * the end. */
static inline uint64_t entry_ends(const char *p, const char *end, uint64_t blanks)
{
    size_t left = (size_t)(end - p);
    return left < BYTE_MASK ? (blanks & ((UINT64_C(1) << left) - 1)) | UINT64_C(1) << left : blanks;
}

const char *plain_entries_portable(const char *p, const char *end, const char *limit,
                                   struct plain_room *room)
{
    size_t n = room->n, start = 1;
    while (p < end && start && limit - p >= PLAIN_ENTRIES_BYTES) {
        start = 0;
        uint64_t ends = entry_ends(p, end, byte_mask(p, ' ') | byte_mask(p, '\t'));
        for (; ends && n < room->cap; ends &= ends - 1, n++) {
            const char *q = p + start, *stop = p + __builtin_ctzll(ends);
            if (plain_entry(q, stop, &room->id[n], &room->value[n]) != stop) {
                room->n = n;
                return q;
            }
            start = (size_t)(stop - p) + 1;
        }
        p += start;
    }
    room->n = n;
    return p < end ? p : end;
}

/* ---- eight entries ---- */

#if defined(__x86_64__) && defined(__GLIBC__)
#include <immintrin.h>

#define PLAIN_EIGHT                                                                                \
    __attribute__((                                                                                \
        target("avx512f,avx512bw,avx512dq,avx512vbmi,avx512vbmi2,bmi,bmi2,lzcnt,popcnt")))

enum { EIGHT = 8, LONGEST = 8 }; /* LONGEST: most digits of an index, and after a point */
#define FIRSTS UINT64_C(0x0101010101010101) /* the first byte of each word */

static bool plain_has_eight(void)
{
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
           __builtin_cpu_supports("bmi2");
}

/* Eight entries among 64 bytes. The eight bytes of a word belong to one entry. In a vector of
 * places they are equal. */
struct plain_eight {
    __m512i text;
    __m512i begin, colon, stop; /* places in the text: start, ":", end of the entry */
    __mmask64 wrong;            /* bytes of entries that are not plain              */
};

/* Returns bytes of the text. */
PLAIN_EIGHT static inline __m512i plain_at(const struct plain_eight *e, __m512i place)
{
    return _mm512_permutexvar_epi8(place, e->text);
}

/* Returns the digits from `from` to `stop`, moved to the right end of each word, as the numbers 0
 * to 9. Marks entries that have other text there, or too many digits. */
PLAIN_EIGHT static inline __m512i plain_digits_of(struct plain_eight *e, __m512i from, __m512i stop)
{
    const __m512i before = _mm512_set1_epi64((int64_t)UINT64_C(0xfffefdfcfbfaf9f8)); /* -8 … -1 */
    __m512i place = _mm512_add_epi8(stop, before), text = plain_at(e, place);
    __mmask64 inside = _mm512_cmpge_epi8_mask(place, from);
    __m512i digits = _mm512_maskz_sub_epi8(inside, text, _mm512_set1_epi8('0'));
    e->wrong |= _mm512_cmpgt_epu8_mask(digits, _mm512_set1_epi8(9));
    e->wrong |= _mm512_cmpgt_epu8_mask(_mm512_sub_epi8(stop, from), _mm512_set1_epi8(LONGEST));
    return digits;
}

/* Converts the digits of two vectors. Each lane of 128 bits gets two numbers of a, then two of b,
 * in 32 bits each. */
PLAIN_EIGHT static inline __m512i plain_numbers(__m512i a, __m512i b)
{
    const __m512i tens = _mm512_set1_epi16(10 | 1 << 8),
                  hundreds = _mm512_set1_epi32(100 | 1 << 16),
                  myriads = _mm512_set1_epi32(10000 | 1 << 16);
    a = _mm512_madd_epi16(_mm512_maddubs_epi16(a, tens), hundreds);
    b = _mm512_madd_epi16(_mm512_maddubs_epi16(b, tens), hundreds);
    return _mm512_madd_epi16(_mm512_packus_epi32(a, b), myriads);
}

/* Returns (lead 10^k + number) / 10^k with a sign. */
PLAIN_EIGHT static inline __m256 plain_values(__m512i number, __m512i lead, __m512i k,
                                              __mmask64 negative)
{
    const __m512d few = _mm512_loadu_pd(pow10_f64), many = _mm512_loadu_pd(pow10_f64 + EIGHT);
    __m512d power = _mm512_permutex2var_pd(few, k, many);
    __m512d m = _mm512_mul_pd(_mm512_cvtepu64_pd(lead), power);
    __m512d v = _mm512_div_pd(_mm512_add_pd(m, _mm512_cvtepu64_pd(number)), power);
    __m512i sign = _mm512_and_si512(_mm512_movm_epi8(negative), _mm512_set1_epi64(INT64_MIN));
    return _mm512_cvtpd_ps(_mm512_or_pd(v, _mm512_castsi512_pd(sign)));
}

/* Converts eight entries, and marks those that are not plain. */
PLAIN_EIGHT static inline void plain_convert(struct plain_eight *e, uint64_t *id, float *value)
{
    const __m512i one = _mm512_set1_epi8(1), zero = _mm512_setzero_si512();
    __m512i index = plain_digits_of(e, e->begin, e->colon), whole = _mm512_add_epi8(e->colon, one);
    __mmask64 negative = _mm512_cmpeq_epi8_mask(plain_at(e, whole), _mm512_set1_epi8('-'));
    whole = _mm512_mask_add_epi8(whole, negative, whole, one);
    __m512i point = _mm512_add_epi8(whole, one);
    __mmask64 has_point = _mm512_cmpeq_epi8_mask(plain_at(e, point), _mm512_set1_epi8('.')) &
                          _mm512_cmplt_epi8_mask(point, e->stop);
    __m512i from = _mm512_mask_add_epi8(whole, has_point, point, one),
            digits = plain_digits_of(e, from, e->stop),
            lead = _mm512_maskz_sub_epi8(has_point, plain_at(e, whole), _mm512_set1_epi8('0'));
    e->wrong |= _mm512_cmpgt_epu8_mask(lead, _mm512_set1_epi8(9));
    e->wrong |= _mm512_cmpeq_epi8_mask(e->begin, e->colon) | _mm512_cmpeq_epi8_mask(whole, e->stop);
    __m512i numbers = plain_numbers(index, digits);
    _mm512_storeu_si512(id, _mm512_unpacklo_epi32(numbers, zero));
    __m512i k = _mm512_maskz_sub_epi8(has_point & FIRSTS, e->stop, from);
    _mm256_storeu_ps(value, plain_values(_mm512_unpackhi_epi32(numbers, zero),
                                         _mm512_maskz_mov_epi8(FIRSTS, lead), k, negative));
}

/* Returns the places of the first eight bits of a mask, each in a word of its own. */
PLAIN_EIGHT static inline __m512i plain_places(__mmask64 mask)
{
    static const uint8_t place[BYTE_MASK] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const __m512i all = _mm512_loadu_si512(place), word = _mm512_srli_epi16(all, 3);
    const __m512i low = _mm512_and_si512(word, _mm512_set1_epi8(7));
    return _mm512_permutexvar_epi8(low, _mm512_maskz_compress_epi8(mask, all));
}

/* Reads plain entries from *p on, and moves *p. Returns false if the entry at *p is not plain; true
 * if it may be plain, or if there is none. */
PLAIN_EIGHT static bool plain_entries_eight(const char **p, const char *end, const char *limit,
                                            struct plain_room *room)
{
    while (*p < end && limit - *p >= BYTE_MASK && room->cap - room->n >= EIGHT) {
        struct plain_eight e = {.text = _mm512_loadu_si512(*p)};
        uint64_t blanks = _mm512_cmpeq_epi8_mask(e.text, _mm512_set1_epi8(' ')) |
                          _mm512_cmpeq_epi8_mask(e.text, _mm512_set1_epi8('\t'));
        uint64_t ends = _pdep_u64(0xff, entry_ends(*p, end, blanks));
        uint64_t until = UINT64_MAX >> _lzcnt_u64(ends), begins = (ends << 1 | 1) & until;
        uint64_t colons = _mm512_cmpeq_epi8_mask(e.text, _mm512_set1_epi8(':')) & until;
        size_t count = (size_t)_mm_popcnt_u64(ends);
        if (!count || (size_t)_mm_popcnt_u64(colons) != count) break;
        e.begin = plain_places(begins), e.colon = plain_places(colons), e.stop = plain_places(ends);
        plain_convert(&e, room->id + room->n, room->value + room->n);
        size_t good = (size_t)_tzcnt_u64(e.wrong) / 8;
        if (good < count) {
            room->n += good;
            *p += _tzcnt_u64(_pdep_u64(UINT64_C(1) << good, begins));
            return false;
        }
        room->n += count;
        *p += BYTE_MASK - _lzcnt_u64(ends);
    }
    return true;
}
#endif

const char *plain_entries(const char *p, const char *end, const char *limit,
                          struct plain_room *room)
{
#ifdef PLAIN_EIGHT
    if (plain_has_eight() && !plain_entries_eight(&p, end, limit, room)) return p;
#endif
    return plain_entries_portable(p, end, limit, room);
}
