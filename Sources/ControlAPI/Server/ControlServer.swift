import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
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
/// On the loopback interface, all programs on the machine may use it, but no web page. On any other address, every request needs the token.
package struct ControlServer: Sendable {
  /// The address to listen on.
  package let address: HTTPAddress
  private let responder: ControlResponder

  /// Creates a server for that accessory, which does nothing until `run`. An address that other machines can
  /// reach needs a token. `bridges` is what channels published through the server may be bridged to.
  package init(
    accessory: Accessory, address: HTTPAddress, token: String? = nil, bridges: BridgeAllowance = BridgeAllowance()
  ) throws(ControlServerError) {
    try self.init(.accessory(accessory), address: address, token: token, bridges: bridges)
  }

  /// Creates a server for the accessories of a group. For one accessory, paths are `/v1/…`; for several, they are `/v1/accessories/NAME/…`.
  package init(
    group: AccessoryGroup, address: HTTPAddress, token: String? = nil, bridges: BridgeAllowance = BridgeAllowance()
  ) throws(ControlServerError) {
    try self.init(.group(group), address: address, token: token, bridges: bridges)
  }

  /// Creates a server for that virtual radio alone, under `/v1/radio`.
  package init(radio: RadioHub, address: HTTPAddress, token: String? = nil) throws(ControlServerError) {
    try self.init(.radio(radio), address: address, token: token)
  }

  init(
    _ subject: ControlSubject, address: HTTPAddress, token: String?, bridges: BridgeAllowance = BridgeAllowance(),
    limits: ControlLimits = ControlLimits()
  ) throws(ControlServerError) {
    if let token {
      guard token.utf8.count >= Gate.shortestToken, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        throw .unsuitableToken
      }
    } else if !address.isLoopback {
      throw .tokenNeeded(address)
    }
    self.address = address
    responder = ControlResponder(subject: subject, gate: Gate(token: token), bridges: bridges, limits: limits)
  }

  /// Serves until the task is cancelled. Event streams then end after what has happened so far, and other
  /// requests in progress get one second. Signals are left to the caller. A server can run only once.
  ///
  /// `whenListening` is called with the address and the actual port, before the first request is accepted.
  package func run(
    whenListening: @escaping @Sendable (HTTPAddress) async -> Void = { _ in }
  ) async throws(ControlServerError) {
    let connections = try connections()
    await responder.journals.begin()
    defer { Task { [journals = responder.journals] in await journals.end() } }
    let logger = Self.quietLogger
    var configuration = ServiceGroupConfiguration(services: [application(connections, whenListening)], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(1)
    let group = ServiceGroup(configuration: configuration)
    // Not a child of this task: on cancellation, a connection that was accepted but not yet served would be
    // released without being closed, which ends the process. A graceful shutdown closes the port first.
    let serving = Task.detached { try await group.run() }
    do {
      try await withTaskCancellationHandler {
        try await serving.value
      } onCancel: {
        responder.shutdown.begin()
        Task.detached { await group.triggerGracefulShutdown() }
      }
    } catch {
      if Task.isCancelled { return }
      throw .cannotListen(address, reason: Self.reason(of: error))
    }
  }

  /// Standard output belongs to the command line, and errors are thrown or answered.
  private static var quietLogger: Logger { Logger(label: "understudy.http") { _ in SwiftLogNoOpLogHandler() } }

  /// Returns the number of connections for which there are file descriptors.
  private func connections() throws(ControlServerError) -> Int {
    let limit = DescriptorLimit.raise(to: 2 * responder.limits.connections)
    let connections = min(responder.limits.connections, limit - DescriptorLimit.reserve)
    guard connections >= DescriptorLimit.fewestConnections else {
      throw .tooFewDescriptors(
        address, limit: limit, needed: DescriptorLimit.reserve + DescriptorLimit.fewestConnections)
    }
    return connections
  }

  private func application(
    _ connections: Int, _ whenListening: @escaping @Sendable (HTTPAddress) async -> Void
  ) -> some ApplicationProtocol {
    let (address, limits) = (address, responder.limits)
    return Application(
      responder: responder,
      server: .http1(
        configuration: HTTP1Channel.Configuration(
          additionalChannelHandlers: [ConnectionWatch(patience: limits.idle)], idleTimeout: TimeAmount(limits.idle))),
      configuration: ApplicationConfiguration(
        address: .hostname(address.bindHost, port: Int(address.port)), serverName: nil,
        availableConnectionsDelegate: MaximumAvailableConnections(connections, logger: Self.quietLogger)),
      onServerRunning: { channel in
        let port = channel.localAddress?.port.flatMap { UInt16(exactly: $0) }
        await whenListening(HTTPAddress(host: address.host, port: port ?? address.port))
      },
      logger: Self.quietLogger)
  }

  private static func reason(of error: any Error) -> String {
    (error as? IOError).map { TransportError.text(ofErrno: $0.errnoCode) } ?? "\(error)"
  }
}
