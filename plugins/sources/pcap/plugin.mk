LIBS := -lpcap -lisal -lbz2 -llzma -lzstd -llz4
