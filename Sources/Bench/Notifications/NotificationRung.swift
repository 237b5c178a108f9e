import BLECore

/// One row of the notification ladder: how fast an accessory notifies with an ATT MTU, over what kind of link.
package struct NotificationRung: Hashable, Sendable {
  /// The link that is wanted.
  package var link: LinkShape

  /// How many octets of payload a notification carries: the opcode and the handle take three (Core 5.4 Vol 3 Part F 3.4.7.1), and no value
  /// has more than 512.
  var unit: Int { min(link.mtu - 3, 512) }

  /// Short data PDUs, on which a larger MTU saves headers, and long ones, on which one value fits into one PDU at 247: the MTUs of a device
  /// of Core 4.0, of the talk, of phones, and the largest that is of use.
  package static let all: [NotificationRung] = [27, 251].flatMap { dataLength in
    [23, 104, 185, 247, 515].map { mtu in
      NotificationRung(
        link: LinkShape(interval: .milliseconds(30), mtu: mtu, dataLength: dataLength, phy: .le1M))
    }
  }
}

/// What came of a row.
package struct NotificationResult: Sendable {
  /// The row.
  package var rung: NotificationRung
  /// The figures, or why there are none.
  package var outcome: Result<NotificationFigures, StepFailure>
}

/// How fast values came.
package struct NotificationFigures: Hashable, Sendable {
  /// All octets of the values that are counted.
  package var octets: Int
  /// From the first notification, which is not counted, to the last one, as the central's host can tell.
  package var time: Duration
  /// The link as it was.
  package var link: LinkShape
  /// What the link layer allows, in kbit/s of payload.
  package var limitKbps: Double

  /// The throughput, in kbit/s of payload.
  package var kbps: Double { LinkBudget.kbps(octets, in: time) }
  /// How much of what the link layer allows that is, in percent.
  package var percent: Double { kbps / limitKbps * 100 }
}
