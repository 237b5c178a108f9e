import Glibc

/// The addresses at which runs of the same user serve the control API, by which their accessories are found by name.
///
/// Each file holds `HOST:PORT PROCESS BEGINNING`. A run that is killed leaves its file, and then anybody may listen at the port: what does
/// not name a process that still runs is none, and gets no token.
package enum RunningAddress {
  /// Writes an address to `http-PORT.address`; nil where that cannot be written, so that it is not found by name.
  package static func keep(_ address: HTTPAddress) -> RunFile? {
    guard let process = RunningProcess(getpid()) else { return nil }
    return try? RunFile("\(address) \(process.text)", named: name(address.port))
  }

  /// Those of runs that have not ended.
  package static var all: [HTTPAddress] { RunFile.names.filter { $0.hasSuffix(ending) }.compactMap { address(in: $0) } }

  /// Whether a run that has not ended serves the control API at that port.
  static func isServed(_ port: UInt16) -> Bool { address(in: name(port)) != nil }

  private static func address(in file: String) -> HTTPAddress? {
    let parts = RunFile.text(named: file)?.split(separator: " ", maxSplits: 1) ?? []
    guard parts.count == 2, let address = try? HTTPAddress(parsing: String(parts[0])), file == name(address.port),
      RunningProcess(parsing: parts[1]) != nil
    else { return nil }
    return address
  }

  private static func name(_ port: UInt16) -> String { "http-\(port)\(ending)" }
  private static let ending = ".address"
}
