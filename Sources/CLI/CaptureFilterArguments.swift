import ArgumentParser

/// The filter for capture files, for every command that writes one.
struct CaptureFilterArguments: ParsableArguments {
  /// The packets to leave out.
  enum Filter: String, CaseIterable, ExpressibleByArgument { case noAdvertising = "no-advertising" }

  @Option(
    help: ArgumentHelp(
      "Leave packets out of the capture: with no-advertising, it contains only the advertising that leads to "
        + "connections.",
      valueName: "filter"))
  var captureFilter: Filter?

  var includesAdvertising: Bool { captureFilter != .noAdvertising }

  /// Throws if there is a filter but no capture.
  func validate(_ capture: String?) throws {
    if captureFilter != nil, capture == nil { throw ValidationError("--capture-filter needs --capture") }
  }
}
