import ControlAPI

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

  /// Ends the requests under way, and listens no longer.
  func stop() async {
    serving.cancel()
    await serving.value
  }
}
