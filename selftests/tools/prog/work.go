// SPDX-License-Identifier: GPL-2.0-only
// Some functions of Go, of its library and run-time, for so many milliseconds of
// CPU time.
package main

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"syscall"
)

//go:noinline
func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

//go:noinline
func words(n int) int {
	seen := map[string]int{}
	for i := 0; i < n; i++ {
		seen[strings.ToUpper("k"+strconv.Itoa(i%500))]++
	}
	keys := make([]string, 0, len(seen))
	for key := range seen {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return len(keys)
}

func used() int64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return usage.Utime.Nano() / 1000000
}

func main() {
	end, err := strconv.ParseInt(os.Args[1], 10, 64)
	if err != nil {
		os.Exit(2)
	}
	sum := 0
	for used() < end {
		sum += fib(25) + words(20000)
	}
	fmt.Println(sum > 0)
}
