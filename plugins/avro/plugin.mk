# Schemas come from a registry by HTTP only if libcurl is installed.
CURL := $(shell $(PKG_CONFIG) --exists libcurl 2>/dev/null && echo yes)
LIBS := -ljansson -lisal $(if $(CURL),-lcurl)
$(B)/plugins/common/registry/registry.o: ALL_CFLAGS += $(if $(CURL),-DLEAT_CURL)
