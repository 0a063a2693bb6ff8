#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The tables in README.md are those of the benchmark's last run.
exec "$(dirname "$(readlink -f "$0")")/../bench/readme" --check
