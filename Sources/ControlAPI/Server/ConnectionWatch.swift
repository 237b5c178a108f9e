import Glibc
import NIOCore
import NIOHTTP1

/// Watches a connection: reports when the client has closed it, and ends it if the client does not accept what is written.
final class ConnectionWatch: ChannelInboundHandler, RemovableChannelHandler, Sendable {
  typealias InboundIn = NIOAny

  /// Begins when the client has closed its side, or the connection has ended.
  let closing = Shutdown()
  /// How long the client may accept nothing.
  private let patience: Duration

  init(patience: Duration) { self.patience = patience }

  func handlerAdded(context: ChannelHandlerContext) {
    // The kernel ends the connection if the other side acknowledges nothing for that long (tcp(7)).
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

/// Clears the target of requests whose target is not a path. Otherwise, the next handler would use the path
/// of an absolute URI (RFC 9112 3.2.2) and ignore its authority.
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
