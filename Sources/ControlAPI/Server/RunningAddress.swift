import Glibc

/// The addresses of the control APIs of the same user's runs. They make accessories known by name.
///
/// Each file contains `HOST:PORT PROCESS START-TIME`. A run that is killed leaves its file behind, and then another
/// program could listen on the port. So an address whose process no longer runs is ignored, and gets no token.
package enum RunningAddress {
  /// Writes an address to `http-PORT.address`. Returns nil if that fails; the run is then not known by name.
  package static func keep(_ address: HTTPAddress) -> RunFile? {
    guard let process = RunningProcess(getpid()) else { return nil }
    return try? RunFile("\(address) \(process.text)", named: name(address.port))
  }

  /// The addresses of runs that have not ended.
  package static var all: [HTTPAddress] { RunFile.names.filter { $0.hasSuffix(ending) }.compactMap { address(in: $0) } }

  /// Returns whether a run that has not ended serves the control API at that port.
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
