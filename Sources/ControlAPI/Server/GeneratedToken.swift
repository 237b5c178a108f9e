/// The token that the program generates for a control API.
package enum GeneratedToken {
  /// Returns a token that cannot be guessed: 128 bits in hexadecimal digits.
  package static func make() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let digits = String(random.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Writes the token of the control API at that port to `http-PORT.token`.
  package static func keep(_ token: String, port: UInt16) throws(ControlServerError) -> RunFile {
    do throws(RunFile.Failure) {
      return try RunFile(token, named: name(port))
    } catch {
      throw .cannotKeepToken(error.path, reason: error.reason)
    }
  }

  /// Returns the token that a run of the same user has generated for the control API at that port, if that run has not ended.
  static func of(port: UInt16) -> String? { RunningAddress.isServed(port) ? RunFile.text(named: name(port)) : nil }

  private static func name(_ port: UInt16) -> String { "http-\(port).token" }
}
