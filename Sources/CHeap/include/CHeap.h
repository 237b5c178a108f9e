#pragma once
#include <stddef.h>

/// The octets of the heap that are in use, large blocks included.
size_t cheap_octets_in_use(void);
