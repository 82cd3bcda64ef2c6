LIBS := -ljansson
