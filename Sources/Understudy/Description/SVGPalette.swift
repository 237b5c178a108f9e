/// The colors of all pictures, so that they look alike.
package enum SVGPalette {
  /// What was measured: bars, curves and points.
  package static let accent = "#3b76b8"
  /// The same, as the background of a text.
  package static let accentArea = "#dce9f8"
  /// What measurements are compared with.
  package static let second = "#e2861c"
  /// Lines of a grid.
  package static let grid = "#e3e3e3"
  /// Frames and axes.
  package static let frame = "#c7cdd4"
  /// Texts beside the picture.
  package static let quiet = "#555555"
}
