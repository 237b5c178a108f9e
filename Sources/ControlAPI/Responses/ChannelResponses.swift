import AccessoryProfile
import BLEHCI
import BLEL2CAP
import HTTPTypes
import Hummingbird
import BLELink
import PeripheralHost
import Understudy

/// Answers the requests about L2CAP channels.
struct ChannelResponses {
  let accessory: Accessory
  let bridges: BridgeAllowance

  func answer(_ request: Request, about resource: ChannelResource) async throws(Refusal) -> Response {
    switch resource {
    case .channels: return .json(.object(["channels": await accessory.channelReport()]))
    case .sending(let connection, let channel):
      let (handle, id) = (try LinkRequests.handle(connection), try ChannelRequests.channel(channel))
      let sdu = try ChannelRequests.sdu(try await JSONBody.read(request))
      try await perform(.send(handle, id, sdu))
      return Self.accepted(handle, id, ["octets": .int(Int64(sdu.count))])
    case .closing(let connection, let channel):
      let (handle, id) = (try LinkRequests.handle(connection), try ChannelRequests.channel(channel))
      _ = try JSONBody.fields(try await JSONBody.read(request), known: [])
      try await perform(.close(handle, id))
      return Self.accepted(handle, id)
    case .opening(let connection):
      let handle = try LinkRequests.handle(connection)
      let opening = try ChannelRequests.opening(try await JSONBody.read(request))
      let ids = try await open(opening, on: handle)
      return .json(
        .object([
          "connection": .int(Int64(handle.rawValue)), "psm": .int(Int64(opening.psm.rawValue)),
          "channels": .array(ids.map { .int(Int64($0.rawValue)) }),
        ]), status: .accepted)
    case .authorization(let id):
      let authorization = try ChannelRequests.authorization(try await JSONBody.read(request))
      try await authorize(authorization, id)
      return .json(.object(["id": .string(id), "state": .string(authorization.word)]))
    case .publications:
      guard request.method.rawValue == "POST" else {
        return .json(.object(["published": await accessory.publicationReport()]))
      }
      var definition = try ChannelRequests.publication(try await JSONBody.read(request))
      definition.handler = try bridges.admit(definition.handler)
      return .json(try await publish(definition), status: .created)
    case .publication(let id):
      do throws(ControlError) { try await accessory.unpublish(id) } catch { throw Refusal(error) }
      return .json(.object(["unpublished": .string(id)]))
    }
  }

  private func perform(_ request: ChannelRequest) async throws(Refusal) {
    do throws(ControlError) { try await accessory.perform(.channel(request)) } catch { throw Refusal(error) }
  }

  private func open(
    _ opening: ChannelRequests.Opening, on handle: ConnectionHandle
  ) async throws(Refusal) -> [ChannelID] {
    do throws(ControlError) {
      guard let count = opening.enhancedCount else {
        return [try await accessory.openChannel(opening.psm, on: handle, parameters: opening.parameters)]
      }
      return try await accessory.openEnhancedChannels(
        opening.psm, count: count, on: handle, parameters: opening.parameters)
    } catch {
      throw Refusal(error)
    }
  }

  private func authorize(_ authorization: ChannelAuthorization, _ id: String) async throws(Refusal) {
    do throws(ControlError) {
      try await accessory.setAuthorization(authorization, ofPublication: id)
    } catch {
      throw Refusal(error)
    }
  }

  private func publish(_ definition: ChannelDefinition) async throws(Refusal) -> ProfileValue {
    do throws(ControlError) { return try await accessory.publish(definition).json } catch { throw Refusal(error) }
  }

  /// Something was asked of a channel, and begins.
  private static func accepted(
    _ handle: ConnectionHandle, _ id: ChannelID, _ fields: [String: ProfileValue] = [:]
  ) -> Response {
    var fields = fields
    fields["connection"] = .int(Int64(handle.rawValue))
    fields["channel"] = .int(Int64(id.rawValue))
    return .json(.object(fields), status: .accepted)
  }
}
