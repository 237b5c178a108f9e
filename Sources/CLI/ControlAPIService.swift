import AccessoryProfile
import ArgumentParser
import ControlAPI
import Glibc
import Understudy

/// Whether and how to serve the control API, for every command that can.
struct ControlAPIArguments: ParsableArguments {
  @Option(
    name: .customLong("http"),
    help: ArgumentHelp("Serve the control API there; port 0 takes a free one.", valueName: "host:port"),
    transform: { try HTTPAddress(parsing: $0) })
  var address: HTTPAddress?

  @Option(
    name: .customLong("http-token"),
    help: ArgumentHelp(
      "What a request of the control API must bear; needed beyond the loopback. Also from UNDERSTUDY_HTTP_TOKEN.",
      valueName: "token"))
  var token: String?

  /// Serves the control API where it is wanted.
  func start(
    _ makeServer: (HTTPAddress, String?) throws(ControlServerError) -> ControlServer
  ) async throws -> ControlAPIService? {
    guard let address else { return nil }
    let token = token ?? getenv("UNDERSTUDY_HTTP_TOKEN").map { String(cString: $0) }
    do throws(ControlServerError) {
      return try await ControlAPIService(try makeServer(address, token))
    } catch {
      if error.isUsage { throw ValidationError("\(error)") }
      Terminal.error("\(error)")
      throw ExitStatus.unavailable
    }
  }
}

/// The control API beside a run: it listens when this exists, and ends with `stop`.
struct ControlAPIService: Sendable {
  /// Where it listens.
  let address: HTTPAddress
  private let serving: Task<Void, Never>

  /// Begins to serve; returns once requests are taken, or throws why they cannot be.
  init(_ server: ControlServer) async throws(ControlServerError) {
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
    address = try first.get()
  }

  /// Says where the control API is, and where to begin with it.
  func announce(json: Bool, path: String) {
    if json {
      let event: [String: ProfileValue] = [
        "event": .string("http"), "host": .string(address.host), "port": .int(Int64(address.port)),
      ]
      Terminal.print(ProfileValue.object(event).jsonText)
    } else {
      Terminal.print("Control API: http://\(address)\(path)")
    }
  }

  /// Ends the requests under way, and listens no longer.
  func stop() async {
    serving.cancel()
    await serving.value
  }
}
