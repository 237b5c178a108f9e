#pragma once

/// A file that is embedded in the program.
typedef struct {
  /// The path relative to the root of the repository, or the name of a dashboard file; null after the last file of a table.
  const char *_Nullable path;
  /// UTF-8, terminated by NUL.
  const char *_Nullable text;
} CEmbeddedFile;

/// Returns the profiles, services, formats and scenarios, ordered by their paths without the suffix.
const CEmbeddedFile *_Nonnull cembedded_shipped(void);

/// Returns the files of the dashboard, ordered by name.
const CEmbeddedFile *_Nonnull cembedded_dashboard(void);

/// The page of reports, in the folder Sources/Reporting/Viewer.
const CEmbeddedFile *_Nonnull cembedded_report(void);
