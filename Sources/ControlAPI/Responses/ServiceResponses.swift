import AccessoryProfile
import HTTPTypes
import Hummingbird
import Understudy

/// Answers the requests about services that come, change and go.
struct ServiceResponses {
  let accessory: Accessory

  func answer(_ request: Request, about resource: ServiceResource) async throws(Refusal) -> Response {
    switch (resource, request.method.rawValue) {
    case (.services, "POST"):
      let json = try await Self.service(request)
      do throws(ControlError) {
        return .json(try await accessory.addService(json: json), status: .created)
      } catch {
        throw Refusal(error)
      }
    case (.services, _): return .json(.object(["services": await accessory.serviceReport()]))
    case (.service(let id), "DELETE"):
      do throws(ControlError) { try await accessory.removeService(id) } catch { throw Refusal(error) }
      return .json(.object(["removed": .string(id)]))
    case (.service(let id), _):
      let json = try await Self.service(request)
      do throws(ControlError) {
        return .json(try await accessory.replaceService(id, json: json))
      } catch {
        throw Refusal(error)
      }
    }
  }

  /// The text of a service: its keys have an order, which a decoded value has not.
  private static func service(_ request: Request) async throws(Refusal) -> [UInt8] {
    let octets = try await JSONBody.octets(of: request)
    guard !octets.isEmpty else {
      throw Refusal(
        .badRequest,
        "a service is wanted, as {\"id\": \"log\", \"uuid\": \"FFF0\", \"characteristics\": []} or {\"include\": \"battery\"}"
      )
    }
    return octets
  }
}
