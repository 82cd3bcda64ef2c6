# libprotobuf reads messages and schemas. Without it the stage exists, and reports that it needs libprotobuf.
# Debian has the headers of the schemas' parser in libprotoc-dev.
CURL := $(shell $(PKG_CONFIG) --exists libcurl 2>/dev/null && echo yes)
PROTOBUF := $(wildcard $(addsuffix /google/protobuf/compiler/importer.h,$(shell $(PKG_CONFIG) --variable=includedir \
            protobuf 2>/dev/null)))
LIBS := -ljansson -lisal $(if $(CURL),-lcurl) $(if $(PROTOBUF),$(shell $(PKG_CONFIG) --libs protobuf)) \
        -Wl,--as-needed -lstdc++
$(addprefix $(B)/plugins/protobuf/,message.o schema.o): ALL_CXXFLAGS += $(if $(PROTOBUF),$(shell $(PKG_CONFIG) --cflags protobuf),\
        -DLEAT_NO_PROTOBUF)
