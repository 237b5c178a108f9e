import BLECore

/// One row of the notification ladder: the throughput of notifications with an ATT MTU, over what kind of link.
package struct NotificationRung: Hashable, Sendable {
  /// The wanted link.
  package var link: LinkShape

  /// The octets of payload in a notification: the opcode and the handle take three (Core 5.4 Vol 3 Part F
  /// 3.4.7.1), and a value has at most 512.
  var unit: Int { min(link.mtu - 3, 512) }

  /// Rows with short data PDUs, on which a larger MTU saves headers, and with long ones, on which one value of MTU 247 fits
  /// into one PDU. The MTUs are those of a device of Core 4.0, of the talk and of phones, and the largest useful one.
  package static let all: [NotificationRung] = [27, 251].flatMap { dataLength in
    [23, 104, 185, 247, 515].map { mtu in
      NotificationRung(
        link: LinkShape(interval: .milliseconds(30), mtu: mtu, dataLength: dataLength, phy: .le1M))
    }
  }
}

/// The result of a row.
package struct NotificationResult: Sendable {
  /// The row.
  package var rung: NotificationRung
  /// The figures, or why there are none.
  package var outcome: Result<NotificationFigures, StepFailure>
}

/// The throughput of notifications.
package struct NotificationFigures: Hashable, Sendable {
  /// The octets of all values that count.
  package var octets: Int
  /// The time from the first notification, which does not count, to the last one, as measured by the central's host.
  package var time: Duration
  /// The actual link.
  package var link: LinkShape
  /// The maximum throughput that the link layer allows, in kbit/s of payload.
  package var limitKbps: Double

  /// The throughput, in kbit/s of payload.
  package var kbps: Double { LinkBudget.kbps(octets, in: time) }
  /// The percentage of the maximum that the link layer allows.
  package var percent: Double { kbps / limitKbps * 100 }
}
