import AccessoryProfile
import BLECore
import BLEGAP
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import Simulation
import Understudy
import UnderstudyTesting

/// After faults have ended, an accessory with BR/EDR is in the inquiry and page scan that its profile or the last rule says (Core 5.4 Vol 3 Part C 4.1, 4.2),
/// and a new peer can connect and find its services.
struct ScanJudge: Judge {
  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {}

  mutating func close(_ stage: SwarmStage, findings: inout [Finding]) {
    let stack = stage.accessory.simulated.stack
    guard !stage.peers.isEmpty, let settings = stack.classicSettings, !stack.application.isAsleep,
      stage.accessory.profile.sleep.delay == nil,
      !stage.accessory.profile.endsLinks
    else { return }
    let address = DeviceAddress(bits: 0x00A0_9699_0000 + UInt64(stage.simulation.arrivals))
    let visitor = stage.simulation.addClassicPeer(address)
    if let isFound = settings.isFound, inquire(visitor, stage) != isFound {
      findings.append(
        Finding("life", "inquiries \(isFound ? "do not find" : "find") the accessory", at: stage.simulation.now))
    }
    let isConnected = connect(visitor, stage)
    if isConnected != settings.isConnectable {
      findings.append(
        Finding(
          "life", "a new peer over BR/EDR \(isConnected ? "connects" : "cannot connect") to the accessory",
          at: stage.simulation.now))
    }
    if isConnected, !discovers(visitor, stage) {
      findings.append(
        Finding("life", "a new peer over BR/EDR cannot open the channel of Service Discovery", at: stage.simulation.now)
      )
    }
  }

  /// Returns whether one of three inquiries finds the accessory.
  private func inquire(_ visitor: ClassicPeer, _ stage: SwarmStage) -> Bool {
    for _ in 0..<3 {
      visitor.send(HCIInquiry { $0.length = InquiryLength(rawValue: 8) })
      let isFound = wait(stage, visitor) { event in
        switch event {
        case .found(let address): address == stage.classicAddress ? true : nil
        case .inquiryEnded: false
        default: nil
        }
      }
      if isFound { return true }
    }
    return false
  }

  private func connect(_ visitor: ClassicPeer, _ stage: SwarmStage) -> Bool {
    for _ in 0..<3 {
      visitor.send(HCICreateConnection { $0.address = stage.classicAddress })
      let isConnected = wait(stage, visitor) { event in
        switch event {
        case .connected: true
        case .connectionFailed: false
        default: nil
        }
      }
      if isConnected { return true }
    }
    return false
  }

  private func discovers(_ visitor: ClassicPeer, _ stage: SwarmStage) -> Bool {
    _ = visitor.open(.serviceDiscovery, mtu: 672)
    return wait(stage, visitor) { event in
      switch event {
      case .channel(.opened): true
      case .channel(.closed), .disconnected: false
      default: nil
      }
    }
  }

  /// Waits for an event that decides; false after 30 s.
  private func wait(
    _ stage: SwarmStage, _ visitor: ClassicPeer, for decide: (ClassicPeer.Event) -> Bool?
  ) -> Bool {
    var decision: Bool?
    visitor.events = []
    stage.simulation.run(
      until: {
        decision = visitor.events.lazy.compactMap(decide).first
        return decision != nil
      }, limit: .seconds(30))
    return decision ?? false
  }
}

extension ClassicSettings {
  /// Whether inquiries find the device at any time; nil if that depends on the time.
  fileprivate var isFound: Bool? {
    switch discoverability {
    case .none: false
    case .limited: nil
    case .general: true
    }
  }
}
