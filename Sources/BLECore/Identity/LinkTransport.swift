/// The physical transport of a link (Core 5.4 Vol 1 Part A 3.3.1).
public enum LinkTransport: String, Hashable, Sendable, CaseIterable {
  /// The LE transport, which carries an LE-U logical link.
  case le
  /// The BR/EDR transport, which carries an ACL-U logical link.
  case classic = "br-edr"

  /// Both transports.
  public static let all = Set(allCases)
}
