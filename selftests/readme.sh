#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The program in README.md compiles, and profiles itself.
exec "$(dirname "$(readlink -f "$0")")/../demo/readme-example-check"
