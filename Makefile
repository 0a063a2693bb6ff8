# SPDX-License-Identifier: GPL-2.0-only
# The targets for people; the module's own list of objects is in Kbuild.

# A tree that may not be written to is built in the cache.
O ?= $(if $(shell test -w . && echo yes),build,$(shell \
	. selftests/vm/lib.sh && tree_out "$$PWD"))
override O := $(abspath $(O))
KDIR ?= /lib/modules/$(shell uname -r)/build
PREFIX ?= /usr/local
DESTDIR ?=
VERSION := $(shell cat VERSION)
V ?= 0
export O PREFIX DESTDIR V WERROR

# The kernel's make would take our O for its own.
MAKEOVERRIDES :=
MAKEFLAGS += --no-print-directory
Q := $(if $(filter 1,$(V)),,@)

# The kernel's own make says another release in some distributions' headers.
utsrelease := $(KDIR)/include/generated/utsrelease.h
release := $(shell sed -n 's/^.define UTS_RELEASE "\(.*\)"/\1/p' \
	$(utsrelease) 2>/dev/null)
asked := $(filter-out file undefined,$(origin KDIR))
no_kernel := $(if $(release),,$(if $(wildcard $(KDIR)/.),there is no \
	$(utsrelease): name with KDIR= the directory in which a kernel was \
	built,there are no kernel headers in $(KDIR)$(if $(asked),,: install \
	linux-headers-$(shell uname -r) or name others with KDIR=)))
built := the library and the commands

# What needs no kernel comes first, and is there whatever becomes of the module.
# Without headers that is all of it, unless KDIR asks for a kernel.
.PHONY: all
all:	## the library, the commands, and the module if there are kernel headers
	@$(MAKE) lib prof profil
ifneq ($(release),)
	@$(MAKE) module || { printf '\n%s\n%s\n' 'Built: $(built), in $(O)/lib.' \
		'Not built: the module, see above.' >&2; exit 1; }
	@echo 'Built: $(built), in $(O)/lib;' \
		'the module for $(release), in $(O)/module.'
else
	@printf '%s\n' 'Built: $(built), in $(O)/lib.' \
		'Not built: the module, because $(no_kernel).' \
		'Then: make module' $(if $(asked),>&2; exit 1)
endif

.PHONY: help
help:	## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | \
		expand -t 16
	@echo
	@echo 'O=DIR           where all of it is built (build)'
	@echo 'V=1             show whole commands'
	@echo 'WERROR=1        take a compiler warning for an error'
	@echo 'KDIR=DIR        the kernel to build the module for (the running one)'
	@echo 'MODULE_CC=gcc   a compiler for the module, if not the one of its kernel'
	@echo 'PREFIX=DIR      where the library goes (/usr/local)'
	@echo 'INSTALL_MOD_STRIP=  install the module with its debug information'
	@echo 'DESTDIR=DIR     a root to install below'
	@echo 'KSRC=DIR        a kernel tree, for the headers of the tests'
	@echo 'CHECK_CPUS="1 2 4"  numbers of CPUs that check-all boots with (2)'
	@echo 'CHECK_KERNELS="6.12"  more kernels for check-all (the oldest to the newest)'
	@echo 'CHECK_OPTIONS=--debug  more for the runner, see selftests/vm/run --help'
	@echo 'TESTS="A B"     the tests that check runs in guests (all)'

kbuild = $(MAKE) -C $(KDIR) M=$(O)/module V=$(V) \
	$(if $(MODULE_CC),CC=$(MODULE_CC))
# In a copy, because the kernel's make builds next to the sources.
.PHONY: module
module:	## the module, for the kernel in KDIR
	@$(if $(release),,echo 'The module is not built, because $(no_kernel).' >&2; exit 1)
	$(Q)mkdir -p $(O)/module
	$(Q)cp -Ru --preserve=timestamps --remove-destination \
		Kbuild VERSION module uapi $(O)/module
	$(Q)$(kbuild) modules

.PHONY: lib
lib:	## the library
	$(Q)$(MAKE) -C lib O=$(O)/lib

.PHONY: prof
prof:	## the report of mon.out and gmon.out
	$(Q)$(MAKE) -C lib O=$(O)/lib prof

.PHONY: profil
profil:	## the command that records and reports any program
	$(Q)$(MAKE) -C lib O=$(O)/lib profil

.PHONY: profil-static
profil-static:	## the same as one file that needs no other, for a container
	$(Q)$(MAKE) -C tools/profil O=$(O)/lib/tools static
	@echo 'Built: $(O)/lib/tools/profil-static'

.PHONY: selftests
selftests:	## the test programs
	$(Q)$(MAKE) -C selftests O=$(O)/selftests

$(O)/selftests/%: FORCE
	$(Q)$(MAKE) -C selftests O=$(O)/selftests $@

.PHONY: check
check:	## the quick tests, on this machine and in one guest: five minutes
	selftests/check --quick

.PHONY: check-all
check-all:	## all tests, on this machine and in guests: an hour
	selftests/check

.PHONY: check-cpus
check-cpus:	## all tests with 1, 2 and 4 CPUs, with highres timers and without
	CHECK_CPUS="1 2 4" selftests/check --boots
	CHECK_CPUS="1 2 4" CHECK_OPTIONS="--append highres=off" selftests/check --boots

.PHONY: check-debug
check-debug:	## all tests on kernels that check everything: some hours
	selftests/check-debug

.PHONY: fuzz
fuzz:	## the fuzzer, with every detector on, for SECONDS=60; SEED=N repeats
	FUZZ_SECONDS=$(or $(SECONDS),60) selftests/long fuzz

.PHONY: fuzz-prof
fuzz-prof:	## hostile files for prof, new ones for SECONDS=60
	selftests/damaged/run $(or $(SECONDS),60)

.PHONY: soak
soak:	## processes that come and go, and the fuzzer, for SECONDS=3600
	SOAK_SECONDS=$(or $(SECONDS),3600) selftests/long soak

.PHONY: many
many:	## 100,000 execs and sets, a million threads, 1,000 loads; a tenth with TIMES=50
	MANY=$(or $(TIMES),500) selftests/long many

.PHONY: coverage
coverage:	## which lines of the module the tests reach; COVERAGE=quick: those of check
	selftests/coverage

.PHONY: check-matrix
check-matrix:	## all tests on every kernel that Debian has headers of
	selftests/check-matrix

.PHONY: check-real
check-real:	## profil run on Debian's programs, with perf beside it
	selftests/check-real

.PHONY: check-hour
check-hour:	## profil top and the unit beside PostgreSQL, for SECONDS=3600
	selftests/check-hour $(or $(SECONDS),3600)

.PHONY: check-packages
check-packages:	## Debian's packages and DKMS, in fresh systems of two releases
	selftests/check-packages

.PHONY: lint
lint:	## checkpatch, sparse, coccinelle, shellcheck, warnings
	selftests/lint

.PHONY: demo
demo:	## see it work, in a guest
	demo/run

.PHONY: bench
bench:	## what it costs beside what others cost, into bench/results
	bench/run
	bench/observed
	bench/fair

INSTALL_MOD_PATH ?= $(DESTDIR)
INSTALL_MOD_STRIP ?= 1
installed := $(built), with their headers and manual pages

# All is built before any of it is installed.
.PHONY: install
install: all	## what all builds, and the manual pages
	@$(MAKE) install-lib
ifneq ($(release),)
	@$(MAKE) install-module || { printf '\n%s\n%s\n' \
		'Installed: $(installed).' \
		'Not installed, or not all of it: the module, see above.' >&2; exit 1; }
	@echo 'Installed: $(installed); the module for $(release).'
else
	@printf '%s\n' 'Installed: $(installed).' \
		'Not installed: the module, because $(no_kernel).' \
		'Then: make install-module'
endif

sbin := PATH=$$PATH:/usr/sbin:/sbin
.PHONY: install-lib
install-lib: lib prof profil	## the library, the commands, their manual pages: no kernel is needed
	@$(MAKE) -C lib O=$(O)/lib install
	$(if $(DESTDIR),,@test "$$(id -u)" != 0 || $(sbin) ldconfig)

# Not compressed, because that takes a program of its own (xz, for Debian 13),
# and modprobe loads both.
plain := $(foreach by,GZIP XZ ZSTD,CONFIG_MODULE_COMPRESS_$(by)=)
# A distribution keeps the key of its kernel to itself.
sig_key := $(filter-out /% pkcs11:%,$(shell sed -n \
	's/^CONFIG_MODULE_SIG_KEY="*\([^"]*\).*/\1/p' \
	$(KDIR)/include/config/auto.conf 2>/dev/null))
unsigned := $(if $(sig_key),$(if $(wildcard $(KDIR)/$(sig_key)),,CONFIG_MODULE_SIG_ALL=))
# Debian's headers have no System.map, for which the kernel's make warns.
no_depmod := quiet_cmd_depmod= cmd_depmod=:
.PHONY: install-module
install-module: module	## the module, and what goes with it
	$(Q)$(kbuild) KERNELRELEASE=$(release) $(plain) $(unsigned) \
		INSTALL_MOD_PATH=$(INSTALL_MOD_PATH) INSTALL_MOD_DIR=updates \
		INSTALL_MOD_STRIP=$(INSTALL_MOD_STRIP) $(no_depmod) modules_install
	$(if $(DESTDIR)$(INSTALL_MOD_PATH),,@echo '  DEPMOD  $(release)'; \
		$(sbin) depmod $(release))
	@$(MAKE) install-system

# Where udev and systemd look for what is not the distribution's, so that /etc
# stays the administrator's.
system := $(DESTDIR)$(if $(filter /usr /usr/local,$(PREFIX)),$(PREFIX)/lib,/etc)
man4 := $(DESTDIR)$(PREFIX)/share/man/man4
.PHONY: install-system
install-system:	## profil(4), the files for udev and the boot
	$(Q)install -Dm 644 -t $(man4) man/*.4
	$(Q)install -Dm 644 -t $(system)/udev/rules.d packaging/60-profil.rules
	$(Q)install -Dm 644 -t $(system)/modules-load.d packaging/profil.conf

system-files = $(foreach page,$(notdir $(wildcard man/*.4)),\
	$(wildcard $(man4)/$(page) $(man4)/$(page).gz)) \
	$(system)/udev/rules.d/60-profil.rules \
	$(system)/modules-load.d/profil.conf
# DKMS's are one directory below.
modules = $(wildcard $(INSTALL_MOD_PATH)/lib/modules/*/updates/profil.ko \
	$(INSTALL_MOD_PATH)/lib/modules/*/updates/profil.ko.[gxz]*)
releases = $(patsubst $(INSTALL_MOD_PATH)/lib/modules/%/updates/,%,\
	$(sort $(dir $(modules))))
.PHONY: uninstall
uninstall:	## what install put there, for every kernel; nothing is built
	@$(MAKE) -C lib uninstall
	@rm -fv $(system-files) $(modules)
	$(if $(DESTDIR)$(INSTALL_MOD_PATH),,@$(sbin); for release in $(releases); do \
		depmod $$release || :; done)
	$(if $(DESTDIR),,@test "$$(id -u)" != 0 || $(sbin) ldconfig)
	$(if $(DESTDIR),,@test ! -d /sys/module/profil || \
		echo 'The module is still loaded: sudo modprobe -r profil takes it out')

dkms := $(DESTDIR)/usr/src/profil-$(VERSION)
.PHONY: dkms-source
dkms-source:	## the source where DKMS looks for it, and no more
	install -d $(dkms)
	cp -R Kbuild VERSION module uapi $(dkms)
	sed 's/@VERSION@/$(VERSION)/' dkms.conf >$(dkms)/dkms.conf

.PHONY: dkms-install
dkms-install:	## the module, built anew for each kernel (dkms)
	$(MAKE) dkms-uninstall
	$(MAKE) dkms-source install-system
	dkms install profil/$(VERSION)

.PHONY: dkms-uninstall
dkms-uninstall:	## what dkms-install put there
	@command -v dkms >/dev/null || { echo "There is no dkms: install it" >&2; \
		exit 1; }
	test ! -e /var/lib/dkms/profil/$(VERSION) || \
		dkms remove profil/$(VERSION) --all
	rm -rf $(dkms) $(system-files)

# What git has, or all of an unpacked one; the times are those of the last
# change, so that the same tree gives the same bytes.
dist-name := profil-$(VERSION)
dist-files = $(if $(wildcard .git),git ls-files,find . -path ./build -prune \
	-o ! -type d -print | sed 's,^\./,,')
dist-time = $(or $(SOURCE_DATE_EPOCH),$(if $(wildcard .git),$(shell \
	git log -1 --format=%ct),$(shell stat -c %Y VERSION)))
.PHONY: dist
dist:	## the source as profil-VERSION.tar.gz
	@mkdir -p $(O)
	@$(dist-files) | LC_ALL=C sort | tar --create --format=ustar \
		--owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
		--mtime=@$(dist-time) --transform='s,^,$(dist-name)/,S' \
		--files-from=- | gzip -n9 >$(O)/$(dist-name).tar.gz.new
	@mv $(O)/$(dist-name).tar.gz.new $(O)/$(dist-name).tar.gz
	@echo $(O)/$(dist-name).tar.gz

.PHONY: clean
clean:	## remove what was built
	rm -rf $(O)

.PHONY: FORCE
FORCE:
