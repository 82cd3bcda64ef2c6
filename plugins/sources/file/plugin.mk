LIBS := -ljansson -lisal -lbz2 -llzma -lzstd -llz4 -lpcre2-8
