# Requests are sent by libcurl; without it the stage is there and says what is missing.
CURL := $(shell pkg-config --exists libcurl 2>/dev/null && echo yes)
LIBS := $(if $(CURL),-lcurl)
$(B)/plugins/http/post.o: ALL_CFLAGS += $(if $(CURL),-DLEAT_CURL)
