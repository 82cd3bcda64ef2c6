# make: builds mystage.so. make test: tests it. make install: installs it for this user's leat.
LEAT   ?= leat
CFLAGS ?= -O2 -g
CXXFLAGS ?= -O2 -g
LIBS   := $(shell grep -ho 'include <sqlite3' $(wildcard mystage.c mystage.cpp) | sed 's/.*/-lsqlite3/')
HEADERS ?= $(shell PKG_CONFIG_PATH="$(PKG_CONFIG_PATH):$$(dirname "$$(command -v $(LEAT))")/../lib/pkgconfig" pkg-config --cflags leat 2>/dev/null || echo none)
MISSING := leat/plugin.h is not found: install leat and pkg-config, or say where it is: make PKG_CONFIG_PATH=PREFIX/lib/pkgconfig, or of its sources make HEADERS=-ISOURCES/runtime/include LEAT=SOURCES/build/leat
FLAGS  := -Wall -Wextra -shared -fPIC -fvisibility=hidden $(filter-out none,$(HEADERS))
HERE   := $(or $(XDG_DATA_HOME),$(HOME)/.local/share)/leat/plugins

mystage.so: $(wildcard mystage.c mystage.cpp)
	$(if $(filter none,$(HEADERS)),$(error $(MISSING)))
	$(if $(filter %.cpp,$<),$(CXX) -std=c++20 -Wno-missing-field-initializers $(CXXFLAGS),$(CC) -std=c11 -D_GNU_SOURCE $(CFLAGS)) $(FLAGS) -o $@.new $< $(LIBS)
	mv $@.new $@

test: mystage.so
	LEAT=$(LEAT) ./test.sh

install: mystage.so
	install -D -m 644 mystage.so $(HERE)/mystage.so

clean:
	rm -f mystage.so

.PHONY: test install clean
