// SPDX-License-Identifier: MIT
/* A -pg program of which a thread is cancelled where it writes the profile. */
#include <pthread.h>

void _mcleanup(void);

static void *write_and_end(void *arg)
{
	/* Acted on in the next call that may wait. */
	pthread_cancel(pthread_self());
	_mcleanup();
	return arg;
}

int main(void)
{
	pthread_t thread;
	int error = pthread_create(&thread, NULL, write_and_end, NULL);

	if (!error)
		error = pthread_join(thread, NULL);
	return error;
}
