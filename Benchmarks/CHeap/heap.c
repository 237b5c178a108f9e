#include "CHeap.h"

#include <malloc.h>
#include <stdlib.h>

// The GNU allocator keeps what a thread frees in a cache of that thread, and counts it as in use: up to 7 chunks (16 since 2.42)
// of each size up to 1032 octets, together some 240 kB. A program that does nothing new fills it for days.
enum { CACHED_SIZES = 64, CACHED_OF_EACH = 16, SMALLEST = 24, STEP = 16 };

static size_t counted(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// Fills the cache of one size. What is volatile is not left out by the compiler.
static void fill(size_t size) {
  void *volatile taken[CACHED_OF_EACH];
  for (size_t count = 0; count < CACHED_OF_EACH; count++) taken[count] = malloc(size);
  for (size_t count = CACHED_OF_EACH; count > 0; count--) free(taken[count - 1]);
}

// How many chunks a full cache of one size holds: those that can be taken while the same is counted as in use.
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
  // A cache that is full counts the same each time.
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
