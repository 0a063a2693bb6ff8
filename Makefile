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
export O PREFIX DESTDIR

# The kernel's make would take our O for its own.
MAKEOVERRIDES :=

.PHONY: all
all: module lib prof	## the module, the library and prof

.PHONY: help
help:	## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | \
		expand -t 16
	@echo
	@echo 'O=DIR           where all of it is built (build)'
	@echo 'KDIR=DIR        the kernel to build the module for (the running one)'
	@echo 'PREFIX=DIR      where the library goes (/usr/local)'
	@echo 'DESTDIR=DIR     a root to install below'
	@echo 'KSRC=DIR        a kernel tree, for the headers of the tests'
	@echo 'CHECK_CPUS="1 2 4"  numbers of CPUs that check-all boots with (2)'
	@echo 'CHECK_KERNELS="6.12"  more kernels for check-all (the oldest to the newest)'
	@echo 'CHECK_OPTIONS=--debug  more for the runner, see selftests/vm/run --help'
	@echo 'TESTS="A B"     the tests that check runs in guests (all)'

# In a copy, because the kernel's make builds next to the sources.
.PHONY: module
module:	## the module, for the kernel in KDIR
	@test -e $(KDIR) || { echo "No kernel headers in $(KDIR): install\
		linux-headers-$$(uname -r), or name others with KDIR=" >&2; \
		exit 1; }
	mkdir -p $(O)/module
	cp -Ru --preserve=timestamps --remove-destination \
		Kbuild VERSION module uapi $(O)/module
	$(MAKE) -C $(KDIR) M=$(O)/module modules

.PHONY: lib
lib:	## the library
	$(MAKE) -C lib O=$(O)/lib

.PHONY: prof
prof:	## the report of mon.out and gmon.out
	$(MAKE) -C lib O=$(O)/lib prof

.PHONY: selftests
selftests:	## the test programs
	$(MAKE) -C selftests O=$(O)/selftests

$(O)/selftests/%: FORCE
	$(MAKE) -C selftests O=$(O)/selftests $@

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

release = $(shell $(MAKE) -s -C $(KDIR) kernelrelease)
.PHONY: install
install: all install-system	## the module, the library and the manual pages
	$(MAKE) -C $(KDIR) M=$(O)/module INSTALL_MOD_PATH=$(DESTDIR) \
		INSTALL_MOD_DIR=updates modules_install
	$(if $(DESTDIR),,depmod $(release))
	$(MAKE) -C lib O=$(O)/lib install
	$(if $(DESTDIR),,ldconfig)

# What is not a distribution's is the administrator's.
system := $(DESTDIR)$(if $(filter /usr,$(PREFIX)),/usr/lib,/etc)
.PHONY: install-system
install-system:	## what goes with the module: profil(4), the files for udev and the boot
	install -Dm 644 -t $(DESTDIR)$(PREFIX)/share/man/man4 man/*.4
	install -Dm 644 -t $(system)/udev/rules.d packaging/60-profil.rules
	install -Dm 644 -t $(system)/modules-load.d packaging/profil.conf

# What install would put there is what goes.
.PHONY: uninstall
uninstall:	## what install put there
	rm -rf $(O)/stage
	$(MAKE) install DESTDIR=$(O)/stage
	cd $(O)/stage && find . -name 'modules.*' -prune -o ! -type d -print | \
		while IFS= read -r file; do rm -fv "$(DESTDIR)/$$file"; done
	rm -rf $(O)/stage
	$(if $(DESTDIR),,depmod $(release))

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

system-files := $(patsubst man/%,$(DESTDIR)$(PREFIX)/share/man/man4/%, \
	$(wildcard man/*.4)) $(system)/udev/rules.d/60-profil.rules \
	$(system)/modules-load.d/profil.conf
.PHONY: dkms-uninstall
dkms-uninstall:	## what dkms-install put there
	@command -v dkms >/dev/null || { echo "There is no dkms: install it" >&2; \
		exit 1; }
	test ! -e /var/lib/dkms/profil/$(VERSION) || \
		dkms remove profil/$(VERSION) --all
	rm -rf $(dkms) $(system-files)

.PHONY: clean
clean:	## remove what was built
	rm -rf $(O)

.PHONY: FORCE
FORCE:
