import Glibc
import NIOCore
import NIOHTTP1

/// Looks after one connection: tells when the client has closed it, and ends it when the client takes nothing of what is written.
final class ConnectionWatch: ChannelInboundHandler, RemovableChannelHandler, Sendable {
  typealias InboundIn = NIOAny

  /// Begins when the client has closed its side, or the connection is gone.
  let closing = Shutdown()
  /// How long the client may take nothing.
  private let patience: Duration

  init(patience: Duration) { self.patience = patience }

  func handlerAdded(context: ChannelHandlerContext) {
    // The kernel knows what the other side has taken, and ends the connection when that is nothing for so long (tcp(7)).
    let milliseconds = Int(patience / .milliseconds(1))
    try? context.channel.syncOptions?.setOption(
      ChannelOptions.tcpOption(NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT)), value: milliseconds)
    let pipeline = context.pipeline.syncOperations
    guard let decoder = try? pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self) else { return }
    try? pipeline.addHandler(TargetCheck(), position: .after(decoder))
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed { closing.begin() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    closing.begin()
    context.fireChannelInactive()
  }
}

/// Leaves requests whose target is not a path without one. What follows would otherwise take the path of an absolute URI (RFC 9112 3.2.2)
/// and pass over its authority.
private final class TargetCheck: ChannelInboundHandler, RemovableChannelHandler, Sendable {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(var head) = unwrapInboundIn(data), !head.uri.hasPrefix("/") {
      head.uri = ""
      context.fireChannelRead(wrapInboundOut(.head(head)))
    } else {
      context.fireChannelRead(data)
    }
  }
}
