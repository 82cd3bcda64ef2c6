# libcurl sends the requests. Without it the stage exists, and reports that it needs libcurl.
CURL := $(shell $(PKG_CONFIG) --exists libcurl 2>/dev/null && echo yes)
LIBS := $(if $(CURL),-lcurl)
$(B)/plugins/http/post.o: ALL_CFLAGS += $(if $(CURL),-DLEAT_CURL)
