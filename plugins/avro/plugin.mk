# Schemas come from a registry by HTTP only where libcurl is there.
CURL := $(shell pkg-config --exists libcurl 2>/dev/null && echo yes)
LIBS := -ljansson $(if $(CURL),-lcurl)
$(B)/plugins/avro/registry.o: ALL_CFLAGS += $(if $(CURL),-DLEAT_CURL)
