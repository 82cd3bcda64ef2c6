# If the library is in another folder (PKG_CONFIG_PATH), the plugin records that folder.
RDKAFKA_LIBS := $(shell $(PKG_CONFIG) --libs rdkafka 2>/dev/null || echo -lrdkafka)
CURL := $(shell $(PKG_CONFIG) --exists libcurl 2>/dev/null && echo yes)
LIBS := $(RDKAFKA_LIBS) -ljansson $(if $(CURL),-lcurl) $(patsubst -L%,-Wl$(comma)-rpath$(comma)%,$(filter -L%,$(RDKAFKA_LIBS)))
$(B)/plugins/kafka/%.o: ALL_CFLAGS += $(shell $(PKG_CONFIG) --cflags rdkafka 2>/dev/null)
