# SQLite reads databases. Without it shape.lookup reads only CSV, and reports what is missing.
SQLITE := $(shell $(PKG_CONFIG) --exists sqlite3 2>/dev/null && echo yes)
LIBS := -lutf8proc -ljansson -lisal -lbz2 -llzma -lzstd -llz4 $(if $(SQLITE),-lsqlite3)
$(B)/plugins/shape/lookup/lookup_sqlite.o: ALL_CFLAGS += $(if $(SQLITE),-DLEAT_SQLITE)
