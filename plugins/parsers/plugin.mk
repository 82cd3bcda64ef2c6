LIBS := -ljansson -lpcre2-8
