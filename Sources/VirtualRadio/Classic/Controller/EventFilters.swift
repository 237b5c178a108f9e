import BLECore
import BLEHCI

/// The responses to inquiries and the connections that a host wants to be told about (Core 5.4 Vol 4 Part E 7.3.3).
struct EventFilters {
  /// What a condition applies to.
  enum Subject: Hashable {
    case any
    case classOfDevice(ClassOfDevice, mask: UInt32)
    case address(DeviceAddress)

    func matches(_ address: DeviceAddress, _ classOfDevice: ClassOfDevice) -> Bool {
      switch self {
      case .any: true
      case .classOfDevice(let wanted, let mask): wanted.rawValue & mask == classOfDevice.rawValue & mask
      case .address(let wanted): wanted == address
      }
    }
  }

  /// What happens with a connection.
  enum Acceptance: UInt8 {
    case asksHost = 1
    case accepts = 2
    case acceptsAsCentral = 3
  }

  private(set) var inquiries: [Subject] = []
  private(set) var connections: [(subject: Subject, acceptance: Acceptance)] = []

  /// Returns whether the host wants to know of a device that answers an inquiry.
  func reports(_ address: DeviceAddress, _ classOfDevice: ClassOfDevice) -> Bool {
    inquiries.isEmpty || inquiries.contains { $0.matches(address, classOfDevice) }
  }

  /// Returns what happens with a connection. Without a filter the host is asked; with filters that do not match it is refused, which is nil.
  func acceptance(of address: DeviceAddress, _ classOfDevice: ClassOfDevice) -> Acceptance? {
    guard !connections.isEmpty else { return .asksHost }
    return connections.last { $0.subject.matches(address, classOfDevice) }?.acceptance
  }

  /// Applies a Set Event Filter command.
  mutating func apply(_ command: HCISetEventFilter, to controller: VirtualController) throws(Refusal) {
    var rest = command.condition[...]
    switch command.type {
    case .clearAll: self = EventFilters()
    case .inquiryResult:
      guard let type = rest.popFirst() else { return inquiries.removeAll() }
      inquiries.append(try Self.subject(type, &rest, controller))
    case .connectionSetup:
      guard let type = rest.popFirst() else { return connections.removeAll() }
      let subject = try Self.subject(type, &rest, controller)
      guard let acceptance = rest.popFirst().flatMap(Acceptance.init) else {
        throw Refusal(.invalidHCICommandParameters)
      }
      connections.append((subject, acceptance))
    default: throw Refusal(.invalidHCICommandParameters)
    }
    guard rest.isEmpty else {
      controller.note(.wrongParameterLength(HCISetEventFilter.opcode))
      throw Refusal(.invalidHCICommandParameters)
    }
  }

  private static func subject(
    _ type: UInt8, _ rest: inout ArraySlice<UInt8>, _ controller: VirtualController
  ) throws(Refusal) -> Subject {
    func number(_ count: Int) throws(Refusal) -> UInt64 {
      try controller.require(rest.count >= count)
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    switch type {
    case 0: return .any
    case 1: return .classOfDevice(ClassOfDevice(rawValue: UInt32(try number(3))), mask: UInt32(try number(3)))
    case 2: return .address(DeviceAddress(bits: try number(6)))
    default: throw Refusal(.invalidHCICommandParameters)
    }
  }
}
