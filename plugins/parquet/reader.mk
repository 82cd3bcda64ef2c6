# The reader of Parquet files is a library that plugins load when they meet such a file (common/inputs/parquet_reader.h).
# It is built where pkg-config knows Arrow's parquet: the system's, or that of `make deps PARQUET=…` in build/parquet.
OF_PARQUET := PKG_CONFIG_PATH=$(PKG_CONFIG_PATH)$(if $(CROSS),,:$(CURDIR)/build/parquet) $(PKG_CONFIG)
PARQUET_LIBS := $(shell $(OF_PARQUET) --exists 'parquet >= 21' 2>/dev/null && $(OF_PARQUET) --libs parquet)
READERS := $(if $(PARQUET_LIBS),$(B)/lib/leat/readers/parquet.so)

# Arrow's headers are C++20, its functions throw, and its warnings are not ours.
$(B)/plugins/parquet/%.o: ALL_CXXFLAGS += -std=c++20 -fexceptions -frtti \
    $(patsubst -I%,-isystem %,$(shell $(OF_PARQUET) --cflags parquet))
$(B)/lib/leat/readers/parquet.so: $(B)/plugins/parquet/reader.o
	@mkdir -p $(@D)
	@echo "  LINK $@"
	@$(LINK) -shared -o $@ $^ $(PARQUET_LIBS) -lstdc++ \
	    $(patsubst -L%,-Wl$(comma)-rpath$(comma)%,$(filter -L%,$(PARQUET_LIBS)))
