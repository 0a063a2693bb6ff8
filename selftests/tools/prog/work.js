// SPDX-License-Identifier: GPL-2.0-only
// Three functions that V8 compiles, for so many milliseconds of CPU time.
'use strict';

function fib(n) {
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

function sieve(n) {
	const composite = new Uint8Array(n);
	let primes = 0;

	for (let i = 2; i < n; i++) {
		if (composite[i])
			continue;
		primes++;
		for (let j = 2 * i; j < n; j += i)
			composite[j] = 1;
	}
	return primes;
}

function count(n) {
	const seen = new Map();

	for (let i = 0; i < n; i++) {
		const key = 'k' + i % 1000;

		seen.set(key, (seen.get(key) || 0) + 1);
	}
	return seen.size;
}

const end = process.cpuUsage().user + Number(process.argv[2]) * 1000;
let sum = 0;

while (process.cpuUsage().user < end)
	sum += fib(22) + sieve(20000) + count(5000);
process.exitCode = sum > 0 ? 0 : 1;
