LIBS := -lpcap -lz -lbz2 -llzma -lzstd -llz4
