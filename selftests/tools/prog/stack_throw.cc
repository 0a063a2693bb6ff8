// SPDX-License-Identifier: GPL-2.0-only
// Exceptions under way, virtual calls and destructors, between two traps.
#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#define noinline __attribute__((noinline))

static volatile int sink;

struct base {
	virtual ~base() { sink = sink + 1; }
	virtual int call(int n) = 0;
};

struct thrower : base {
	noinline int call(int n) override
	{
		if (!n)
			throw std::runtime_error("zero");
		std::string text(n, 'x');
		return call(n - 1) + static_cast<int>(text.size());
	}
};

noinline static int caught(base *object, int n)
{
	try {
		return object->call(n);
	} catch (const std::runtime_error &error) {
		return error.what()[0];
	}
}

noinline static int sorted()
{
	std::vector<int> list{ 3, 1, 2, 5, 4 };
	std::map<std::string, int> names;

	std::sort(list.begin(), list.end(),
		  [](int a, int b) { return a > b; });
	for (int n : list)
		names[std::to_string(n)] = n;
	return names["3"];
}

int main()
{
	thrower object;

	__asm__ volatile("int3");
	sink = sorted();
	sink = caught(&object, 3);
	__asm__ volatile("int3");
	return 0;
}
