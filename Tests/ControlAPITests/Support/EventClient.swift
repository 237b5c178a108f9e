import AccessoryProfile
import Foundation

/// A message of an event stream: a comment, or an event with its data.
struct EventMessage: Sendable {
  var name: String?
  var id: Int?
  var data: ProfileValue?
  var comment: String?

  init(_ text: String) {
    for line in text.split(separator: "\n") {
      if line.hasPrefix(":") { comment = line.dropFirst().trimmingCharacters(in: .whitespaces) }
      if line.hasPrefix("id: ") { id = Int(line.dropFirst(4)) }
      if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
      if line.hasPrefix("data: ") {
        data = try? JSONDecoder().decode(ProfileValue.self, from: Data(line.dropFirst(6).utf8))
      }
    }
  }

  subscript(field: String) -> ProfileValue? {
    guard case .object(let fields) = data else { return nil }
    return fields[field]
  }
}

/// A stream of events for a client.
struct EventClient: Sendable {
  let head: String
  let messages: AsyncStream<EventMessage>
  private let socket: BlockingSocket

  init(socket: BlockingSocket, beginning: String) {
    self.socket = socket
    let parts = beginning.components(separatedBy: "\r\n\r\n")
    head = parts[0].lowercased()
    let (messages, feed) = AsyncStream.makeStream(of: EventMessage.self)
    self.messages = messages
    let rest = Array(parts.dropFirst().joined(separator: "\r\n\r\n").utf8)
    Thread.detachNewThread {
      Self.read(socket, rest, into: feed)
      feed.finish()
    }
  }

  /// Returns the next event with that name; nil if the stream ends first.
  func next(_ name: String) async -> EventMessage? {
    for await message in messages where message.name == name { return message }
    return nil
  }

  func close() { socket.shutDown() }

  /// Reads chunks (RFC 9112 7.1) up to the last one.
  private static func read(
    _ socket: BlockingSocket, _ beginning: [UInt8], into feed: AsyncStream<EventMessage>.Continuation
  ) {
    var octets = beginning
    var text = ""
    var isOver = false
    while true {
      while let line = octets.firstRange(of: [13, 10]),
        let size = Int(String(decoding: octets[..<line.lowerBound], as: UTF8.self), radix: 16),
        octets.count >= line.upperBound + size + 2
      {
        isOver = size == 0
        text += String(decoding: octets[line.upperBound..<line.upperBound + size], as: UTF8.self)
        octets.removeFirst(line.upperBound + size + 2)
      }
      while let end = text.firstRange(of: "\n\n") {
        feed.yield(EventMessage(String(text[..<end.lowerBound])))
        text.removeSubrange(..<end.upperBound)
      }
      guard !isOver, let more = try? socket.receive(), !more.isEmpty else { return }
      octets += more
    }
  }
}
