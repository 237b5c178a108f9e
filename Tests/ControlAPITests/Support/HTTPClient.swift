import AccessoryProfile
import Foundation

/// An unprocessed response.
struct Answer: Sendable {
  var status: Int
  var headers: [String: String]
  var body: [UInt8]

  /// The body as JSON.
  var json: ProfileValue {
    get throws { try JSONDecoder().decode(ProfileValue.self, from: Data(body)) }
  }

  /// A field of the JSON.
  subscript(field: String) -> ProfileValue? {
    guard case .object(let fields) = try? json else { return nil }
    return fields[field]
  }

  /// The error in a response.
  var error: String {
    guard case .string(let text) = self["error"] else { return "" }
    return text
  }
}

/// The smallest HTTP/1.1 client: one connection for each request, with exactly the text of the test.
struct HTTPClient: Sendable {
  var port: UInt16
  var headers: [String: String] = [:]

  func get(_ path: String) async throws -> Answer { try await request("GET", path) }
  func put(_ path: String, _ body: String) async throws -> Answer { try await request("PUT", path, body) }
  func post(_ path: String, _ body: String = "") async throws -> Answer { try await request("POST", path, body) }

  func delete(_ path: String) async throws -> Answer { try await request("DELETE", path) }

  func request(_ method: String, _ path: String, _ body: String = "") async throws -> Answer {
    try await exchange(head(method, path, length: body.utf8.count) + body)
  }

  /// Sends a text unchanged, and reads the response up to the end of the connection.
  func exchange(_ text: String) async throws -> Answer {
    let port = port
    let octets = try await onThread {
      let socket = try BlockingSocket(port: port)
      try socket.send(Array(text.utf8))
      var octets: [UInt8] = []
      while case let more = try socket.receive(), !more.isEmpty { octets += more }
      return octets
    }
    guard let end = octets.firstRange(of: Array("\r\n\r\n".utf8)) else { throw SocketFailure(what: "no head") }
    let lines = String(decoding: octets[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    let status = Int(lines[0].split(separator: " ")[1]) ?? 0
    return Answer(status: status, headers: headers, body: Array(octets[end.upperBound...]))
  }

  func head(_ method: String, _ path: String, length: Int) -> String {
    var headers = ["Host": "127.0.0.1:\(port)", "Connection": "close", "Content-Length": "\(length)"]
    headers.merge(self.headers) { _, new in new }
    let lines = headers.filter { !$0.value.isEmpty }.map { "\($0.key): \($0.value)" }.sorted()
    return (["\(method) \(path) HTTP/1.1"] + lines + ["", ""]).joined(separator: "\r\n")
  }

  /// Opens a stream of events; returns when its head has arrived.
  func events(_ path: String = "/v1/events") async throws -> EventClient {
    let (port, head) = (port, head("GET", path, length: 0))
    let (socket, first) = try await onThread {
      let socket = try BlockingSocket(port: port)
      try socket.send(Array(head.utf8))
      var octets: [UInt8] = []
      while octets.firstRange(of: Array("\r\n\r\n".utf8)) == nil {
        let more = try socket.receive()
        guard !more.isEmpty else { throw SocketFailure(what: "the stream ended in its head") }
        octets += more
      }
      return (socket, String(decoding: octets, as: UTF8.self))
    }
    return EventClient(socket: socket, beginning: first)
  }
}
