import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLESMP
import Faults

/// The actions of faults, except alterations of PDUs.
extension HostEngine {
  /// Executes the action of the fault that an event triggers, and returns it.
  @discardableResult
  mutating func injectFault(
    at event: FaultEvent, on connection: ConnectionHandle?, into out: inout HostOutput
  ) -> FaultAction? {
    guard let fault = faults?.fault(of: event, on: connection, at: out.now) else { return nil }
    out.events.append(.injected(connection, fault: fault.id, done: fault.action.text, nil))
    noteFired(fault)
    carryOut(fault.action, on: connection, into: &out)
    return fault.action
  }

  /// Executes an action that something on a link has triggered. Actions that end links are deferred to the end of the input, because the
  /// caller is still working on a link.
  mutating func carryOut(_ action: FaultAction, on connection: ConnectionHandle?, into out: inout HostOutput) {
    guard action.endsLinks else { return perform(action, on: connection, into: &out) }
    faults?.agenda.add(.end(action), at: out.now)
  }

  /// Looks up the faults again if this one has fired for the last time, to stop checking for it.
  mutating func noteFired(_ fault: Fault) {
    if faults?.isSpent(fault.id) == true { faults?.lookUp(in: server.database) }
  }

  /// Executes the timed faults that are due.
  mutating func advanceFaults(to now: Instant, into out: inout HostOutput) {
    while let fault = faults?.faultOfTime(at: now) {
      out.events.append(.injected(nil, fault: fault.id, done: fault.action.text, nil))
      let concerned = links.ids.map { links[$0].handle }.filter {
        fault.connection == nil || fault.connection == $0.rawValue
      }
      guard fault.action.isAboutLink else {
        perform(fault.action, on: nil, into: &out)
        continue
      }
      for connection in concerned { perform(fault.action, on: connection, into: &out) }
    }
  }

  /// Executes the deferred tasks that are due. Called at the end of every input.
  mutating func workOffFaults(into out: inout HostOutput) {
    while let task = faults?.agenda.nextTask(at: out.now) { perform(task, into: &out) }
    for (connection, reason) in faults?.agenda.leaving ?? [] where scheduler.isIdle(connection) {
      faults?.agenda.hasLeft(connection)
      if let link = links.id(of: connection) { disconnect(link, reason: reason) }
    }
  }

  private mutating func perform(_ task: FaultAgenda.Task, into out: inout HostOutput) {
    switch task {
    case .take(let pdu, let connection, let bearer):
      guard let link = links.id(of: connection), !links[link].isClosing, links[link].bearers.contains(bearer) else {
        return
      }
      serve(pdu.span, on: link, over: bearer, into: &out)
    case .send(let pdu, let connection, let bearer): send(pdu, over: bearer, of: connection, into: &out)
    case .ask(let kind, let connection, let number): ask(for: kind, on: connection, number: number, into: &out)
    case .answer(let request): answer(request, into: &out)
    case .discover(let pdu, let connection, let id):
      if let link = links.id(of: connection) { answerDiscovery(pdu.span, on: id, of: link, into: &out) }
    case .close(let id, let connection): try? perform(.close(connection, id), at: out.now, into: &out)
    case .perform(let action, let connection): perform(action, on: connection, into: &out)
    case .end(let action): perform(action, on: nil, into: &out)
    case .comeBack:
      faults?.isAway = false
      hci.deframer.reset()
    }
  }

  /// Executes an action that does not concern a PDU.
  mutating func perform(_ action: FaultAction, on connection: ConnectionHandle?, into out: inout HostOutput) {
    let link = connection.flatMap { links.id(of: $0) }
    switch action {
    case .disconnect(let reason, _): if let link { disconnect(link, reason: reason) }
    case .mute: if let connection { faults?.mute(connection) }
    case .flood(let kind, let count, let pause):
      // A flood in progress is not restarted: several at once would never end.
      guard let connection, faults?.agenda.isFlooding(connection, kind) == false else { break }
      for number in 0..<count {
        faults?.agenda.add(.ask(kind, connection, number: number), at: out.now + pause * number)
      }
    case .changeDatabase(let service, let isAnnounced): changeDatabase(service, isAnnounced, into: &out)
    case .serviceChanged(let count):
      guard let connection, let link else { break }
      faults?.agenda.begin(storm: count, on: connection)
      continueStorm(on: link, into: &out)
    case .forgetKeys: alterBonds(of: link, into: &out) { _ in nil }
    case .corruptKeys:
      alterBonds(of: link, into: &out) { bond in
        var bond = bond
        if let key = bond.keyAsPeripheral?.key { bond.keyAsPeripheral?.key = key.map { ~$0 } }
        if let key = bond.keyAsCentral?.key { bond.keyAsCentral?.key = key.map { ~$0 } }
        bond.linkKey = bond.linkKey?.map { ~$0 }
        return bond
      }
    case .vanish(let duration): vanish(for: duration, into: &out)
    case .reboot(let duration):
      vanish(for: duration, into: &out)
      if let pristine = faults?.pristine { server = pristine }
      perform(application.restart(at: out.now + duration), into: &out)
      faults?.lookUp(in: server.database)
    case .resetController: carryOut(.restart("a fault resets it"), into: &out)
    case .shiftClock(let shift): application.shiftClock(by: shift)
    case .advertise(let advertising):
      role.advertise(advertising)
      takeRoleEvents(into: &out)
    case .refuse, .delay, .ignore, .repeatAnswer, .alter, .mtu, .drop, .repeatPush, .reorder, .holdBack, .keepSending,
      .decline, .refuseChannel, .withholdCredits, .overflowCredits, .badFrame, .closeChannel:
      // These have been handled where they were triggered.
      break
    }
  }

  // MARK: - The whole accessory

  /// Disappears: resets the controller, which sends nothing on the air, so peers detect it by their supervision timeouts
  /// (Core 5.4 Vol 4 Part E 7.3.2). The controller is initialized again after that time.
  private mutating func vanish(for duration: Duration, into out: inout HostOutput) {
    guard faults?.isAway == false, hci.commands.isUp else { return }
    for link in links.ids { linkEnded(link, reason: .connectionTerminatedByLocalHost, into: &out) }
    HCIReset().encodeH4(into: &out.octets)
    leaveController(until: out.now + duration, into: &out)
    faults?.isAway = true
    faults?.agenda.add(.comeBack, at: out.now + duration)
  }

  // MARK: - The database

  /// A service that is in no profile.
  private static var unknownService: ServiceDefinition {
    ServiceDefinition(
      id: "understudy-fault", uuid: BluetoothUUID(0xFFFE),
      characteristics: [
        CharacteristicDefinition(
          id: "understudy-fault-value", uuid: BluetoothUUID(0xFFFE), properties: .read, value: .stored([0]))
      ])
  }

  private mutating func changeDatabase(_ service: String?, _ isAnnounced: Bool, into out: inout HostOutput) {
    let now = out.now
    let unknown = Self.unknownService
    let isThere = server.database.services.contains { $0.id == unknown.id }
    let change: ServiceEdit =
      if let service { .remove(service) } else if isThere { .remove(unknown.id) } else { .add(unknown) }
    if isAnnounced {
      _ = try? edit(change, at: now, into: &out)
    } else if let done = try? server.apply(change, keeping: application.keptCharacteristics) {
      for link in links.ids { links[link].streams.remove { done.removed.contains($0) } }
      out.events.append(.databaseChanged(done))
    }
    faults?.lookUp(in: server.database)
  }

  /// Indicates Service Changed for all handles, while any indications of the storm remain.
  mutating func continueStorm(on link: LinkID, into out: inout HostOutput) {
    guard faults?.agenda.takeStorm(on: links[link].handle) == true else { return }
    server.reportChange(of: 0x0001...0xFFFF, to: &links[link].session)
    sendIndications(to: link, into: &out)
  }

  /// Injects the fault that a changed subscription triggers.
  mutating func injectFault(
    atSubscriptionTo characteristic: CharacteristicIndex, _ configuration: ClientConfiguration,
    on connection: ConnectionHandle,
    into out: inout HostOutput
  ) {
    let event = FaultEvent.subscription(characteristic, isOn: !configuration.isEmpty)
    guard case .keepSending(let count, let pause) = injectFault(at: event, on: connection, into: &out),
      let position = server.database.valuePosition(of: characteristic),
      let last = faults?.agenda.lastValue(of: server.database.attributes[position].handle, on: connection)
    else { return }
    for number in 0..<count { faults?.agenda.add(.send(last, connection, .fixed), at: out.now + pause * (number + 1)) }
  }

  // MARK: - Keys

  /// Changes the bond with a link's peer, or all bonds without a link. A bond for which `change` returns nil is deleted.
  private mutating func alterBonds(of link: LinkID?, into out: inout HostOutput, _ change: (Bond) -> Bond?) {
    let peer = link.flatMap { links[$0].security.bond?.peer }
    for record in bondTable.records where link == nil || record.peer == peer {
      guard let bond = change(record.bond) else {
        deleteBond(of: record.peer, into: &out)
        continue
      }
      var altered = record
      altered.bond = bond
      keep(altered, into: &out)
      for link in links.ids where links[link].security.bond?.peer == record.peer {
        links[link].security.bond = bond
        securityChanged(of: link)
      }
    }
  }

  // MARK: - Requests to the peer

  /// Requests connection parameters, a PHY or a data length; even and odd numbers request different ones.
  private mutating func ask(
    for kind: FaultFlood, on connection: ConnectionHandle, number: Int, into out: inout HostOutput
  ) {
    // These are requests of LE.
    guard let link = links.id(of: connection), !links[link].isClosing, !links[link].isClassic else { return }
    let isEven = number % 2 == 0
    switch kind {
    case .parameters:
      let interval = Duration.milliseconds(isEven ? 30 : 60)
      let request = ConnectionPolicy.ParameterRequest(
        intervals: interval...interval, latency: 0, timeout: .seconds(4), delay: .zero)
      requestParametersBySignalling(request, on: link, into: &out)
    // A controller without one of these commands cannot make the request.
    case .phy where hci.profile.commands.contains(.leSetPHY):
      setPHY(connection, transmit: isEven ? .le1M : .le2M, receive: isEven ? .le1M : .le2M)
    case .dataLength where hci.profile.commands.contains(.leSetDataLength):
      hci.commands.add(
        LESetDataLength(connection, octets: isEven ? DataLength.minimum : 251), for: .link(connection, .other))
    case .phy, .dataLength: break
    }
  }
}

extension FaultAction {
  /// Whether it acts on a link. A timed fault executes such an action on every link that it applies to.
  fileprivate var isAboutLink: Bool {
    switch self {
    case .disconnect, .mute, .flood, .serviceChanged: true
    default: false
    }
  }
}
