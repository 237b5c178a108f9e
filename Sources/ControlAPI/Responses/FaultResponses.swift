import AccessoryProfile
import BLELink
import Faults
import HTTPTypes
import Hummingbird
import Understudy

/// Answers requests about what an accessory does wrong on purpose.
struct FaultResponses: Sendable {
  var accessory: Accessory

  func respond(to resource: FaultResource, _ request: Request) async throws(Refusal) -> Response {
    switch (resource, request.method) {
    case (.all, .get): return .json(.object(["faults": .array(await accessory.faults().map(\.json))]))
    case (.all, .post):
      guard let body = try await JSONBody.read(request) else {
        throw Refusal(
          .badRequest, "a fault is wanted, as {\"on\": {\"read\": \"level\"}, \"do\": {\"error\": \"0x80\"}}")
      }
      let state = try await granted { accessory throws(ControlError) in try await accessory.armFault(body) }
      return .json(state.json, status: .created)
    case (.all, _):
      try await granted { accessory throws(ControlError) in try await accessory.disarm() }
      return .json(.object(["faults": .array([])]))
    case (.fault(let id), .get):
      guard let state = await accessory.faults().first(where: { $0.fault.id == id }) else {
        throw Refusal(.unknownFault(id))
      }
      return .json(state.json)
    case (.fault(let id), _):
      try await granted { accessory throws(ControlError) in try await accessory.disarm(id) }
      return .json(.object(["id": .string(id)]))
    }
  }

  private func granted<Answer: Sendable>(
    _ body: (Accessory) async throws(ControlError) -> Answer
  ) async throws(Refusal) -> Answer {
    do throws(ControlError) { return try await body(accessory) } catch { throw Refusal(error) }
  }
}
