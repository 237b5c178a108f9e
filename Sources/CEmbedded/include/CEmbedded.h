#pragma once

/// A file that the program contains.
typedef struct {
  /// Its path from the root of the repository, or its name in the dashboard; null behind the last file of a table.
  const char *_Nullable path;
  /// UTF-8, ended by a NUL.
  const char *_Nullable text;
} CEmbeddedFile;

/// The profiles, services, formats and scenarios, in the order of their paths without the suffix.
const CEmbeddedFile *_Nonnull cembedded_shipped(void);

/// The files of the dashboard, in the order of their names.
const CEmbeddedFile *_Nonnull cembedded_dashboard(void);
