import Hummingbird
import Logging
import NIOCore
import Transport
import Understudy

/// The control API of a running accessory: JSON over HTTP/1.1, under `/v1`.
///
/// ```swift
/// let server = try ControlServer(accessory: accessory, address: HTTPAddress(parsing: "127.0.0.1:0"))
/// let serving = Task { try await server.run { print("http://\($0)") } }
/// …
/// serving.cancel()
/// ```
///
/// On the loopback everybody on the machine may use it, but no web page; on any other address every request needs the token.
public struct ControlServer: Sendable {
  /// Where it is to listen.
  public let address: HTTPAddress
  private let responder: ControlResponder

  /// A server of that accessory, which does nothing before `run`. An address that other machines can reach needs a token.
  public init(accessory: Accessory, address: HTTPAddress, token: String? = nil) throws(ControlServerError) {
    try self.init(accessory: accessory, address: address, token: token, heartbeat: .seconds(15))
  }

  /// `heartbeat` is the time between two comments on an event stream.
  init(
    accessory: Accessory, address: HTTPAddress, token: String?, heartbeat: Duration
  ) throws(ControlServerError) {
    if let token {
      guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .unsuitableToken }
    } else if !address.isLoopback {
      throw .tokenNeeded(address)
    }
    self.address = address
    responder = ControlResponder(
      accessory: accessory, gate: Gate(token: token), heartbeat: heartbeat)
  }

  /// Serves until the task is cancelled, which also ends the requests under way. Signals are left to the caller.
  ///
  /// `whenListening` learns the address with the real port before the first request is taken.
  public func run(
    whenListening: @escaping @Sendable (HTTPAddress) async -> Void = { _ in }
  ) async throws(ControlServerError) {
    let address = address
    let application = Application(
      responder: responder,
      configuration: ApplicationConfiguration(
        address: .hostname(address.bindHost, port: Int(address.port)), serverName: nil),
      onServerRunning: { channel in
        let port = channel.localAddress?.port.flatMap { UInt16(exactly: $0) }
        await whenListening(HTTPAddress(host: address.host, port: port ?? address.port))
      },
      // Standard output belongs to the command line, and what goes wrong is thrown or answered.
      logger: Logger(label: "understudy.http") { _ in SwiftLogNoOpLogHandler() })
    do {
      try await application.run()
    } catch {
      if Task.isCancelled { return }
      throw .cannotListen(address, reason: Self.reason(of: error))
    }
  }

  private static func reason(of error: any Error) -> String {
    (error as? IOError).map { TransportError.text(ofErrno: $0.errnoCode) } ?? "\(error)"
  }
}
