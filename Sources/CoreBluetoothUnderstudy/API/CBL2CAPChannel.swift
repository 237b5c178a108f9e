// Core Bluetooth declares the peer and the streams without nullability, so Swift imports them as implicitly unwrapped.
// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

import Foundation

/// A PSM, which identifies a channel of a peripheral.
public typealias CBL2CAPPSM = UInt16

/// A credit-based channel to a peripheral, as two streams. It closes when the app closes both streams or releases the object.
open class CBL2CAPChannel: NSObject, @unchecked Sendable {
  @WeakLocked var owner: CBPeer?
  private let incoming: ChannelInputStream
  private let outgoing: ChannelOutputStream
  private let pipe: ChannelPipe

  init(psm: CBL2CAPPSM, peer: CBPeer, pipe: ChannelPipe) {
    self.psm = psm
    self.pipe = pipe
    incoming = ChannelInputStream(pipe)
    outgoing = ChannelOutputStream(pipe)
    super.init()
    owner = peer
    pipe.attach(incoming, outgoing)
  }

  deinit { pipe.release() }

  /// The peer; nil when it no longer exists.
  open var peer: CBPeer! { owner }
  /// The octets from the peer.
  open var inputStream: InputStream! { incoming }
  /// The octets to the peer.
  open var outputStream: OutputStream! { outgoing }
  /// The PSM.
  public let psm: CBL2CAPPSM
}
