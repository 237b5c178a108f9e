import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP

/// What somebody outside wants of a host: the control API, a script, a test.
public enum HostRequest: Hashable, Sendable {
  /// Notify all subscribers of a characteristic.
  case notify(CharacteristicIndex)
  /// Indicate a characteristic to all subscribers.
  case indicate(CharacteristicIndex)
  /// Do what an application's own method wants done.
  case perform([ApplicationAction])
  /// Give the answer that a client waits for.
  case answer(AnswerTicket, LateAnswer)
  /// Add, remove or replace a service while clients are connected.
  case edit(ServiceEdit)
  /// End a connection for that reason.
  case disconnect(ConnectionHandle, reason: ErrorCode)
  /// Ask the central for other connection parameters.
  case requestParameters(ConnectionHandle, ConnectionPolicy.ParameterRequest)
  /// Put an advertising set on the air, or take it off.
  case advertise(set: String, isOn: Bool)
  /// Do something with L2CAP channels.
  case channel(ChannelRequest)
  /// Use the central's server; the event `began` of the link's client tells the number of the operation.
  case client(ConnectionHandle, GATTOperation)
}

/// Why a wish was not granted.
public enum HostRequestError: Error, Hashable, Sendable {
  /// No connection has that handle.
  case unknownConnection(ConnectionHandle)
  /// No advertising set that the controller can carry has that name.
  case unknownSet(String)
  /// Nobody is subscribed.
  case noSubscriber(CharacteristicIndex)
  /// Nobody waits for an answer by that ticket: it was given, or the client is gone.
  case unknownTicket(AnswerTicket)
  /// The services cannot be changed like that.
  case impossibleEdit(AttributeDatabase.DefinitionError)
  /// The connection has no such channel, or it is not open.
  case unknownChannel(ConnectionHandle, ChannelID)
  /// The connection has as many channels as there can be.
  case noFreeChannel(ConnectionHandle)
  /// As much as may wait on a channel does.
  case channelFull(ConnectionHandle, ChannelID)
  /// The central takes at most so many octets.
  case sduTooLong(ConnectionHandle, ChannelID, limit: Int)
  /// Something is published under that PSM already.
  case psmTaken(SPSM)
  /// Nothing is published under that PSM.
  case unknownPSM(SPSM)
}

extension HostStack {
  /// Grants a wish, or says why not.
  public mutating func perform(
    _ wish: HostRequest, at now: Instant, into out: inout HostOutput
  ) throws(HostRequestError) {
    defer { settle(at: now, into: &out) }
    switch wish {
    case .notify(let characteristic):
      guard notify(characteristic, at: now, into: &out) > 0 else { throw .noSubscriber(characteristic) }
    case .indicate(let characteristic):
      guard indicate(characteristic, at: now, into: &out) > 0 else { throw .noSubscriber(characteristic) }
    case .perform(let actions): perform(actions, at: now, into: &out)
    case .answer(let ticket, let answer):
      guard self.answer(ticket, with: answer, at: now, into: &out) else { throw .unknownTicket(ticket) }
    case .edit(let edit):
      do throws(AttributeDatabase.DefinitionError) {
        _ = try self.edit(edit, at: now, into: &out)
      } catch {
        throw .impossibleEdit(error)
      }
    case .disconnect(let handle, let reason):
      guard index(of: handle) != nil else { throw .unknownConnection(handle) }
      disconnect(handle, reason: reason)
    case .requestParameters(let handle, let request):
      guard index(of: handle) != nil else { throw .unknownConnection(handle) }
      requestParameters(request, on: handle, at: now, into: &out)
    case .advertise(let set, let isOn):
      guard setAdvertising(isOn, set: set) else { throw .unknownSet(set) }
    case .channel(let wish): try perform(wish, at: now, into: &out)
    case .client(let handle, let operation): try begin(operation, on: handle, at: now, into: &out)
    }
  }

  /// Puts a set on the air or takes it off; while a controller comes up again, as soon as it is up. False when there is no such
  /// set, or the controller cannot carry it, or none has been up yet.
  private mutating func setAdvertising(_ isOn: Bool, set: String) -> Bool {
    let hasBeenUp = address != nil
    let isKnown =
      advertiser?.setWanted(isOn, set: set) ?? (hasBeenUp && configuration.advertising.contains { $0.id == set })
    if isKnown { advertisingWishes[set] = isOn }
    return isKnown
  }

  /// Takes everything off the air and disconnects every central; the event `stopped` says when that is done.
  public mutating func shutDown(at now: Instant, into out: inout HostOutput) {
    guard !isShuttingDown else { return }
    isShuttingDown = true
    guard commands.isUp, !hasFailed else {
      hasStopped = true
      out.events.append(.stopped)
      return
    }
    advertiser?.stopAll()
    for connection in connections {
      disconnect(connection.handle, reason: .remoteDeviceTerminatedPowerOff)
    }
    settle(at: now, into: &out)
  }

  /// The value of a characteristic as it is now; looking at it changes nothing.
  public func value(of characteristic: CharacteristicIndex, at now: Instant) -> [UInt8]? {
    server.presentValue(of: characteristic, application: application, at: now)
  }

  /// The connections as they are now, with the MTU of each.
  public var links: [LinkState] {
    connections.map { connection in
      LinkState(
        handle: connection.handle, details: connection.details, mtu: connection.bearer.att.mtu,
        subscriptions: connection.session.subscriptions, channels: connection.channels.all)
    }
  }

  /// The advertising sets that are on the air.
  public var activeSets: [String] { advertiser?.activeSets ?? [] }
}

/// A connection as an observer sees it.
public struct LinkState: Hashable, Sendable {
  /// Its handle.
  public var handle: ConnectionHandle
  /// The central and the connection parameters.
  public var details: ConnectionDetails
  /// The MTU of its ATT bearer, in octets.
  public var mtu: Int
  /// What the client takes.
  public var subscriptions: [GATTSession.Subscription]
  /// Its credit-based channels.
  public var channels: [ChannelStatus]
}
