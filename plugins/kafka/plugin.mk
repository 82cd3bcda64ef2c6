# If the library is in another folder (PKG_CONFIG_PATH), the plugin records that folder.
RDKAFKA := $(shell $(PKG_CONFIG) --libs rdkafka 2>/dev/null || echo -lrdkafka)
LIBS := $(RDKAFKA) $(patsubst -L%,-Wl$(comma)-rpath$(comma)%,$(filter -L%,$(RDKAFKA)))
$(B)/plugins/kafka/%.o: ALL_CFLAGS += $(shell $(PKG_CONFIG) --cflags rdkafka 2>/dev/null)
