import AccessoryProfile
import HTTPTypes
import Hummingbird
import NIOCore

/// The body of a request.
enum JSONBody {
  /// The maximum number of octets in a body.
  static let limit = 64 * 1024

  /// Returns the octets of a request's body.
  static func octets(of request: Request) async throws(Refusal) -> [UInt8] {
    var octets: [UInt8] = []
    do {
      for try await buffer in request.body {
        guard octets.count + buffer.readableBytes <= limit else {
          throw Refusal(.bodyTooLarge, "the body has more than \(limit) octets")
        }
        octets.append(contentsOf: buffer.readableBytesView)
      }
    } catch let refusal as Refusal {
      throw refusal
    } catch {
      throw Refusal(.badRequest, "the body is incomplete")
    }
    return octets
  }

  /// Parses the JSON of a body; nil if the body is empty.
  static func read(_ octets: [UInt8]) throws(Refusal) -> ProfileValue? {
    guard !octets.isEmpty else { return nil }
    do throws(ProfileValueError) { return try ProfileValue(json: octets) } catch {
      throw Refusal(.badJSON, "the body is not JSON in UTF-8: \(error.message)")
    }
  }
}
