// SPDX-License-Identifier: GPL-2.0-only
/*
 * C++: templates, exceptions through counted functions, calls before main, and
 * four threads; prints the calls that were made.  With an argument, until the
 * kernel has seen many ticks.
 */
#include <profil.h>

#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

#define THREADS	4

namespace {

std::atomic<unsigned long> puts_int, puts_double, throws, earlies, threes, ones;
volatile unsigned long turns;

}

template <typename T> struct Box {
	static void put(T value);
	static std::atomic<unsigned long> *counter;
};

template <typename T> void Box<T>::put(T value)
{
	++*counter;
	turns = turns + static_cast<unsigned long>(value);
}

template <> std::atomic<unsigned long> *Box<int>::counter = &puts_int;
template <> std::atomic<unsigned long> *Box<double>::counter = &puts_double;

void thrower(int depth)
{
	++throws;
	if (depth == 0)
		throw std::runtime_error("out");
	thrower(depth - 1);
}

struct Early {
	Early();
};

Early::Early()
{
	++earlies;
	Box<int>::put(1);
}

static Early early[3];

void three()
{
	++threes;
	for (int i = 0; i < 30000; i++)
		turns = turns + 1;
}

void one()
{
	++ones;
	for (int i = 0; i < 10000; i++)
		turns = turns + 1;
}

static bool enough(bool ticks)
{
	profil_counts counts;

	return !ticks || profil_counts_get(&counts, sizeof(counts)) != 0 ||
	       counts.seen >= 2000;
}

static void work(bool ticks)
{
	do {
		for (int i = 0; i < 50; i++) {
			three();
			one();
			Box<int>::put(i);
			Box<double>::put(0.5);
			try {
				thrower(0);
			} catch (const std::runtime_error &) {
				Box<double>::put(1.5);
			}
		}
	} while (!enough(ticks));
}

int main(int argc, char **)
{
	std::vector<std::thread> threads;

	for (int i = 0; i < THREADS; i++)
		threads.emplace_back(work, argc > 1);
	for (auto &thread : threads)
		thread.join();
	/* A function's calls of itself are in another column. */
	try {
		thrower(2);
	} catch (const std::runtime_error &) {
		throws -= 2;
	}
	std::printf("Box<int>::put(int) %lu\n", puts_int.load());
	std::printf("Box<double>::put(double) %lu\n", puts_double.load());
	std::printf("thrower(int) %lu\n", throws.load());
	std::printf("Early::Early() %lu\n", earlies.load());
	std::printf("three() %lu\n", threes.load());
	std::printf("one() %lu\n", ones.load());
	return 0;
}
