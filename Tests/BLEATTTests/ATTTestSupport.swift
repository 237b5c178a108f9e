import BLEATT
import BLECore

/// Randomness that is the same in every run.
typealias SeededRandom = SplitMix64

extension SplitMix64 {
  mutating func octets(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}

/// The number of octets after a PDU's opcode (Core 5.4 Vol 3 Part F 3.4).
enum ParameterLength: Sendable {
  case exactly(Int)
  case atLeast(Int)
  case multiple(of: Int)
  case oneOf([Int])

  func allows(_ count: Int) -> Bool {
    switch self {
    case .exactly(let length): count == length
    case .atLeast(let length): count >= length
    case .multiple(let unit): count.isMultiple(of: unit)
    case .oneOf(let lengths): lengths.contains(count)
    }
  }

  static func of(_ opcode: ATTOpcode) -> ParameterLength {
    switch opcode {
    case .errorResponse, .findInformationRequest, .readBlobRequest: .exactly(4)
    case .exchangeMTURequest, .exchangeMTUResponse, .readRequest: .exactly(2)
    case .executeWriteRequest: .exactly(1)
    case .writeResponse, .executeWriteResponse, .handleValueConfirmation: .exactly(0)
    case .readByTypeRequest, .readByGroupTypeRequest: .oneOf([6, 20])
    case .findByTypeValueResponse: .multiple(of: 4)
    case .readMultipleRequest, .readMultipleVariableRequest: .multiple(of: 2)
    case .findByTypeValueRequest: .atLeast(6)
    case .prepareWriteRequest, .prepareWriteResponse: .atLeast(4)
    case .writeRequest, .writeCommand, .signedWriteCommand, .handleValueNotification, .handleValueIndication:
      .atLeast(2)
    case .findInformationResponse, .readByTypeResponse, .readByGroupTypeResponse: .atLeast(1)
    default: .atLeast(0)
    }
  }
}
