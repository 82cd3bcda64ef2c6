LIBS := -lpcap -ljansson -lisal -lbz2 -llzma -lzstd -llz4
