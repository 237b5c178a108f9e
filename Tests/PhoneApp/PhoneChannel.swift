import CoreBluetoothUnderstudy

/// A channel of the app. Octets to send wait for room in the stream, and arriving octets are reported.
final class PhoneChannel: NSObject, StreamDelegate {
  private let channel: CBL2CAPChannel
  private unowned let app: TestApp
  private var waiting = Data()

  init(_ channel: CBL2CAPChannel, of app: TestApp) {
    (self.channel, self.app) = (channel, app)
    super.init()
    for stream in streams {
      stream.delegate = self
      stream.schedule(in: .main, forMode: .default)
      stream.open()
    }
  }

  private var streams: [Stream] { [channel.inputStream, channel.outputStream] }

  func send(_ octets: Data) {
    waiting += octets
    write()
  }

  func close() { for stream in streams { stream.close() } }

  func stream(_ stream: Stream, handle event: Stream.Event) {
    switch event {
    case .hasBytesAvailable: read()
    case .hasSpaceAvailable: write()
    case .endEncountered where stream === channel.inputStream: app.tell("channelEnded")
    default: break
    }
  }

  private func write() {
    while !waiting.isEmpty, channel.outputStream.hasSpaceAvailable {
      let count = [UInt8](waiting).withUnsafeBufferPointer { octets in
        octets.baseAddress.map { channel.outputStream.write($0, maxLength: octets.count) } ?? 0
      }
      guard count > 0 else { return }
      waiting = Data(waiting.dropFirst(count))
    }
  }

  private func read() {
    var octets = [UInt8](repeating: 0, count: 4096)
    while channel.inputStream.hasBytesAvailable {
      let count = channel.inputStream.read(&octets, maxLength: octets.count)
      guard count > 0 else { return }
      app.tell("received", ["value": plain(Data(octets.prefix(count)))])
    }
  }
}
