// SPDX-License-Identifier: MIT
/* One of two files, each with its own static function of one name. */
static volatile unsigned int sink;

static __attribute__((noinline)) void same(void)
{
	sink += NUMBER;
}

void CALLER(void)
{
	same();
}

#if NUMBER == 1
void second(void);

int main(void)
{
	first();
	second();
	return 0;
}
#endif
