import BLECore

/// The values of the Apple Notification Center Service (Apple Notification Center Service Specification, Appendix).
enum NotificationFields {
  static let controlPoint = BluetoothUUID("69D1D8F3-45E1-49A8-9821-9BBDFDAAD9D9")
  static let dataSource = BluetoothUUID("22EAC6E9-24D6-4BB5-BE44-B36ACE7C7BFB")

  private static let events = ["Added", "Modified", "Removed"]
  private static let flags = ["Silent", "Important", "Pre-existing", "Positive Action", "Negative Action"]
  private static let categories = [
    "Other", "Incoming Call", "Missed Call", "Voicemail", "Social", "Schedule", "Email", "News", "Health and Fitness",
    "Business and Finance", "Location", "Entertainment",
  ]
  private static let commands = ["Get Notification Attributes", "Get App Attributes", "Perform Notification Action"]
  private static let notificationAttributes = [
    "App Identifier", "Title", "Subtitle", "Message", "Message Size", "Date", "Positive Action Label",
    "Negative Action Label",
  ]
  private static let appAttributes = ["Display Name"]
  private static let actions = ["Positive", "Negative"]

  /// The attributes that are requested with a maximum length: Title, Subtitle and Message.
  static let attributesWithLength: ClosedRange<UInt8> = 1...3

  static func event(_ list: inout FieldList) {
    list.named("EventID", events)
    list.number("EventFlags", 1) { bits in
      let names = flags.indices.filter { bits >> UInt64($0) & 1 != 0 }.map { flags[$0] }
      return names.isEmpty ? "none" : names.joined(separator: ", ")
    }
    list.named("CategoryID", categories)
    list.number("CategoryCount", 1) { "\($0)" }
    list.number("NotificationUID", 4) { "\($0)" }
  }

  static func request(_ list: inout FieldList) {
    switch list.named("CommandID", commands) {
    case 0:
      list.number("NotificationUID", 4) { "\($0)" }
      while let attribute = list.next {
        list.named("AttributeID", notificationAttributes)
        if attributesWithLength.contains(attribute), list.has(2) { list.number("Maximum Length", 2) { "\($0)" } }
      }
    case 1:
      appIdentifier(&list)
      while list.has(1) { list.named("AttributeID", appAttributes) }
    case 2:
      list.number("NotificationUID", 4) { "\($0)" }
      list.named("ActionID", actions)
    default: list.rest("Parameters")
    }
  }

  /// Adds a response, or the available part of one that several notifications carry.
  static func response(_ list: inout FieldList) {
    switch list.named("CommandID", commands) {
    case 0:
      list.number("NotificationUID", 4) { "\($0)" }
      attributes(&list, notificationAttributes)
    case 1:
      appIdentifier(&list)
      attributes(&list, appAttributes)
    default: list.rest("Parameters")
    }
  }

  private static func attributes(_ list: inout FieldList, _ names: [String]) {
    while let attribute = list.next {
      let name = Int(attribute) < names.count ? names[Int(attribute)] : "Attribute \(attribute)"
      let length = list.number(at: 1, width: 2).map { Int($0) }
      list.group(name, 3 + (length ?? 0)) { list in
        list.named("AttributeID", names)
        list.number("Attribute Length", 2) { "\($0)" }
        list.text("Attribute Value", length ?? 0)
      }
      list.amend { field in
        field.meaning = field.children.first { $0.name == "Attribute Value" }?.meaning
      }
    }
  }

  private static func appIdentifier(_ list: inout FieldList) {
    let end = list.rest.firstIndex(of: 0).map { $0 - list.offset }
    list.text("AppIdentifier", end ?? list.remaining)
    if end != nil { list.octets("Terminator", 1) }
  }
}
