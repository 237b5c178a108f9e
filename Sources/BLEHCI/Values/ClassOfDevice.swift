import BLECore

/// What a device of BR/EDR is: major services, and a major and a minor class (Assigned Numbers 2.8). Three octets.
package struct ClassOfDevice: OpenCode {
  package var rawValue: UInt32
  @inlinable
  package init(rawValue: UInt32) { self.rawValue = rawValue & 0xFF_FFFF }

  /// Creates the class with these parts.
  package init(services: MajorServices, major: MajorClass, minor: UInt8) {
    self.init(
      rawValue: services.rawValue & 0xFF_E000 | UInt32(major.rawValue & 0x1F) << 8 | UInt32(minor & 0x3F) << 2)
  }

  /// The services, in bits 13...23.
  package var services: MajorServices { MajorServices(rawValue: rawValue & 0xFF_E000) }
  /// The major class, in bits 8...12.
  package var major: MajorClass { MajorClass(rawValue: UInt8(rawValue >> 8 & 0x1F)) }
  /// The minor class, in bits 2...7. Its meaning depends on the major class.
  package var minor: UInt8 { UInt8(rawValue >> 2 & 0x3F) }

  /// The name of the minor class; nil if it is unknown here.
  package var minorName: String? {
    switch major {
    case .peripheral:
      let kind = [nil, "Keyboard", "Pointing Device", "Combo Keyboard and Pointing Device"][Int(minor >> 4)]
      let device = Self.peripheralNames[minor & 0xF]
      return kind.map { kind in device.map { "\(kind), \($0)" } ?? kind } ?? device
    default: return Self.minorNames[major.rawValue]?[minor]
    }
  }

  /// The classes, the services and the number, for example `Audio/Video - Headphones - Audio, Rendering (0x240418)`.
  package var meaning: String? {
    let parts = [major.name, minorName, services.name].compactMap { $0 }
    guard !parts.isEmpty else { return nil }
    let digits = [UInt8(rawValue >> 16), UInt8(rawValue >> 8 & 0xFF), UInt8(rawValue & 0xFF)].uppercaseHexadecimal
    return parts.joined(separator: " - ") + " (0x\(digits))"
  }

  private static let peripheralNames: [UInt8: String] = [
    0x1: "Joystick", 0x2: "Gamepad", 0x3: "Remote Control", 0x4: "Sensing Device", 0x5: "Digitizer Tablet",
    0x6: "Card Reader", 0x7: "Digital Pen", 0x8: "Handheld Scanner", 0x9: "Handheld Gestural Input Device",
  ]

  private static let minorNames: [UInt8: [UInt8: String]] = [
    0x01: [
      1: "Desktop Workstation", 2: "Server", 3: "Laptop", 4: "Handheld PC/PDA", 5: "Palm-size PC/PDA",
      6: "Wearable Computer", 7: "Tablet",
    ],
    0x02: [1: "Cellular", 2: "Cordless", 3: "Smartphone", 4: "Wired Modem or Voice Gateway", 5: "ISDN Access"],
    0x04: [
      1: "Wearable Headset", 2: "Hands-free", 4: "Microphone", 5: "Loudspeaker", 6: "Headphones", 7: "Portable Audio",
      8: "Car Audio", 9: "Set-top Box", 10: "HiFi Audio", 11: "VCR", 12: "Video Camera", 13: "Camcorder",
      14: "Video Monitor", 15: "Video Display and Loudspeaker", 16: "Video Conferencing", 18: "Gaming/Toy",
    ],
    0x07: [1: "Wristwatch", 2: "Pager", 3: "Jacket", 4: "Helmet", 5: "Glasses", 6: "Pin"],
    0x08: [1: "Robot", 2: "Vehicle", 3: "Doll/Action Figure", 4: "Controller", 5: "Game"],
    0x09: [
      1: "Blood Pressure Monitor", 2: "Thermometer", 3: "Weighing Scale", 4: "Glucose Meter", 5: "Pulse Oximeter",
      6: "Heart/Pulse Rate Monitor", 7: "Health Data Display", 8: "Step Counter", 9: "Body Composition Analyzer",
    ],
  ]
}

/// The services of a device (Assigned Numbers 2.8.1), at their bits in `ClassOfDevice`.
package struct MajorServices: OptionSet, Hashable, Sendable {
  package var rawValue: UInt32
  @inlinable
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let limitedDiscoverable = MajorServices(rawValue: 1 << 13)
  package static let leAudio = MajorServices(rawValue: 1 << 14)
  package static let positioning = MajorServices(rawValue: 1 << 16)
  package static let networking = MajorServices(rawValue: 1 << 17)
  package static let rendering = MajorServices(rawValue: 1 << 18)
  package static let capturing = MajorServices(rawValue: 1 << 19)
  package static let objectTransfer = MajorServices(rawValue: 1 << 20)
  package static let audio = MajorServices(rawValue: 1 << 21)
  package static let telephony = MajorServices(rawValue: 1 << 22)
  package static let information = MajorServices(rawValue: 1 << 23)

  private static let names: [(MajorServices, String)] = [
    (.limitedDiscoverable, "Limited Discoverable Mode"), (.leAudio, "LE Audio"), (.positioning, "Positioning"),
    (.networking, "Networking"), (.rendering, "Rendering"), (.capturing, "Capturing"),
    (.objectTransfer, "Object Transfer"), (.audio, "Audio"), (.telephony, "Telephony"), (.information, "Information"),
  ]

  /// The names of the services; nil if there are none.
  package var name: String? {
    let names = Self.names.filter { contains($0.0) }.map(\.1)
    return names.isEmpty ? nil : names.joined(separator: ", ")
  }
}

/// The major class of a device (Assigned Numbers 2.8.2).
package struct MajorClass: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let miscellaneous = MajorClass(rawValue: 0x00)
  package static let computer = MajorClass(rawValue: 0x01)
  package static let phone = MajorClass(rawValue: 0x02)
  package static let networkAccessPoint = MajorClass(rawValue: 0x03)
  package static let audioVideo = MajorClass(rawValue: 0x04)
  package static let peripheral = MajorClass(rawValue: 0x05)
  package static let imaging = MajorClass(rawValue: 0x06)
  package static let wearable = MajorClass(rawValue: 0x07)
  package static let toy = MajorClass(rawValue: 0x08)
  package static let health = MajorClass(rawValue: 0x09)
  package static let uncategorized = MajorClass(rawValue: 0x1F)

  private static let names: [UInt8: String] = [
    0x00: "Miscellaneous", 0x01: "Computer", 0x02: "Phone", 0x03: "LAN/Network Access Point", 0x04: "Audio/Video",
    0x05: "Peripheral", 0x06: "Imaging", 0x07: "Wearable", 0x08: "Toy", 0x09: "Health", 0x1F: "Uncategorized",
  ]

  /// The name; nil if it is unknown here.
  package var name: String? { Self.names[rawValue] }
}
