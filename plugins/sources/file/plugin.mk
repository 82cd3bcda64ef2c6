LIBS := -larchive
