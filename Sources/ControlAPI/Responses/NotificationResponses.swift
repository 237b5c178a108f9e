import AccessoryProfile
import HTTPTypes
import Hummingbird
import Understudy

/// Answers the requests about notifications and who may see them.
struct NotificationResponses {
  let accessory: Accessory

  func answer(_ request: Request, about resource: NotificationResource) async throws(Refusal) -> Response {
    switch (resource, request.method.rawValue) {
    case (.notifications, "POST"):
      let columns = try Self.columns(try await JSONBody.read(request))
      let uid = try await granted { accessory throws(ControlError) in try await accessory.addNotification(columns) }
      return .json(.object(["uid": .int(Int64(uid))]), status: .created)
    case (.notifications, _):
      return .json(.object(["notifications": await accessory.notificationReport()]))
    case (.notification(let segment), "DELETE"):
      let uid = try Self.uid(segment)
      try await granted { accessory throws(ControlError) in try await accessory.removeNotification(uid) }
      return .json(.object(["uid": .int(Int64(uid))]))
    case (.notification(let segment), _):
      let uid = try Self.uid(segment)
      let columns = try Self.columns(try await JSONBody.read(request))
      try await granted { accessory throws(ControlError) in try await accessory.modifyNotification(uid, columns) }
      return .json(.object(["uid": .int(Int64(uid))]))
    case (.authorization(let scope), _):
      let state = try Self.state(try await JSONBody.read(request))
      try await granted { accessory throws(ControlError) in try await accessory.setAuthorization(state, of: scope) }
      let kind = if case .service = scope { "service" } else { "characteristic" }
      return .json(.object([kind: .string(scope.id), "state": .string(state.rawValue)]))
    }
  }

  private func granted<Answer: Sendable>(
    _ body: (Accessory) async throws(ControlError) -> Answer
  ) async throws(Refusal) -> Answer {
    do throws(ControlError) { return try await body(accessory) } catch { throw Refusal(error) }
  }

  private static func uid(_ segment: String) throws(Refusal) -> UInt32 {
    guard segment.allSatisfy({ $0.isASCII && $0.isNumber }), let uid = UInt32(segment) else {
      throw Refusal(.notFound, "there is no notification \(segment): UIDs are numbers, as in the list")
    }
    return uid
  }

  private static func columns(_ body: ProfileValue?) throws(Refusal) -> [String: ProfileValue] {
    guard case .object(let columns) = body else {
      throw Refusal(.badRequest, "an object with the columns of a notification is wanted")
    }
    return columns
  }

  private static func state(_ body: ProfileValue?) throws(Refusal) -> AuthorizationState {
    let field = try JSONBody.fields(body, known: ["state"])["state"]
    guard case .string(let word) = field, let state = AuthorizationState(rawValue: word) else {
      let known = AuthorizationState.allCases.map(\.rawValue).joined(separator: ", ")
      throw Refusal(.badRequest, "state must be one of \(known)")
    }
    return state
  }
}
