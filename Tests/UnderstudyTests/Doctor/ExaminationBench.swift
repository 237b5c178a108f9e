import BLECore
import BLEHCI
import VirtualRadio

@testable import Understudy

/// A controller on a virtual air, the line to it with its faults, and a second controller that listens, all in virtual time.
final class ExaminationBench {
  /// The faults of the line or of the controller.
  struct Fault {
    /// The period, in octets of both directions together, at which one octet is lost.
    var lossPeriod: Int?
    /// The number of octets that arrive from each packet to the controller.
    var burstLimit: Int?
    /// The number of octets that are buffered while the host does not read.
    var unreadLimit: Int?
    /// The time that an octet takes in either direction.
    var octetTime = Duration.zero
    /// The packet of the host at which the controller restarts, and how it announces that.
    var restart: (packet: Int, notice: RestartNotice)?
    /// The packet of the host at which the controller hangs.
    var hangsAt: Int?
    /// The octets with which the other end answers every packet, instead of being a controller.
    var babble: [UInt8]?
    /// The delay of every packet to the host.
    var latency = Duration.zero
    /// The packet to the host before which the line stalls, and for how long; then everything arrives in order.
    var stall: (packet: Int, time: Duration)?
    /// Whether the second controller is out of range.
    var isUnreachable = false
    /// Stray octets before packets to the host: the period in packets, and their number.
    var stray: (period: Int, octets: Int)?

    init(_ configure: (inout Fault) -> Void = { _ in }) { configure(&self) }
  }

  private let air = Air()
  private let patient: ControllerID
  private let second: ControllerID
  private let fault: Fault
  private(set) var examination: Examination
  private var listener = AirListener()
  private var now = Instant.zero
  private var underWay: [(arrival: Instant, octets: [UInt8], isForHost: Bool)] = []
  private var unread: [UInt8] = []
  private var passed = 0
  private var packets = 0
  private var answers = 0
  /// The arrival times of the latest octets in each direction, to the controller and to the host; octets never overtake others.
  private var latest = (down: Instant.zero, up: Instant.zero)
  private var out = OctetBuffer()
  private var listenerOut = OctetBuffer()
  private var scratch = OctetBuffer()

  init(
    _ configuration: ControllerConfiguration, _ fault: Fault = Fault(), neighbours: Int = 0,
    _ configure: (inout ExaminationConditions) -> Void = { _ in }
  ) {
    self.fault = fault
    patient = air.addController(configuration: configuration)
    second = air.addController(configuration: .full)
    var conditions = ExaminationConditions()
    conditions.listening = .extended
    configure(&conditions)
    examination = Examination(conditions)
    if fault.isUnreachable { air.setReachable(patient, second, false) }
    air.setImpairment(ControllerImpairment(latency: fault.latency, isHung: fault.hangsAt == 0), of: patient)
    for _ in 0..<neighbours { advertise(air.addController(configuration: .v4_0)) }
  }

  /// Makes another device advertise.
  private func advertise(_ id: ControllerID) {
    air.receive(LESetRandomAddress { $0.address = .randomStatic(from: UInt64(id.rawValue)) }.h4.span, from: id, at: now)
    let parameters = LESetAdvertisingParameters {
      $0.intervalMinimum.rawValue = 0x20
      $0.intervalMaximum.rawValue = 0x20
      $0.ownAddressType = .random
    }
    air.receive(parameters.h4.span, from: id, at: now)
    air.receive(LESetAdvertisingEnable { $0.enable = true }.h4.span, from: id, at: now)
    air.drain(id, into: &scratch)
  }

  /// Runs the examination, for at most three minutes of virtual time; returns all verdicts except "well".
  func findings() -> [ExaminationStep: Observation] {
    listener.start(at: now, into: &listenerOut)
    settle()
    examination.start(at: now, into: &out)
    settle()
    while !examination.isOver, now < Instant.zero + .seconds(180) {
      let due = Instant.earliest(
        Instant.earliest(examination.nextDeadline, listener.nextDeadline),
        Instant.earliest(air.nextDeadline, underWay.first?.arrival))
      guard let due else { break }
      now = max(now, due)
      air.advance(to: now)
      examination.advance(to: now, into: &out)
      listener.advance(to: now)
      settle()
    }
    let wrong = examination.findings.filter { $0.verdict >= .warning }
    return Dictionary(uniqueKeysWithValues: wrong.map { ($0.step, $0.observation) })
  }

  private func settle() {
    var isQuiet = false
    while !isQuiet {
      isQuiet = out.isEmpty && listenerOut.isEmpty
      send()
      listen()
      arrive()
      isQuiet = isQuiet && air.controllersWithOutput.isEmpty && out.isEmpty && (underWay.first?.arrival ?? .max) > now
    }
  }

  private func send() {
    guard !out.isEmpty else { return }
    let octets = out.copy()
    out.removeAll()
    packets += 1
    if let babble = fault.babble { return travel(babble, isForHost: true) }
    if packets == fault.hangsAt { air.setImpairment(ControllerImpairment(isHung: true), of: patient) }
    travel(Array(octets.prefix(fault.burstLimit ?? octets.count)), isForHost: false)
  }

  /// Transmits octets, without those that are lost.
  private func travel(_ octets: [UInt8], isForHost: Bool) {
    let kept = octets.filter { _ in
      passed += 1
      return fault.lossPeriod.map { passed % $0 != 0 } ?? true
    }
    var arrival = now + fault.octetTime * octets.count
    if isForHost {
      if let stall = fault.stall, stall.packet == answers { arrival += stall.time }
      arrival = max(arrival, latest.up)
      latest.up = arrival
    } else {
      arrival = max(arrival, latest.down)
      latest.down = arrival
    }
    underWay.insert((arrival, kept, isForHost), at: underWay.firstIndex { $0.arrival > arrival } ?? underWay.count)
  }

  private func arrive() {
    scratch.removeAll()
    air.drain(patient, into: &scratch)
    if !scratch.isEmpty {
      answers += 1
      let isStray = fault.stray.map { answers % $0.period == 0 } ?? false
      travel((isStray ? Array(repeating: 0xEE, count: fault.stray?.octets ?? 0) : []) + scratch.copy(), isForHost: true)
    }
    while let first = underWay.first, first.arrival <= now {
      underWay.removeFirst()
      if first.isForHost { unread += first.octets } else { take(first.octets) }
      if !examination.isReading, let limit = fault.unreadLimit { unread = Array(unread.prefix(limit)) }
    }
    guard examination.isReading, !unread.isEmpty else { return }
    let octets = unread
    unread = []
    examination.receive(octets.span, at: now, into: &out)
  }

  private func take(_ octets: [UInt8]) {
    air.receive(octets.span, from: patient, at: now)
    guard let restart = fault.restart, packets == restart.packet else { return }
    packets += 1
    air.restartController(patient, announcing: restart.notice)
  }

  private func listen() {
    if !listenerOut.isEmpty {
      let octets = listenerOut.copy()
      listenerOut.removeAll()
      air.receive(octets.span, from: second, at: now)
    }
    scratch.removeAll()
    air.drain(second, into: &scratch)
    let octets = scratch.copy()
    for address in listener.receive(octets.span, at: now, into: &listenerOut) {
      examination.heard(address, at: now, into: &out)
    }
  }
}

extension Instant {
  fileprivate static let max = Instant(nanoseconds: .max)
}
