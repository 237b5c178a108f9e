// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// The control field of I-frames and S-frames, in every mode except Basic Mode (Core 5.4 Vol 3 Part A 3.3.2).
package protocol FrameControl: OpenCode {
  /// Whether the frame is an I-frame, with information, and not an S-frame.
  var isInformation: Bool { get }
  /// The place of an I-frame in its SDU.
  var segment: FrameSegment { get }
}

/// The place of an I-frame in its SDU (Core 5.4 Vol 3 Part A 3.3.2).
package enum FrameSegment: UInt8, Sendable {
  case unsegmented, start, end, continuation

  /// Returns the segment with those two bits. Other bits do not count.
  init(bits: UInt32) { self = FrameSegment(rawValue: UInt8(bits & 0b11)) ?? .unsegmented }
}

/// What an S-frame says (Core 5.4 Vol 3 Part A 8.4).
package enum SupervisoryFunction: UInt8, Sendable {
  case receiverReady, reject, receiverNotReady, selectiveReject
}

/// The enhanced control field: that of Enhanced Retransmission Mode and Streaming Mode. In the older modes only the F-bit differs.
package struct EnhancedControl: FrameControl {
  /// The number of sequence numbers.
  package static let sequenceCount = 64

  package var rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Creates that of an I-frame.
  package init(txSeq: UInt8, _ segment: FrameSegment, reqSeq: UInt8, isFinal: Bool = false) {
    self.init(rawValue: UInt16(txSeq & 63) << 1 | UInt16(segment.rawValue) << 14)
    setCommon(reqSeq, isFinal)
  }

  /// Creates that of an S-frame.
  package init(_ function: SupervisoryFunction, reqSeq: UInt8, isPoll: Bool = false, isFinal: Bool = false) {
    self.init(rawValue: 1 | UInt16(function.rawValue) << 2 | (isPoll ? 1 << 4 : 0))
    setCommon(reqSeq, isFinal)
  }

  private mutating func setCommon(_ reqSeq: UInt8, _ isFinal: Bool) {
    rawValue |= UInt16(reqSeq & 63) << 8 | (isFinal ? 1 << 7 : 0)
  }

  package var isInformation: Bool { rawValue & 1 == 0 }
  /// The number of an I-frame.
  package var txSeq: UInt8 { UInt8(rawValue >> 1 & 63) }
  package var segment: FrameSegment { FrameSegment(bits: UInt32(rawValue >> 14)) }
  package var function: SupervisoryFunction {
    SupervisoryFunction(rawValue: UInt8(rawValue >> 2 & 0b11)) ?? .receiverReady
  }
  /// Whether an S-frame asks for an answer at once.
  package var isPoll: Bool { rawValue >> 4 & 1 == 1 }
  /// Whether the frame answers a poll.
  package var isFinal: Bool { rawValue >> 7 & 1 == 1 }
  /// The number of the next I-frame that the sender expects.
  package var reqSeq: UInt8 { UInt8(rawValue >> 8 & 63) }
}

/// The extended control field, which channels with an extended window have.
package struct ExtendedControl: FrameControl {
  package var rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package var isInformation: Bool { rawValue & 1 == 0 }
  package var segment: FrameSegment { FrameSegment(bits: rawValue >> 16) }
}

/// The fields between the basic header of an I-frame or S-frame and its information payload (Core 5.4 Vol 3 Part A 3.3).
package struct ControlledHead<Control: FrameControl>: OctetLayout, Hashable {
  package var control = Control(rawValue: 0)
  /// The length of the SDU, which only its first segment has.
  package var sduLength: UInt16 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Control", &control)
    if control.isInformation, control.segment == .start { try fields.integer("L2CAP SDU Length", &sduLength) }
  }
}
