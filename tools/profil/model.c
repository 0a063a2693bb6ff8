// SPDX-License-Identifier: MIT
/* The profile in memory: adding to it without making anything twice. */
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "model.h"
#include "path.h"
#include "util.h"

/* Bytes in the file, with what a location or a label brings with it. */
#define SAMPLE_BYTES	24
#define LOCATION_BYTES	64
#define CALLER_BYTES	4
#define LABEL_BYTES	10

/* An interned string, behind the number that it has in the file. */
struct string {
	uint32_t nr;
	char text[];
};

struct model *model_new(void)
{
	struct model *m = xcalloc(1, sizeof(*m));

	m->strings = xcalloc(1, sizeof(*m->strings));
	m->by_mapping = xcalloc(1, sizeof(*m->by_mapping));
	m->by_function = xcalloc(1, sizeof(*m->by_function));
	m->by_location = xcalloc(1, sizeof(*m->by_location));
	m->by_sample = xcalloc(1, sizeof(*m->by_sample));
	m->by_thread = xcalloc(1, sizeof(*m->by_thread));
	m->mappings = xcalloc(1, sizeof(*m->mappings));
	m->functions = xcalloc(1, sizeof(*m->functions));
	m->locations = xcalloc(1, sizeof(*m->locations));
	m->empty = model_string(m, "");
	m->command = m->empty;
	m->only = m->empty;
	/* What is in no mapping reads this one. */
	m->mappings[0].path = m->empty;
	m->mappings[0].build_id = m->empty;
	return m;
}

void model_free(struct model *m)
{
	size_t i;

	if (!m)
		return;
	for (i = 1; i <= m->nr_locations; i++)
		free(m->locations[i].lines);
	for (i = 0; i < m->nr_samples; i++) {
		free(m->samples[i].locations);
		free(m->samples[i].labels);
	}
	for (i = 0; i < m->nr_texts; i++)
		free((char *)(uintptr_t)m->texts[i] - sizeof(struct string));
	free(m->texts);
	free(m->mappings);
	free(m->functions);
	free(m->locations);
	free(m->samples);
	free(m->comments);
	free(m->threads);
	table_free(m->strings);
	table_free(m->by_mapping);
	table_free(m->by_function);
	table_free(m->by_location);
	table_free(m->by_sample);
	table_free(m->by_thread);
	free(m);
}

const char *model_string_n(struct model *m, const char *text, size_t length)
{
	uint64_t hash = hash_bytes(hash_seed(), text, length);
	size_t at = SIZE_MAX;
	struct string *new;
	const char *there;
	uint64_t nr;

	while ((nr = table_next(m->strings, hash, &at))) {
		there = m->texts[nr - 1];
		if (!strncmp(there, text, length) && !there[length])
			return there;
	}
	new = xmalloc(sizeof(*new) + length + 1);
	memcpy(new->text, text, length);
	new->text[length] = '\0';
	new->nr = m->nr_texts;
	m->texts = xgrow(m->texts, m->nr_texts, sizeof(*m->texts));
	m->texts[m->nr_texts++] = new->text;
	table_add(m->strings, hash, m->nr_texts);
	return new->text;
}

uint32_t model_string_nr(const char *interned)
{
	const struct string *string =
		(const void *)(interned - sizeof(struct string));

	return string->nr;
}

const char *model_string(struct model *m, const char *text)
{
	const char **recent;

	if (!text)
		return m->empty;
	/* The same few come again and again. */
	recent = &m->recent[(uintptr_t)text / 8 % ARRAY_SIZE(m->recent)];
	if (*recent != text && (!*recent || strcmp(*recent, text) != 0))
		*recent = model_string_n(m, text, strlen(text));
	return *recent;
}

uint32_t model_mapping(struct model *m, const struct mapping *mapping)
{
	struct mapping new = *mapping;
	const struct mapping *there;
	size_t at = SIZE_MAX;
	uint64_t hash, id;

	new.path = model_string(m, new.path);
	new.build_id = model_string(m, new.build_id);
	hash = hash_u64(hash_u64(hash_seed(), new.start), new.limit);
	hash = hash_u64(hash, new.offset);
	hash = hash_pointer(hash_pointer(hash, new.path), new.build_id);
	while ((id = table_next(m->by_mapping, hash, &at))) {
		there = &m->mappings[id];
		if (there->start == new.start && there->limit == new.limit &&
		    there->offset == new.offset && there->path == new.path &&
		    there->build_id == new.build_id)
			return id;
	}
	id = ++m->nr_mappings;
	m->mappings = xgrow(m->mappings, id, sizeof(new));
	m->mappings[id] = new;
	table_add(m->by_mapping, hash, id);
	return id;
}

uint32_t model_function(struct model *m, const struct function *function)
{
	struct function new = *function;
	const struct function *there;
	size_t at = SIZE_MAX;
	uint64_t hash, id;

	new.name = model_string(m, new.name);
	new.system_name = model_string(m, new.system_name);
	new.file = model_string(m, new.file);
	hash = hash_pointer(hash_u64(hash_seed(), new.start_line), new.name);
	hash = hash_pointer(hash_pointer(hash, new.system_name), new.file);
	while ((id = table_next(m->by_function, hash, &at))) {
		there = &m->functions[id];
		if (there->name == new.name && there->file == new.file &&
		    there->system_name == new.system_name &&
		    there->start_line == new.start_line)
			return id;
	}
	id = ++m->nr_functions;
	m->functions = xgrow(m->functions, id, sizeof(new));
	m->functions[id] = new;
	table_add(m->by_function, hash, id);
	return id;
}

uint32_t model_location(struct model *m, uint32_t mapping, uint64_t address)
{
	uint64_t hash = hash_u64(hash_u64(hash_seed(), mapping), address);
	size_t at = SIZE_MAX;
	uint64_t id;

	while ((id = table_next(m->by_location, hash, &at)))
		if (m->locations[id].mapping == mapping &&
		    m->locations[id].address == address)
			return id;
	id = model_new_location(m, mapping, address);
	table_add(m->by_location, hash, id);
	return id;
}

uint32_t model_new_location(struct model *m, uint32_t mapping, uint64_t address)
{
	uint32_t id = ++m->nr_locations;

	m->size += LOCATION_BYTES;
	m->locations = xgrow(m->locations, id, sizeof(*m->locations));
	m->locations[id] = (struct location){ .mapping = mapping,
					      .address = address };
	return id;
}

void model_set_lines(struct model *m, uint32_t location,
		     const struct line *lines, size_t nr)
{
	struct location *loc = &m->locations[location];
	struct line *copy = NULL;

	if (nr) {
		copy = xmalloc(nr * sizeof(*lines));
		memcpy(copy, lines, nr * sizeof(*lines));
	}
	free(loc->lines);
	loc->lines = copy;
	loc->nr_lines = nr;
}

static bool labels_equal(const struct label *a, const struct label *b,
			 size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (a[i].key != b[i].key || a[i].str != b[i].str ||
		    a[i].num != b[i].num)
			return false;
	return true;
}

static void add_leaf(struct model *m, uint32_t location,
		     const struct label *labels, size_t nr_labels,
		     uint64_t count, uint64_t ns)
{
	struct label *all = xcalloc(nr_labels + 1, sizeof(*all));
	size_t nr = 0, i;

	for (i = 0; i < nr_labels; i++)
		if (strcmp(labels[i].key, LABEL_PATH) != 0)
			all[nr++] = labels[i];
	all[nr++] = (struct label){ .key = LABEL_PATH,
				    .str = path_end_names[PATH_NO_ROOM] };
	model_sample(m, &location, 1, all, nr, count, ns);
	free(all);
}

void model_sample(struct model *m, const uint32_t *locations,
		  size_t nr_locations, const struct label *labels,
		  size_t nr_labels, uint64_t count, uint64_t ns)
{
	size_t locations_size = nr_locations * sizeof(*locations);
	uint64_t hash = hash_bytes(hash_seed(), locations, locations_size);
	struct label few[LABELS_FEW], *own = few;
	struct sample *there;
	size_t at = SIZE_MAX, i;
	uint64_t nr;

	if (nr_labels > ARRAY_SIZE(few))
		own = xcalloc(nr_labels, sizeof(*own));
	for (i = 0; i < nr_labels; i++) {
		own[i] = (struct label){
			.key = model_string(m, labels[i].key),
		};
		if (labels[i].str)
			own[i].str = model_string(m, labels[i].str);
		else
			own[i].num = labels[i].num;
		/* Of the two one is nothing. */
		hash = hash_u64(hash_pointer(hash, own[i].key),
				(uintptr_t)own[i].str ^ (uint64_t)own[i].num);
	}
	while ((nr = table_next(m->by_sample, hash, &at))) {
		there = &m->samples[nr - 1];
		if (there->nr_locations == nr_locations &&
		    there->nr_labels == nr_labels &&
		    !memcmp(there->locations, locations, locations_size) &&
		    labels_equal(there->labels, own, nr_labels)) {
			there->count += count;
			there->ns += ns;
			if (own != few)
				free(own);
			return;
		}
	}
	if (m->size_max && m->size > m->size_max && nr_locations > 1) {
		add_leaf(m, *locations, own, nr_labels, count, ns);
		if (own != few)
			free(own);
		return;
	}
	m->size += SAMPLE_BYTES + nr_locations * CALLER_BYTES +
		   nr_labels * LABEL_BYTES;
	if (own == few) {
		own = xcalloc(nr_labels ? nr_labels : 1, sizeof(*own));
		memcpy(own, few, nr_labels * sizeof(*own));
	}
	m->samples = xgrow(m->samples, m->nr_samples, sizeof(*m->samples));
	there = &m->samples[m->nr_samples++];
	*there = (struct sample){ .nr_locations = nr_locations,
				  .labels = own, .nr_labels = nr_labels,
				  .count = count, .ns = ns };
	there->locations = xmalloc(locations_size ? locations_size : 1);
	memcpy(there->locations, locations, locations_size);
	table_add(m->by_sample, hash, m->nr_samples);
}

static uint64_t thread_hash(int64_t pid, int64_t tid, const char *program)
{
	return hash_pointer(hash_u64(hash_u64(hash_seed(), pid), tid), program);
}

const struct thread_time *model_find_thread(const struct model *m, int64_t pid,
					    int64_t tid, const char *program)
{
	uint64_t hash = thread_hash(pid, tid, program), nr;
	const struct thread_time *there;
	size_t at = SIZE_MAX;

	while ((nr = table_next(m->by_thread, hash, &at))) {
		there = &m->threads[nr - 1];
		if (there->pid == pid && there->tid == tid &&
		    there->program == program)
			return there;
	}
	return NULL;
}

void model_thread(struct model *m, const struct thread_time *thread)
{
	const char *program = model_string(m, thread->program);
	struct thread_time *there;

	there = (struct thread_time *)
		model_find_thread(m, thread->pid, thread->tid, program);
	if (!there) {
		m->threads = xgrow(m->threads, m->nr_threads,
				   sizeof(*m->threads));
		there = &m->threads[m->nr_threads++];
		*there = (struct thread_time){ .pid = thread->pid,
					       .tid = thread->tid,
					       .program = program };
		table_add(m->by_thread,
			  thread_hash(thread->pid, thread->tid, program),
			  m->nr_threads);
	}
	there->name = model_string(m, thread->name);
	there->cpu_ns += thread->cpu_ns;
	there->wait_ns += thread->wait_ns;
	there->read_ns += thread->read_ns;
}

void model_comment(struct model *m, const char *text)
{
	m->comments = xgrow(m->comments, m->nr_comments, sizeof(*m->comments));
	m->comments[m->nr_comments++] = model_string(m, text);
}

bool model_lacks_books(const struct model *m)
{
	const struct books *books = &m->books;

	return *m->only || (m->nr_samples && !books->seen && !books->cpu_ns &&
			    !books->wall_ns && !books->off_wall_ns);
}

uint64_t model_samples(const struct model *m)
{
	uint64_t samples = 0;
	size_t i;

	for (i = 0; i < m->nr_samples; i++)
		samples += m->samples[i].count;
	return samples;
}

const struct label *sample_label(const struct sample *sample, const char *key)
{
	size_t i;

	for (i = 0; i < sample->nr_labels; i++)
		if (!strcmp(sample->labels[i].key, key))
			return &sample->labels[i];
	return NULL;
}
