# leat: one file, no recursion. `make help` lists the targets.
#   SAN=address,undefined   another build, with a sanitizer                T=awm   one test program
#   WERROR=1                warnings are errors (CI)                       PREFIX= where to install
#   CHECKS=1                another build, whose kernels check their invariants after every update (slow)
#   CROSS=aarch64-linux-gnu another build, for another kind of machine, by CROSS-gcc and the libraries of CROSS
#   SYSROOT=FOLDER          where these libraries are, as of tests/support/cross_root.sh (/)

comma   := ,
PREFIX  ?= /usr/local
CC      ?= cc
CXX     ?= g++
ifdef CROSS
CC      := $(CROSS)-gcc $(addprefix --sysroot=,$(SYSROOT))
CXX     := $(CROSS)-g++ $(addprefix --sysroot=,$(SYSROOT))
endif
OF_CROSS := PKG_CONFIG_SYSROOT_DIR=$(SYSROOT) PKG_CONFIG_LIBDIR=$(SYSROOT)/usr/lib/$(CROSS)/pkgconfig
PKG_CONFIG ?= $(if $(CROSS),$(OF_CROSS) )pkg-config
VERSION := $(shell sed -n 's/^.define LEAT_VERSION "\(.*\)"/\1/p' runtime/core/version.h)
B       := build/$(if $(SAN),$(subst $(comma),-,$(SAN)),release)$(if $(CHECKS),-checks)$(addprefix -,$(CROSS))

CFLAGS   ?= -O2 -g
# Conversions of numbers too large for an integer type are undefined, but `undefined` does not include them.
CASTS    := $(if $(findstring undefined,$(SAN)),$(comma)float-cast-overflow)
OPT      := $(if $(SAN),-O1 -g -fno-omit-frame-pointer -fsanitize=$(SAN)$(CASTS) -fno-sanitize-recover=undefined$(CASTS),)
# Functions in tables of calls do not use every parameter.
WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion \
            -Wdouble-promotion -Wvla -Wundef -Wno-unused-parameter $(if $(WERROR),-Werror)
# clang takes the constants of enums and of math.h for numbers that are converted by mistake.
WARN     += $(if $(findstring clang,$(shell $(CC) --version)),-Wno-enum-float-conversion -Wno-double-promotion)
# All builds compute equal bits: no contraction into fused multiply-add, no fast-math.
# C11 allows a machine to compute floats as doubles, and s390x does. It must not.
FLOATS   := $(if $(findstring s390x,$(CROSS)),-fexcess-precision=fast)
ALL_CFLAGS := -std=c11 -D_GNU_SOURCE $(if $(CHECKS),-DLEAT_CHECKS) -fPIC -pthread -fvisibility=hidden -ffp-contract=off $(FLOATS) -fno-math-errno \
              $(WARN) -Iruntime/include -Iruntime -Iplugins -Itests -I$(B)/docs $(CFLAGS) $(OPT)
LINK     := $(CC) -pthread $(OPT)
# C++ is for plugins with a C++ library. It uses no exceptions, and only what the linker finds of the standard library.
CXXFLAGS ?= $(CFLAGS)
ALL_CXXFLAGS := -std=c++17 -fPIC -pthread -fvisibility=hidden -ffp-contract=off -fno-exceptions -fno-rtti -Wall -Wextra \
              -Wshadow -Wundef $(if $(WERROR),-Werror) -Iruntime/include -Iruntime -Iplugins $(CXXFLAGS) $(OPT)

LUA_CFLAGS := $(shell $(PKG_CONFIG) --cflags lua5.4 2>/dev/null)
LUA_LIBS   := $(shell $(PKG_CONFIG) --libs lua5.4 2>/dev/null || echo -llua5.4)
# Further libraries of the command.
HOST_LIBS  := -ljansson -lmicrohttpd

# Dense linear algebra, an oracle of tests. Programs that do not need it do not load it.
LINALG := -Wl,--as-needed -llapacke -lopenblas
TEST_LIBS  = $(LUA_LIBS) $(HOST_LIBS) -lcheck -lsubunit -lutf8proc $(LINALG) -lrt -ldl -lm

# Folders of a tree, their C files, and the objects. Templates are files of the product, and are not compiled.
folders   = $(shell find $(1) -name templates -prune -o -type d -print)
sources   = $(wildcard $(addsuffix /*.c,$(call folders,$(1))))
objects   = $(patsubst %.c,$(B)/%.o,$(call sources,$(1)))

KERNELS  := $(call objects,plugins/kernels)
COMMON   := $(call objects,plugins/common)
CORE     := $(call objects,runtime/core)
RUNTIME  := $(filter-out $(B)/runtime/program/cli/main.o,$(call objects,runtime))
# A folder with a plugin.c is a plugin, including its subfolders. LIBS in its plugin.mk has its libraries.
PLUGINS  := $(patsubst plugins/%/plugin.c,%,$(filter %/plugin.c,$(call sources,plugins)))
so        = $(B)/lib/leat/plugins/$(subst /,_,$(1)).so
SOS      := $(foreach p,$(PLUGINS),$(call so,$(p)))
include plugins/parquet/reader.mk
# <leat/harness.h> and the rooms that it needs. A test links only the objects that it uses.
HARNESS  := $(CORE) $(foreach room,sdk/harness host/log host/memory host/store host/plugin host/params host/graph host/flow,$(call objects,runtime/$(room)))
TESTS    := $(patsubst tests/%.c,$(B)/tests/%,$(filter tests/kernel/% tests/unit/% tests/stage/%,$(call sources,tests)))
BENCHES  := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/bench/*.c))
SUPPORT  := $(patsubst %.c,$(B)/%.o,$(wildcard tests/support/*.c))
PRELOADS := $(patsubst tests/support/preload/%.c,$(B)/tests/preload/%.so,$(wildcard tests/support/preload/*.c))
PROGRAMS := $(patsubst tests/support/programs/%.c,$(B)/tests/programs/%,$(wildcard tests/support/programs/*.c))
FIXTURES := $(PRELOADS) $(PROGRAMS) $(B)/tests/bench/new_names \
            $(patsubst tests/support/plugins/%.c,$(B)/tests/plugins/%.so,$(wildcard tests/support/plugins/*.c))

# The plugins built here and their stages, for the registry. It loads them when they are needed, after the plugins of
# others in their folder. A plugin.c lists its stages as &sink_top, which is sink.top.
OWN      := $(B)/docs/own_plugins.h

# Texts of stages: NAME.md next to the code becomes NAME_doc in a header of its folder. NAME.css and NAME.html become
# NAME_css and NAME_html.
TEXTS    := $(shell find plugins runtime -name templates -prune -o \( -name '*.md' -o -name '*.css' -o -name '*.html' \) -print)
DOCS     := $(patsubst plugins/%,$(B)/docs/%docs.h,$(patsubst runtime/%,plugins/%,$(sort $(dir $(TEXTS))))) $(OWN)

# ThreadSanitizer knows only pthreads and longjmp. librdkafka makes threads by threads.h, and Lua jumps by __longjmp_chk.
TSAN     := $(if $(findstring thread,$(SAN)),$(patsubst %.c,$(B)/%.o,$(wildcard tests/support/tsan/*.c)))

.DEFAULT_GOAL := all
.SECONDARY:
.PHONY: malloc mutants random all parts demo test test-long tests fixtures test-kafka test-cross test-machines bench asan tsan lint hooks flags tidy fmt docs dist deb install uninstall deps clean help crash fuzz

all: parts build/leat ## build the command and every plugin
parts: $(B)/bin/leat $(SOS) $(READERS) $(B)/share/leat/lua $(B)/share/leat/templates $(B)/lib/libleat-harness.a

# Builds with all processors, unless -j is on the command line.
PARALLEL  = --no-print-directory -s $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

demo: deps ## install what is missing, build, explain the outliers of the bundled data
	@$(MAKE) $(PARALLEL) all
	@build/leat explain

# Targets that the tests of SETS, TIER and T need, and the run of these tests.
needs     = all fixtures $$(B=$(B) $(1) tests/run.sh -n '$(T)' | grep '^$(B)/')
run_tests = B=$(B) $(1) tests/run.sh '$(T)'
SHORT    := TIER=$(if $(T),all,short)
LONG     := TIER=long SETS="$$kafka lint system kernel unit stage"

test: deps ## install what is missing, build, run the short tests (T=name: all tests with it in their path)
	@$(MAKE) $(PARALLEL) $(call needs,$(SHORT))
	@$(call run_tests,$(SHORT))

test-long: deps ## what `make test` leaves out, lint, and the tests against Apache Kafka where mvn and java are
	@! tests/support/kafka/broker.sh check || { kafka=kafka; tests/support/kafka/broker.sh fetch & }; \
	$(MAKE) $(PARALLEL) $(call needs,$(LONG)) && { [ -z "$$kafka" ] || wait $$! || kafka=; } && \
	$(call run_tests,$(LONG))

tests: all $(TESTS) fixtures ## build all tests
fixtures: $(FIXTURES)

test-kafka: deps ## the tests against Apache Kafka, which mvn gets; needs mvn and java
	@! tests/support/kafka/broker.sh check || \
	{ $(MAKE) $(PARALLEL) $(call needs,SETS=kafka) && $(call run_tests,SETS=kafka); }

test-engines: deps ## many.md's scripts on PySpark, Kafka and GNU parallel, from PyPI, Maven and Debian; FLIGHTS=flights-3m.csv
	@! tests/support/kafka/broker.sh check || { $(MAKE) $(PARALLEL) $(call needs,SETS=engines) && rm -f build/engines.tsv && \
	JOBS=1 $(call run_tests,SETS=engines) && column -t -s '	' build/engines.tsv; }

test-cross: tests ## tests of another machine's kernels, units, stages, states: CROSS=aarch64-linux-gnu RUN="qemu-aarch64 -L /"
	@B=$(B) RUN='$(RUN)' SETS="kernel unit stage" tests/run.sh '$(T)'
	@OTHER='$(RUN) $(CURDIR)/$(B)/bin/leat' bash tests/system/machines.sh

test-machines: all ## the same bytes on processors, by clang, and by CROSS=aarch64-linux-gnu RUN="qemu-aarch64 -L /"
	@$(MAKE) $(PARALLEL) CROSS= CC=clang CXX=clang++ B=build/release-clang parts
	@OTHER='$(RUN) $(CURDIR)/$(B)/bin/leat' LEAT=$(CURDIR)/build/release/bin/leat bash tests/system/machines.sh

asan: ## the whole test suite under AddressSanitizer and UBSan
	@$(MAKE) $(PARALLEL) SAN=address,undefined T=$(or $(T),.) test

tsan: ## the whole test suite under ThreadSanitizer
	@$(MAKE) $(PARALLEL) SAN=thread T=$(or $(T),.) test

bench: all $(BENCHES) ## measure (tests/bench/README.md); writes to the terminal
	@B=$(B) tests/bench/run.sh

.PHONY: bench-peers bench-stages results map
bench-peers: all fixtures ## leat beside DuckDB, Polars, chDB, Vowpal Wabbit, mawk, Kafka Streams: ROWS (1000000), RUNS (5)
	@B=$(B) tests/bench/peers.sh
	@[ -n "$$WORKS" ] || B=$(B) tests/bench/kafka_streams.sh

bench-stages: all $(B)/tests/bench/bench_limits ## write tests/bench/STAGES.md, what each stage costs; needs valgrind, some 15 minutes
	@B=$(B) tests/bench/stages.sh >$(B)/STAGES.md && mv $(B)/STAGES.md tests/bench

results: ## write tests/bench/RESULTS.md from results.tsv
	@tests/bench/results.sh >tests/bench/RESULTS.md

map: ## print what each file of runtime, plugins, lua is for
	@tests/support/map.sh

crash: all ## kill runs with --state at KILLS (default 100) random moments and at every fault point
	@B=$(B) SETS=crash LIMIT=7200 tests/run.sh crash/crash

malloc: tests ## let each allocation of a command fail once: pipelines of all kinds of stages, and what reads models
	@B=$(B) SETS=crash LIMIT=36000 tests/run.sh crash/malloc

mutants: tests ## MUTANTS (100) kernels with one token changed, drawn by SEED (1): which of them does no test notice?
	@B=$(B) COMPILE='$(CC) $(subst ',,$(ALL_CFLAGS))' LINK='$(LINK)' LIBS='$(TEST_LIBS)' tests/mutants/run.sh '$(T)'

random: all ## run pipelines, and read Parquet tables, made at random for SECONDS_MAX (default 60) from SEED
	@B=$(B) SETS=crash LIMIT=36000 tests/run.sh 'crash/(random|parquet)'

fuzz: $(DOCS) $(B)/lib/libleat-harness.a ## fuzz the readers of outside bytes for FUZZ_SECONDS (default 30) each; needs clang
	@B=$(B) tests/fuzz/run.sh

deps: ## install what is missing with apt (says what it does); RDKAFKA=2.14.2: also get that librdkafka; PARQUET=26.0.1: Arrow's
	@tests/support/deps.sh
	$(if $(RDKAFKA),@tests/support/rdkafka.sh '$(RDKAFKA)')
	$(if $(PARQUET),@tests/support/parquet.sh '$(PARQUET)')

docs: all ## write docs/stages.md from the stages' own declarations
	@build/leat plugins --markdown > docs/stages.md

lint: all ## who may include whom, circles, names and lengths, clang, clang-format, cppcheck, shellcheck
	@B=$(B) SETS=lint tests/run.sh '$(T)'

hooks: ## let git refuse subjects of commits over 60 characters, and what lint refuses in the root
	@install -m 755 tests/support/commit_msg.sh "$$(git rev-parse --git-path hooks)/commit-msg"

compile_commands.json: | $(DOCS) ## for editors and clang-tidy: how each file is compiled
	@{ echo '['; for file in $$(git ls-files 'runtime/*.c' 'plugins/*.c' 'tests/*.c' ':!*/templates/*'); do \
	    printf '%s{"directory": "%s", "file": "%s", "command": "%s -c %s"}' "$$comma" '$(CURDIR)' "$$file" \
	      '$(CC) $(subst ",\",$(ALL_CFLAGS)) $(LUA_CFLAGS)' "$$file"; comma=",$$(printf '\nX')"; comma=$${comma%X}; done; printf '\n]\n'; } > $@

flags: $(DOCS) # prints how C files are compiled
	@echo '$(ALL_CFLAGS) $(LUA_CFLAGS)'

tidy: compile_commands.json $(DOCS) ## clang-tidy over runtime and plugins (.clang-tidy)
	@clang-tidy --quiet -p . $$(git ls-files 'runtime/*.c' 'plugins/*.c' ':!*/templates/*')

fmt: ## format every C and C++ file in place
	@clang-format -i $$(git ls-files '*.c' '*.h' '*.cpp')

# Folders of the installed files, below PREFIX.
SHARE    := $(DESTDIR)$(PREFIX)/share/leat
INCLUDE  := $(DESTDIR)$(PREFIX)/include/leat
LIBDIR   := $(DESTDIR)$(PREFIX)/lib
DOCDIR   := $(DESTDIR)$(PREFIX)/share/doc/leat
MAN      := $(DESTDIR)$(PREFIX)/share/man/man1
BASH     := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSH      := $(DESTDIR)$(PREFIX)/share/zsh/vendor-completions
install: all ## install under PREFIX: command, plugins, headers, pipelines with the demo's data, documents, completion
	install -d $(DESTDIR)$(PREFIX)/bin $(LIBDIR)/leat/plugins $(LIBDIR)/pkgconfig $(INCLUDE) $(SHARE)/lua $(DOCDIR) $(MAN) $(BASH) $(ZSH)
	install -m 755 $(B)/bin/leat $(DESTDIR)$(PREFIX)/bin/leat
	install -m 644 $(SOS) $(LIBDIR)/leat/plugins
	$(if $(READERS),install -d $(LIBDIR)/leat/readers && install -m 644 $(READERS) $(LIBDIR)/leat/readers)
	install -m 644 runtime/include/leat/*.h $(INCLUDE)
	install -m 644 $(B)/lib/libleat-harness.a $(LIBDIR)
	cp -R lua/leat $(SHARE)/lua
	cp -R runtime/sdk/templates $(SHARE)
	cp -R pipelines $(SHARE)
	$(B)/bin/leat plugins --lua > $(SHARE)/annotations.lua
	$(B)/bin/leat completion bash > $(BASH)/leat
	$(B)/bin/leat completion zsh > $(ZSH)/_leat
	docs/package/man.sh $(B)/bin/leat $(MAN)
	cp -R README.md CHANGELOG.md LICENSE docs/. $(DOCDIR)
	rm -rf $(DOCDIR)/package
	chmod -R u=rwX,go=rX $(SHARE) $(DOCDIR)
	printf 'prefix=%s\nincludedir=$${prefix}/include\nplugindir=$${prefix}/lib/leat/plugins\n\nName: leat\nDescription: stage plugins for leat\nVersion: %s\nCflags: -I$${includedir}\n' \
	  '$(PREFIX)' '$(VERSION)' > $(LIBDIR)/pkgconfig/leat.pc
	printf 'prefix=%s\nlibdir=$${prefix}/lib\n\nName: leat-harness\nDescription: tests of stage plugins for leat\nVersion: %s\nRequires: leat\nLibs: -L$${libdir} -lleat-harness -ldl -lm\n' \
	  '$(PREFIX)' '$(VERSION)' > $(LIBDIR)/pkgconfig/leat-harness.pc

uninstall: ## remove what install put under PREFIX; plugins of others in lib/leat/plugins stay
	rm -f $(DESTDIR)$(PREFIX)/bin/leat $(addprefix $(LIBDIR)/leat/plugins/,$(notdir $(SOS))) $(LIBDIR)/pkgconfig/leat.pc
	rm -f $(LIBDIR)/pkgconfig/leat-harness.pc $(LIBDIR)/libleat-harness.a
	rm -f $(MAN)/leat.1 $(MAN)/leat-*.1 $(BASH)/leat $(ZSH)/_leat
	rm -rf $(INCLUDE) $(SHARE) $(DOCDIR)
	rm -rf $(LIBDIR)/leat/readers
	-rmdir $(LIBDIR)/leat/plugins $(LIBDIR)/leat 2>/dev/null || true

dist: ## the source of the last commit: build/leat-VERSION.tar.gz
	@mkdir -p build
	git archive --format=tar --prefix=leat-$(VERSION)/ HEAD | gzip -9n > build/leat-$(VERSION).tar.gz

deb: all ## a Debian package: build/leat_VERSION-1_ARCHITECTURE.deb; needs dpkg-dev
	+docs/package/deb.sh build

clean: ## remove build/
	rm -rf build

help: ## this list
	@awk -F':.*## ' '/^[a-z_.-]+:.*## /{printf "%-22s %s\n",$$1,$$2}' Makefile

build/leat: $(B)/bin/leat
	@ln -sfn $(B:build/%=%)/bin/leat $@

$(B)/share/leat/lua:
	@mkdir -p $(@D) && ln -sfn $(CURDIR)/lua $@

$(B)/share/leat/templates:
	@mkdir -p $(@D) && ln -sfn $(CURDIR)/runtime/sdk/templates $@

$(B)/bin/leat: $(B)/runtime/program/cli/main.o $(RUNTIME) $(TSAN)
	@mkdir -p $(@D)
	@echo "  LINK $@"
	@$(LINK) $(if $(TSAN),-rdynamic) -o $@ $^ $(LUA_LIBS) $(HOST_LIBS) -ldl -lm

ARCHIVES := $(B)/libcommon.a $(B)/libkernels.a $(B)/libcore.a
$(B)/libkernels.a: $(KERNELS)
$(B)/libruntime.a: $(RUNTIME)
$(B)/libtests.a: $(SUPPORT)
$(B)/libcommon.a: $(COMMON)
$(B)/libcore.a: $(CORE)
$(B)/lib/libleat-harness.a: $(HARNESS) Makefile
$(ARCHIVES) $(B)/libruntime.a $(B)/libtests.a $(B)/lib/libleat-harness.a:
	@mkdir -p $(@D) && rm -f $@ && ar rcs $@ $(filter %.o,$^)

# Archives exist only while something is linked. needs.awk finds the objects whose change needs a new link.
$(shell mkdir -p $(B) && find runtime plugins tests -name '*.[ch]' -o -name '*.cpp' | awk -v B=$(B) -f tests/support/needs.awk >$(B)/needs.mk)
include $(B)/needs.mk

# A plugin must not use symbols of the host; -z defs proves it.
define plugin_rule
LIBS :=
-include plugins/$(1)/plugin.mk
$(call so,$(1)): LIBS := $$(LIBS)
$(call so,$(1)): OBJECTS := $(patsubst plugins/%,$(B)/plugins/%.o,$(basename $(wildcard plugins/$(1)/*.c plugins/$(1)/*/*.c plugins/$(1)/*.cpp)))
$(call so,$(1)): $(patsubst plugins/%,$(B)/plugins/%.o,$(basename $(wildcard plugins/$(1)/*.c plugins/$(1)/*/*.c plugins/$(1)/*.cpp))) | $(ARCHIVES)
	@mkdir -p $$(@D)
	@echo "  LINK $$@"
	@$$(LINK) -shared $(if $(SAN),,-Wl$(comma)-z$(comma)defs) -o $$@ $$(OBJECTS) $(ARCHIVES) $$(LIBS) -lm
endef
$(foreach p,$(PLUGINS),$(eval $(call plugin_rule,$(p))))

$(B)/tests/plugins/%.so: $(B)/tests/support/plugins/%.o
	@mkdir -p $(@D)
	@echo "  LINK $@"
	@$(LINK) -shared -o $@ $^ $(PLUGIN_LIBS)
$(B)/tests/plugins/rows.so: PLUGIN_LIBS := -lsqlite3

$(B)/tests/programs/%: $(B)/tests/support/programs/%.o $(TSAN)
	@mkdir -p $(@D)
	@echo "  LINK $@"
	@$(LINK) $(if $(TSAN),-rdynamic) -o $@ $^ -lrdkafka

$(B)/tests/programs/forge_snapshot: $(B)/tests/support/programs/forge_snapshot.o $(B)/libruntime.a $(TSAN)
	@mkdir -p $(@D)
	@echo "  LINK $@"
	@$(LINK) -Wl,--wrap=model_accept -o $@ $^ $(LUA_LIBS) $(HOST_LIBS) -lutf8proc -lrt -ldl -lm

$(B)/tests/preload/%.so: $(B)/tests/support/preload/%.o
	@mkdir -p $(@D)
	@echo "  LINK $@"
	@$(LINK) -shared -o $@ $^

$(B)/tests/bench/%: $(B)/tests/bench/%.o $(B)/libtests.a $(B)/libkernels.a $(B)/libruntime.a
	@mkdir -p $(@D)
	@echo "  LINK $@"
	@$(LINK) -o $@ $^ $(TEST_LIBS)

# gold links a test in a third of the time. Not all systems have it.
FAST_LD  := $(if $(SAN),,$(if $(shell command -v ld.gold),-fuse-ld=gold))
# A test links only the objects of the archives that it needs: a tenth of the whole, in a tenth of the time.
TEST_ARCHIVES := $(B)/libtests.a $(B)/libcommon.a $(B)/libkernels.a $(B)/libruntime.a
$(B)/tests/%: $(B)/tests/%.o $(TSAN) | $(TEST_ARCHIVES)
	@mkdir -p $(@D)
	@echo "  LINK $@"
	@$(LINK) $(FAST_LD) $(if $(TSAN),-rdynamic) -o $@ $@.o $(TEST_ARCHIVES) $(TSAN) $(TEST_LIBS)
$(addprefix $(B)/tests/stage/kafka/test_,answers outages partitions position): TEST_LIBS += -lrdkafka
$(B)/tests/stage/common/inputs/test_gzip: TEST_LIBS += -lisal -lbz2 -llzma -lzstd -llz4

$(OWN): $(patsubst %,plugins/%/plugin.c,$(PLUGINS)) Makefile
	@mkdir -p $(@D)
	@echo "  NAME $@"
	@{ echo '#define OWN_PLUGINS \'; $(foreach p,$(PLUGINS),printf '{"%s", "%s"}, \\\n' $(notdir $(call so,$p)) \
		"$$(grep -o '&[a-z]*_[a-z_]*' plugins/$p/plugin.c | sed 's/^&//; s/_/./' | paste -sd' ')";) echo; } > $@

$(B)/docs/%/docs.h: plugins/common/embed.sh $(TEXTS)
	@mkdir -p $(@D)
	@echo "  DOC  $@"
	@plugins/common/embed.sh $(wildcard plugins/$* runtime/$*) > $@

$(B)/runtime/%.o: ALL_CFLAGS += $(LUA_CFLAGS)
# Some systems give a thread 128 KB of stack. Sanitizers make frames larger.
FRAMES   := $(if $(SAN),,-Wframe-larger-than=36864)
$(B)/runtime/%.o $(B)/plugins/%.o: ALL_CFLAGS += $(FRAMES)
# Tests compile a third faster with -O1. Those of units and stages compute little: -O0 takes another third.
# Benchmarks measure speed, and need -O2.
$(B)/tests/%.o: ALL_CFLAGS += -O1
$(B)/tests/unit/%.o $(B)/tests/stage/%.o: ALL_CFLAGS += -O0
$(B)/tests/bench/%.o: ALL_CFLAGS += -O2
$(B)/tests/%.o: ALL_CFLAGS += $(LUA_CFLAGS) -D_mark_point=leat_mark_point -Wno-conversion -Wno-double-promotion -Wno-missing-prototypes
$(B)/%.o: %.c | $(DOCS)
	@mkdir -p $(@D)
	@echo "  CC   $<"
	@$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/%.o: %.cpp
	@mkdir -p $(@D)
	@echo "  CXX  $<"
	@$(CXX) $(ALL_CXXFLAGS) -MMD -MP -c -o $@ $<

-include $(shell find $(B) -name '*.d' 2>/dev/null)
