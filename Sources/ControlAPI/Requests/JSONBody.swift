import AccessoryProfile
import BLECore
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

/// The body of a request.
enum JSONBody {
  /// The most octets that a body may have.
  static let limit = 64 * 1024

  /// The octets of a request's body.
  static func octets(of request: Request) async throws(Refusal) -> [UInt8] {
    var octets: [UInt8] = []
    do {
      for try await buffer in request.body {
        guard octets.count + buffer.readableBytes <= limit else {
          throw Refusal(.contentTooLarge, "the body has more than \(limit) octets")
        }
        octets.append(contentsOf: buffer.readableBytesView)
      }
    } catch let refusal as Refusal {
      throw refusal
    } catch {
      throw Refusal(.badRequest, "the body did not come to its end")
    }
    return octets
  }

  /// The JSON of a request; nil when it has no body.
  static func read(_ request: Request) async throws(Refusal) -> ProfileValue? {
    let octets = try await octets(of: request)
    guard !octets.isEmpty else { return nil }
    do {
      return try JSONDecoder().decode(ProfileValue.self, from: Data(octets))
    } catch {
      throw Refusal(.badRequest, "the body is not JSON")
    }
  }

  /// The value that is to be put: `{"hex": "0102"}`, `{"value": …}`, or the typed value as it is.
  static func value(_ body: ProfileValue?) throws(Refusal) -> ProfileValue {
    guard let body else {
      throw Refusal(.badRequest, "a value is wanted, as {\"hex\": \"0102\"}, {\"value\": …} or as it is")
    }
    guard case .object(let fields) = body, fields.count == 1 else { return body }
    if let value = fields["value"] { return value }
    guard fields["hex"] != nil, body.octets == nil else { return body }
    throw Refusal(.badRequest, "hex wants a text of pairs of hexadecimal digits, as \"0102\"")
  }

  /// The fields of a body that is an object with no others than the known ones; no body is no fields.
  static func fields(_ body: ProfileValue?, known: [String]) throws(Refusal) -> [String: ProfileValue] {
    guard let body else { return [:] }
    let names = known.joined(separator: ", ")
    guard case .object(let fields) = body else { throw Refusal(.badRequest, "an object is wanted (known: \(names))") }
    for name in fields.keys.sorted() where !known.contains(name) {
      throw Refusal(.badRequest, "unknown field \(name) (known: \(names))")
    }
    return fields
  }
}
