#include "CHeap.h"

#include <malloc.h>
#include <stdlib.h>

// The GNU allocator keeps what a thread frees in a cache of that thread, and counts it as in use. The cache holds up to
// 7 chunks (16 since 2.42) of each size up to 1032 octets, about 240 kB in all. A program that does nothing new fills
// it for days.
enum { CACHED_SIZES = 64, CACHED_OF_EACH = 16, SMALLEST = 24, STEP = 16 };

static size_t counted(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// Fills the cache for one size. The compiler does not leave out what is volatile.
static void fill(size_t size) {
  void *volatile taken[CACHED_OF_EACH];
  for (size_t count = 0; count < CACHED_OF_EACH; count++) taken[count] = malloc(size);
  for (size_t count = CACHED_OF_EACH; count > 0; count--) free(taken[count - 1]);
}

// Returns how many chunks a full cache for one size holds: as many as can be taken before the count of octets in use
// changes.
static size_t capacity(size_t size) {
  void *volatile taken[CACHED_OF_EACH + 1];
  size_t before = counted(), count = 0;
  while (count <= CACHED_OF_EACH) {
    taken[count++] = malloc(size);
    if (counted() != before) break;
  }
  for (size_t next = count; next > 0; next--) free(taken[next - 1]);
  return count - 1;
}

size_t cheap_octets_in_use(void) {
  // A full cache has the same size each time.
  size_t octets = 0;
  for (size_t step = 0; step < CACHED_SIZES; step++) {
    size_t size = SMALLEST + step * STEP;
    fill(size);
    // A chunk begins with its size.
    octets += size + sizeof(size_t);
  }
  size_t kept = capacity(SMALLEST) * octets;
  return counted() - kept;
}
