#include "CBuild.h"

const char *cbuild_commit(void) { return UNDERSTUDY_COMMIT; }
