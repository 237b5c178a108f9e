import AccessoryProfile
import ArgumentParser
import ControlAPI
import Glibc
import Understudy

/// Options for serving the control API, for every command that can.
struct ControlAPIArguments: ParsableArguments {
  @Option(
    name: .customLong("http"),
    help: ArgumentHelp("Serve the control API at this address; port 0 means a free port.", valueName: "host:port"),
    transform: { try HTTPAddress(parsing: $0) })
  var address: HTTPAddress?

  @Option(
    name: .customLong("http-token"),
    help: ArgumentHelp(
      "The token that requests of the control API need; required outside the loopback interface "
        + "(default: UNDERSTUDY_HTTP_TOKEN).",
      valueName: "token"))
  var token: String?

  @Flag(
    name: .customLong("http-auth"),
    help: """
      Require a token for the control API on the loopback interface, too. If none is given, one is generated and kept in a \
      file that only you can read, while the program runs.
      """)
  var needsToken = false

  /// Serves the control API if requested.
  func start(
    _ makeServer: (HTTPAddress, String?) throws(ControlServerError) -> ControlServer
  ) async throws -> ControlAPIService? {
    guard let address else { return nil }
    let given = token ?? getenv("UNDERSTUDY_HTTP_TOKEN").map { String(cString: $0) }
    let generated = given == nil && needsToken ? GeneratedToken.make() : nil
    do throws(ControlServerError) {
      let server = try makeServer(address, given ?? generated)
      return try await ControlAPIService(server, generatedToken: generated)
    } catch {
      if error.isUsage { throw ValidationError("\(error)") }
      Terminal.error("\(error)")
      throw ExitStatus.unavailable
    }
  }
}

/// The places to which clients of the control API may bridge channels.
struct BridgeArguments: ParsableArguments {
  @Option(
    name: .customLong("allow-bridge"),
    help: ArgumentHelp(
      """
      A place to which channels published over HTTP may be bridged (default: none); may be repeated. Known: \
      \(BridgeAllowance.forms.joined(separator: ", ")).
      """, valueName: "place"))
  var bridges: [String] = []

  func validate() throws { _ = try allowance() }

  func allowance() throws -> BridgeAllowance {
    do throws(BridgeAllowance.ParseError) {
      return try BridgeAllowance(parsing: bridges)
    } catch {
      throw ValidationError("\(error)")
    }
  }
}

/// The control API of a run. It listens while this exists, and ends with `stop`.
struct ControlAPIService: Sendable {
  /// The address that it listens on.
  let address: HTTPAddress
  private let serving: Task<Void, Never>
  /// The file with the generated token.
  private let tokenFile: RunFile?
  /// The file that makes its accessories known by name.
  private let addressFile: RunFile?

  /// Starts serving. Returns when the server accepts requests.
  init(_ server: ControlServer, generatedToken: String?) async throws(ControlServerError) {
    let (beginnings, continuation) = AsyncStream.makeStream(of: Result<HTTPAddress, ControlServerError>.self)
    serving = Task {
      do throws(ControlServerError) {
        try await server.run { continuation.yield(.success($0)) }
      } catch {
        continuation.yield(.failure(error))
      }
      continuation.finish()
    }
    var beginning = beginnings.makeAsyncIterator()
    guard let first = await beginning.next() else { throw .cannotListen(server.address, reason: "it ended at once") }
    let address = try first.get()
    self.address = address
    tokenFile = try generatedToken.map { token throws(ControlServerError) in
      try GeneratedToken.keep(token, port: address.port)
    }
    addressFile = RunningAddress.keep(address)
  }

  /// Prints the address of the control API, and the path to begin with.
  func announce(json: Bool, path: String) {
    if json {
      var event: [String: ProfileValue] = [
        "event": .string("http"), "host": .string(address.host), "port": .int(Int64(address.port)),
      ]
      event["token_file"] = tokenFile.map { .string($0.path) }
      Terminal.print(json: .object(event))
    } else {
      Terminal.print("Dashboard: http://\(address)/, control API: http://\(address)\(path)")
      if let tokenFile { Terminal.print("  Its token is in \(tokenFile.path)") }
    }
  }

  /// Ends the requests in progress, and stops listening.
  func stop() async {
    serving.cancel()
    await serving.value
  }
}
