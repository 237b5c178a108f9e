#pragma once

/// The commit that the program was built from, or an empty text where that is not known.
const char *cbuild_commit(void);
