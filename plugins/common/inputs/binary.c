/* binary.c -- implementation of binary.h. */
#include "binary.h"

#include <stdio.h>
#include <string.h>

struct binary_kind {
    const char *magic;
    unsigned short n, at;    /* bytes of the magic, and their place */
    bool is_word;            /* a text may begin with the magic: a control character must follow */
    const char *what, *cure; /* cure: FILE stands for the file's name */
};

// clang-format off
static const struct binary_kind binary_kinds[] = {
    {"PAR1", 4, 0, true, "a Parquet file",
     "write it as CSV first: duckdb -c \"COPY (FROM 'FILE') TO 'data.csv'\"; or build leat with "
     "libparquet, which reads such files if they are not packed: make deps PARQUET=26.0.1"},
    {"PARE", 4, 0, true, "an encrypted Parquet file", "write it without encryption first"},
    {"ORC", 3, 0, true, "an ORC file",
     "write it as CSV or JSON Lines first, such as with Spark or orc-contents FILE"},
    {"ARROW1\0\0", 8, 0, false, "an Arrow file inside another compression",
     "unpack it once, into another file"},
    {"\xff\xff\xff\xff", 4, 0, true, "an Arrow stream inside another compression",
     "unpack it once, into another file"},
    {"FEA1", 4, 0, true, "a Feather file",
     "write it as CSV first, such as with pandas.read_feather"},
    {"Obj\1", 4, 0, false, "an Avro container inside another compression",
     "unpack it once, into another file"},
    {"SQLite format 3\0", 16, 0, false, "an SQLite database",
     "write a table as CSV first: sqlite3 -csv -header FILE 'SELECT * FROM …' >data.csv"},
    {"DUCK", 4, 8, true, "a DuckDB database",
     "write a table as CSV first: duckdb FILE -c \"COPY (FROM …) TO 'data.csv'\""},
    {"\x89HDF", 4, 0, false, "an HDF5 file",
     "write one of its tables as CSV first, such as with pandas.read_hdf"},
    {"\x93NUMPY", 6, 0, false, "an array of NumPy", "write it as CSV first: numpy.savetxt"},
    {"\x80\4\x95", 3, 0, false, "a pickle of Python", "write it as CSV first, in Python"},
    {"PK\3\4", 4, 0, false, "a ZIP archive, such as .xlsx and .ods",
     "unpack one file: unzip -p FILE >data.csv; save a spreadsheet as CSV in its program"},
    {"PK\5\6", 4, 0, false, "an empty ZIP archive", NULL},
    {"\xd0\xcf\x11\xe0", 4, 0, false, "an old Office document", "save it as CSV in its program"},
    {"7z\xbc\xaf", 4, 0, false, "a 7-Zip archive", "unpack one file: 7z x -so FILE >data.csv"},
    {"Rar!\x1a\7", 6, 0, false, "a RAR archive", "unpack it first: unrar x FILE"},
    {"\x1f\x9d", 2, 0, false, "data of compress", "unpack it first: gzip -dc <FILE >data.csv"},
    {"(\xb5/\xfd", 4, 0, false, "zstd inside another compression",
     "it is compressed twice: unpack it once, into another file"},
    {"\xb5/\xfd", 3, 1, false, "zstd of a version before 0.8", "compress it again"},
    {"\x1f\x8b\x08", 3, 0, false, "gzip inside another compression",
     "it is compressed twice: unpack it once, into another file"},
    {"BZh91AY", 7, 0, false, "bzip2 inside another compression",
     "it is compressed twice: unpack it once, into another file"},
    {"\xfd" "7zXZ\0", 6, 0, false, "xz inside another compression",
     "it is compressed twice: unpack it once, into another file"},
    {"\4\x22M\x18", 4, 0, false, "lz4 inside another compression",
     "it is compressed twice: unpack it once, into another file"},
    {"%PDF-", 5, 0, false, "a PDF document", "convert it to text first: pdftotext -layout FILE"},
    {"\x89PNG", 4, 0, false, "a PNG image", NULL},
    {"\xff\xd8\xff", 3, 0, false, "a JPEG image", NULL},
    {"GIF87a", 6, 0, true, "a GIF image", NULL},
    {"GIF89a", 6, 0, true, "a GIF image", NULL},
    {"\x7f" "ELF", 4, 0, false, "a program", NULL},
    {"MZ", 2, 0, true, "a program of Windows", NULL},
    {"LPKSHHRH", 8, 0, false, "a journal of systemd",
     "write it as JSON Lines first: journalctl --file FILE -o json >data.jsonl"},
    {"ElfFile\0", 8, 0, false, "an event log of Windows", "export it as CSV first"},
    {"\xd4\xc3\xb2\xa1", 4, 0, false, "a capture of packets", "read it with leat.source.pcap"},
    {"\xa1\xb2\xc3\xd4", 4, 0, false, "a capture of packets", "read it with leat.source.pcap"},
    {"\x4d\x3c\xb2\xa1", 4, 0, false, "a capture of packets", "read it with leat.source.pcap"},
    {"\xa1\xb2\x3c\x4d", 4, 0, false, "a capture of packets", "read it with leat.source.pcap"},
    {"\x4d\x3c\x2b\x1a", 4, 8, false, "a capture of packets (pcapng)",
     "read it with leat.source.pcap"},
    {"\x1a\x2b\x3c\x4d", 4, 8, false, "a capture of packets (pcapng)",
     "read it with leat.source.pcap"},
    {"ustar", 5, 257, true, "a tar archive", "read one file in it: tar -xOf FILE NAME >data.csv"},
};
// clang-format on

/* True if a byte is a control character that no text has. */
static bool binary_has_control(const unsigned char *first, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (first[i] < '\t' || (first[i] > '\r' && first[i] < ' ' && first[i] != 27)) return true;
    return false;
}

const struct binary_kind *binary_kind(const unsigned char *first, size_t n)
{
    for (size_t i = 0; i < sizeof binary_kinds / sizeof *binary_kinds; i++) {
        const struct binary_kind *k = &binary_kinds[i];
        if (n < (size_t)k->at + k->n || memcmp(first + k->at, k->magic, k->n) != 0) continue;
        if (!k->is_word || binary_has_control(first, n)) return k;
    }
    return NULL;
}

bool binary_is_capture(const struct binary_kind *k)
{
    static const char what[] = "a capture";
    return !strncmp(k->what, what, sizeof what - 1);
}

/* True if a shell and SQL read the name as it is. */
static bool binary_is_plain(const char *name)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-";
    return *name != '-' && strlen(name) < 100 && name[strspn(name, plain)] == '\0';
}

const char *binary_message(const struct binary_kind *k, const char *name, char to[BINARY_MESSAGE])
{
    const char *cure = k->cure ? k->cure : "it holds no records", *file = strstr(cure, "FILE");
    int before = (int)(file ? (size_t)(file - cure) : strlen(cure));
    const char *shown = binary_is_plain(name) ? name : "FILE";
    snprintf(to, BINARY_MESSAGE, "%s: %.*s%s%s", k->what, before, cure, file ? shown : "",
             file ? file + strlen("FILE") : "");
    return to;
}
