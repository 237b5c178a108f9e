/// The addresses at which runs of the same user serve the control API, by which their accessories are found by name.
package enum RunningAddress {
  /// Writes an address to `http-PORT.address`; nil where that cannot be written, so that it is not found by name.
  package static func keep(_ address: HTTPAddress) -> RunFile? {
    try? RunFile("\(address)", named: "http-\(address.port)\(ending)")
  }

  /// All that were written. A run that was killed has left its own.
  package static var all: [HTTPAddress] {
    RunFile.names.filter { $0.hasSuffix(ending) }.compactMap { RunFile.text(named: $0) }
      .compactMap { try? HTTPAddress(parsing: $0) }
  }

  private static let ending = ".address"
}
