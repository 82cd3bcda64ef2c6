LIBS := -lmicrohttpd -lisal -lbz2 -llzma -lzstd -llz4 -ljansson
