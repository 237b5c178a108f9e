import AccessoryProfile
import BLEGAP
import BLEGATT
import BLEHCI
import BLESMP
import HTTPTypes
import Hummingbird
import BLELink
import PeripheralHost
import Understudy

/// Answers the requests about an accessory.
struct AccessoryResponses {
  let accessory: Accessory
  let streams: EventStream

  func answer(_ request: Request, about resource: AccessoryResource) async throws(Refusal) -> Response {
    switch resource {
    case .accessory: return .json(await accessory.stateReport())
    case .events:
      let (accessory, filter) = (accessory, try EventStream.filter(of: request))
      return try await streams.response(to: request, filter) { happened, ended in
        let id = await accessory.observe(seeingAccess: true, ended: ended) { happened($0.json) }
        return { await accessory.forget(observer: id) }
      }
    case .packets: return try await PacketResponses(accessory: accessory, streams: streams).packets(request)
    case .capture: return try await PacketResponses(accessory: accessory, streams: streams).capture(request)
    case .ring: return try await PacketResponses(accessory: accessory, streams: streams).ring(request)
    case .characteristics: return .json(.object(["characteristics": await accessory.characteristicList()]))
    case .advertising: return .json(.object(["advertising": await accessory.advertisingReport()]))
    case .buttons:
      let state = await accessory.profileState
      let buttons = await accessory.buttons.map { ProfileValue.string($0) }
      return .json(.object(["buttons": .array(buttons), "state": state.map { .string($0) } ?? .null]))
    case .press(let button):
      _ = try JSONBody.fields(try await JSONBody.read(request), known: [])
      do throws(ControlError) { try await accessory.press(button) } catch { throw Refusal(error) }
      return .json(.object(["button": .string(button)]), status: .accepted)
    case .sleep(let isAsleep):
      _ = try JSONBody.fields(try await JSONBody.read(request), known: [])
      do throws(ControlError) { try await accessory.setAsleep(isAsleep) } catch { throw Refusal(error) }
      return .json(.object(["asleep": .bool(isAsleep)]), status: .accepted)
    case .value(let name):
      if request.method.rawValue == "PUT" {
        try await put(JSONBody.value(try await JSONBody.read(request)), of: name)
      }
      return .json(try await report(of: name))
    case .notification(let name):
      return try await send(name, indicating: false, try await JSONBody.read(request))
    case .indication(let name):
      return try await send(name, indicating: true, try await JSONBody.read(request))
    case .advertisingSwitch(let set, let isOn):
      try await advertise(set, isOn: isOn)
      return .json(.object(["set": .string(set), "wanted": .bool(isOn)]), status: .accepted)
    case .disconnection(let segment):
      let handle = try LinkRequests.handle(segment)
      let reason = try LinkRequests.reason(try await JSONBody.read(request))
      try await perform(.disconnect(handle, reason: reason))
      return .json(.object(["connection": .int(Int64(handle.rawValue))]), status: .accepted)
    case .parameters(let segment):
      let handle = try LinkRequests.handle(segment)
      let parameters = try LinkRequests.parameters(try await JSONBody.read(request))
      try await perform(.requestParameters(handle, parameters))
      return .json(.object(["connection": .int(Int64(handle.rawValue))]), status: .accepted)
    case .pairing(let segment):
      let handle = try LinkRequests.handle(segment)
      _ = try JSONBody.fields(try await JSONBody.read(request), known: [])
      try await perform(.pair(handle))
      return .json(.object(["connection": .int(Int64(handle.rawValue))]), status: .accepted)
    case .security:
      if request.method.rawValue == "PUT" { try await setSecurity(try await JSONBody.read(request)) }
      return .json(await accessory.securityReport())
    case .outOfBand: return try await outOfBand(request)
    case .identityRotation:
      _ = try JSONBody.fields(try await JSONBody.read(request), known: [])
      do throws(ControlError) { return .json(try await accessory.rotateIdentity().json) } catch { throw Refusal(error) }
    case .remote(let segment):
      return .json(try await RemoteResponses(accessory: accessory).report(of: try LinkRequests.handle(segment)))
    case .remoteOperation(let segment, let verb):
      let handle = try LinkRequests.handle(segment)
      let body = try await JSONBody.read(request)
      return .json(try await RemoteResponses(accessory: accessory).perform(verb, body, on: handle))
    }
  }

  // MARK: - The accessory's refusals

  private func perform(_ request: HostRequest) async throws(Refusal) {
    do throws(ControlError) { try await accessory.perform(request) } catch { throw Refusal(error) }
  }

  private func put(_ value: ProfileValue, of name: String) async throws(Refusal) {
    do throws(ControlError) { try await accessory.setValue(value, of: name) } catch { throw Refusal(error) }
  }

  private func report(of name: String) async throws(Refusal) -> ProfileValue {
    do throws(ControlError) { return try await accessory.valueReport(of: name) } catch { throw Refusal(error) }
  }

  /// Changes how it pairs: the keys of a profile's `security`. What is not given is as in a profile without it.
  private func setSecurity(_ body: ProfileValue?) async throws(Refusal) {
    guard let body else {
      throw Refusal(.badRequest, "the keys of a profile's security are wanted, as {\"pairing\": \"display\"}")
    }
    let definition: SecurityDefinition
    do throws(ProfileValueError) { definition = try SecurityDefinition.load(body) } catch {
      throw Refusal(.badRequest, error.message)
    }
    do throws(ControlError) { try await accessory.setSecurity(definition) } catch { throw Refusal(error) }
  }

  /// Reads, makes and forgets what centrals are given out of band.
  private func outOfBand(_ request: Request) async throws(Refusal) -> Response {
    switch request.method.rawValue {
    case "POST":
      let fields = try JSONBody.fields(try await JSONBody.read(request), known: ["kind"])
      let kind: OutOfBandKind? =
        switch fields["kind"] {
        case nil: .secureConnections
        case .string(let word): OutOfBandKind(rawValue: word)
        default: nil
        }
      guard let kind else {
        throw Refusal(.badRequest, "kind is \(OutOfBandKind.allCases.map(\.rawValue).joined(separator: " or "))")
      }
      do throws(ControlError) { return .json(try await accessory.makeOutOfBandData(kind)) } catch {
        throw Refusal(error)
      }
    case "DELETE":
      do throws(ControlError) { try await accessory.forgetOutOfBandData() } catch { throw Refusal(error) }
      return .json(await accessory.outOfBandReport())
    default: return .json(await accessory.outOfBandReport())
    }
  }

  /// Sends a value, after setting it where the body has one: `{"value": …}` or `{"hex": "0102"}`, to one `connection` where it
  /// names one.
  private func send(
    _ name: String, indicating isIndication: Bool, _ body: ProfileValue?
  ) async throws(Refusal) -> Response {
    let sending = try LinkRequests.sending(body)
    do throws(ControlError) {
      let report = try await accessory.send(
        name, indicating: isIndication, value: sending.value, on: sending.connection)
      return .json(
        .object([
          isIndication ? "indicated" : "notified": .string(name), "sent": .int(Int64(report.sent)),
          "queued": .int(Int64(report.queued)), "dropped": .int(Int64(report.dropped)),
        ]))
    } catch {
      throw Refusal(error)
    }
  }

  private func advertise(_ set: String, isOn: Bool) async throws(Refusal) {
    do throws(ControlError) {
      try await accessory.perform(.advertise(set: set, isOn: isOn))
    } catch {
      guard case .refused(.unknownSet) = error else { throw Refusal(error) }
      // A set of the profile is known, but the controller may not be up yet or may not carry it.
      guard accessory.profile.advertising.contains(where: { $0.id == set }) else { throw Refusal(error) }
      throw Refusal(.conflict, "the controller cannot carry the advertising set \(set), or is not up yet")
    }
  }
}
