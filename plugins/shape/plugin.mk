LIBS := -lutf8proc -lz -lbz2 -llzma -lzstd -llz4
