import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import PeripheralHost

extension HostEvent {
  /// The event as a JSON object without a time, for hosts that belong to no accessory.
  package var json: ProfileValue { .event(described) }
}

extension AddressType {
  /// `public` or `random`.
  package var text: String { self == .publicDevice || self == .publicIdentity ? "public" : "random" }
}

extension Duration {
  /// The duration in milliseconds, as in JSON.
  package var milliseconds: ProfileValue { .double(Double(inNanoseconds) / 1e6) }
}

extension PHY {
  /// `1M`, `2M` or `coded`.
  package var text: String {
    switch self {
    case .le1M: "1M"
    case .le2M: "2M"
    case .leCoded: "coded"
    default: "0x\([rawValue].hexadecimal)"
    }
  }
}

extension ConnectionDetails {
  package var json: [String: ProfileValue] {
    [
      "transport": .string(transport.rawValue), "peer": .string(peer.description),
      "peer_type": .string(peerType.text), "interval_ms": interval.milliseconds,
      "latency": .int(Int64(latency)), "timeout_ms": timeout.milliseconds,
    ]
  }
}

extension HostEvent {
  /// The event's name and fields.
  package var described: (name: String, fields: [String: ProfileValue]) {
    switch self {
    case .controllerReady(let controller, let address, _): ("controller", controller.json(address))
    case .identityChanged(let address): ("identity-changed", ["address": .string("\(address)")])
    case .advertisingReady(let sets): ("advertising-ready", ["sets": .array(sets.map { .string($0) })])
    case .advertising(let event): event.described
    case .turnedAway(let handle): ("central-turned-away", handle.fields([:]))
    case .connected(let handle, let details): ("connected", handle.fields(details.json))
    case .connectionFailed(let status):
      ("connection-failed", ["reason": .string("\(status)"), "code": .int(Int64(status.rawValue))])
    case .disconnected(let handle, let reason):
      ("disconnected", handle.fields(["reason": .string("\(reason)"), "code": .int(Int64(reason.rawValue))]))
    case .parametersChanged(let handle, let interval, let latency, let timeout):
      (
        "parameters",
        handle.fields([
          "interval_ms": interval.milliseconds, "latency": .int(Int64(latency)), "timeout_ms": timeout.milliseconds,
        ])
      )
    case .parametersRequested(let handle, let parameters, let accepted):
      (
        "parameters-requested",
        handle.fields([
          "shortest_interval_ms": parameters.intervals.lowerBound.milliseconds,
          "longest_interval_ms": parameters.intervals.upperBound.milliseconds,
          "latency": .int(Int64(parameters.latency)), "timeout_ms": parameters.timeout.milliseconds,
          "accepted": .bool(accepted),
        ])
      )
    case .parametersAnswered(let handle, let accepted):
      ("parameters-answered", handle.fields(["accepted": .bool(accepted)]))
    case .phyChanged(let handle, let transmit, let receive):
      ("phy", handle.fields(["tx": .string(transmit.text), "rx": .string(receive.text)]))
    case .dataLengthChanged(let handle, let transmit, let receive):
      ("data-length", handle.fields(["tx": .int(Int64(transmit)), "rx": .int(Int64(receive))]))
    case .server(let handle, let event): event.described(on: handle)
    case .client(let handle, let event): event.described(on: handle)
    case .notified(let handle, _, let octets): ("notified", handle.fields(["hex": .string(octets.hexadecimal)]))
    case .databaseChanged(let change):
      (
        "database-changed",
        [
          "first_handle": .int(Int64(change.affected.lowerBound)),
          "last_handle": .int(Int64(change.affected.upperBound)), "hash": .string(change.hash.hexadecimal),
        ]
      )
    case .notificationDropped(let handle, _): ("notification-dropped", handle.fields([:]))
    case .indicated(let handle, _, let octets): ("indicated", handle.fields(["hex": .string(octets.hexadecimal)]))
    case .channel(let handle, let event): event.described(on: handle)
    case .sdu(let handle, let id, let octets):
      ("sdu", handle.fields(["channel": .int(Int64(id.rawValue)), "hex": .string(octets.hexadecimal)]))
    case .frame(let handle, let channel, let payload):
      (
        "frame",
        handle.fields(["channel": .int(Int64(channel.rawValue)), "hex": .string(payload.hexadecimal)])
      )
    case .readyForMore(let handle): ("ready-for-more", handle.fields([:]))
    case .classicScans(let isDiscoverable, let isConnectable):
      ("br-edr", ["discoverable": .bool(isDiscoverable), "connectable": .bool(isConnectable)])
    case .inquiring(let isOn): ("inquiring", ["on": .bool(isOn)])
    case .found(let device): ("found", device.json)
    case .remoteName(let address, let name, let status): ("remote-name", Self.remoteName(of: address, name, status))
    case .attributeChannel(let handle, let isOpen): ("attribute-channel", handle.fields(["open": .bool(isOpen)]))
    case .serviceRecords(let handle, let result): ("service-records", handle.fields(result.json))
    case .scanning(let isOn): ("scanning", ["on": .bool(isOn)])
    case .advertisement(let advertisement):
      (
        "advertisement",
        ["address": .string("\(advertisement.address)"), "data": .string(advertisement.octets.hexadecimal)]
      )
    case .refused(let opcode, let status):
      ("command-refused", ["command": .string("\(opcode)"), "status": .string("\(status)")])
    case .security(let handle, let event): event.described(on: handle)
    case .encryptionFailed(let handle, let status):
      ("encryption-failed", handle.fields(["reason": .string("\(status)"), "code": .int(Int64(status.rawValue))]))
    case .authenticatedPayloadTimeout(let handle): ("authenticated-payload-timeout", handle.fields([:]))
    case .bondChanged(let record): ("bond-changed", ["peer": .string("\(record.peer.address)")])
    case .bondRemoved(let peer): ("bond-removed", ["peer": .string("\(peer.address)")])
    case .fault(let fault): ("fault", fault.fields.merging(["done": .string(fault.remedy.rawValue)]) { $1 })
    case .injected(let handle, let id, let done, _):
      (
        "fault",
        (handle?.fields([:]) ?? [:]).merging([
          "fault": .string("injected"), "id": .string(id), "done": .string(done),
        ]) { $1 }
      )
    case .controllerFailed(let failure): ("controller-failed", ["reason": .string("\(failure)")])
    case .stopped: ("stopped", [:])
    }
  }
}

extension ServerEvent {
  fileprivate func described(on handle: ConnectionHandle) -> (name: String, fields: [String: ProfileValue]) {
    switch self {
    case .mtuExchanged(let client, let effective):
      ("mtu", handle.fields(["client": .int(Int64(client)), "mtu": .int(Int64(effective))]))
    case .subscriptionChanged(_, let configuration):
      (
        configuration.isEmpty ? "unsubscribed" : "subscribed",
        handle.fields([
          "notify": .bool(configuration.contains(.notification)),
          "indicate": .bool(configuration.contains(.indication)),
        ])
      )
    case .read(_, let octets): ("read", handle.fields(["hex": .string(octets.hexadecimal)]))
    case .written(_, let octets): ("write", handle.fields(["hex": .string(octets.hexadecimal)]))
    case .broadcastChanged(_, let isOn): ("broadcast", handle.fields(["on": .bool(isOn)]))
    case .featuresChanged(let features):
      ("client-features", handle.fields(["features": .int(Int64(features.rawValue))]))
    case .awaiting(let ticket, let opcode, let attribute):
      (
        "answer-awaited",
        handle.fields([
          "ticket": .int(Int64(clamping: ticket.number)), "request": .string("\(opcode)"),
          "handle": .int(Int64(attribute)),
        ])
      )
    case .running(outOfTime: let ticket):
      ("answer-overdue", handle.fields(["ticket": .int(Int64(clamping: ticket.number))]))
    case .cancelled(let ticket):
      ("answer-cancelled", handle.fields(["ticket": .int(Int64(clamping: ticket.number))]))
    case .earlyRequest(let opcode, let isKept):
      ("early-request", handle.fields(["request": .string("\(opcode)"), "kept": .bool(isKept)]))
    case .confirmed(let attribute): ("confirmed", handle.fields(["handle": .int(Int64(attribute))]))
    case .refused(let opcode, let attribute, let error):
      (
        "refused",
        handle.fields([
          "request": .string("\(opcode)"), "handle": .int(Int64(attribute)), "error": .string("\(error)"),
        ])
      )
    }
  }
}

extension AdvertisingEvent {
  fileprivate var described: (name: String, fields: [String: ProfileValue]) {
    switch self {
    case .started(let set, let interval):
      ("advertising-started", ["set": .string(set), "interval_ms": interval.milliseconds])
    case .stopped(let set): ("advertising-stopped", ["set": .string(set)])
    case .limitReached(let set, let events):
      ("advertising-limit-reached", ["set": .string(set), "events": .int(Int64(events))])
    case .powered(let set, let power):
      ("advertising-power", ["set": .string(set), "power": .int(Int64(power))])
    case .refused(let set, let opcode, let status):
      (
        "advertising-refused",
        ["set": .string(set), "command": .string("\(opcode)"), "status": .string("\(status)")]
      )
    case .unavailable(let set, let reason):
      ("advertising-unavailable", ["set": .string(set), "reason": .string(reason)])
    case .unfiltered(let set, let reason):
      ("advertising-unfiltered", ["set": .string(set), "reason": .string(reason)])
    }
  }
}

extension ControllerProfile {
  fileprivate func json(_ address: DeviceAddress) -> [String: ProfileValue] {
    [
      "address": .string(address.description), "version": .string("\(version)"),
      "manufacturer": .string("\(manufacturer)"), "acl_length": .int(Int64(aclLength)),
      "acl_count": .int(Int64(aclCount)), "data_length": .int(Int64(maximumDataLength)),
      "extended_advertising": .bool(advertising.usesExtendedCommands),
      "advertising_sets": .int(Int64(advertising.setCount)),
      "advertising_data_length": .int(Int64(advertising.maximumDataLength)),
    ]
  }
}

extension ConnectionHandle {
  /// Returns the fields, with the connection added.
  package func fields(_ fields: [String: ProfileValue]) -> [String: ProfileValue] {
    var fields = fields
    fields["connection"] = .int(Int64(rawValue))
    return fields
  }
}

extension ProtocolFault {
  fileprivate var fields: [String: ProfileValue] {
    switch self {
    case .skippedOctets(let count):
      ["fault": .string("skipped-octets"), "count": .int(Int64(count))]
    case .malformedEvent(let code): ["fault": .string("malformed-event"), "code": .int(Int64(code))]
    case .malformedACL(let handle, let reason):
      handle.fields(["fault": .string("malformed-acl"), "reason": .string(reason)])
    case .unknownConnection(let handle): handle.fields(["fault": .string("unknown-connection")])
    case .unknownChannel(let handle, let channel):
      handle.fields(["fault": .string("unknown-channel"), "channel": .int(Int64(channel))])
    case .signalling(let handle, let reason):
      handle.fields(["fault": .string("signalling"), "reason": .string(reason)])
    case .bogusCompletion(let handle): handle.fields(["fault": .string("bogus-completion")])
    case .transactionTimeout(let handle): handle.fields(["fault": .string("transaction-timeout")])
    case .bearerTimeout(let handle, let id):
      handle.fields(["fault": .string("bearer-timeout"), "channel": .int(Int64(id))])
    case .flooding(let handle): handle.fields(["fault": .string("flooding")])
    case .unexpectedAnswer(let opcode):
      ["fault": .string("unexpected-answer"), "command": .string("\(opcode)")]
    case .linkForgotten(let handle): handle.fields(["fault": .string("link-forgotten")])
    case .completionsMissed(let handle, let count):
      handle.fields(["fault": .string("completions-missed"), "count": .int(Int64(count))])
    case .stalled(let handle): handle.fields(["fault": .string("stalled")])
    case .encryptionUnreported(let handle): handle.fields(["fault": .string("encryption-unreported")])
    case .commandLost(let opcode): ["fault": .string("command-lost"), "command": .string("\(opcode)")]
    case .settingsReapplied(let opcode): ["fault": .string("settings-reapplied"), "command": .string("\(opcode)")]
    case .controllerRestarted(let reason):
      ["fault": .string("controller-restarted"), "reason": .string(reason)]
    }
  }
}
