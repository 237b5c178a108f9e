import BLECore

extension ExaminationStep {
  /// The step's name, as text.
  public var title: String {
    switch self {
    case .port: "port"
    case .modemManager: "ModemManager"
    case .modemLines: "modem lines"
    case .speed: "speed"
    case .synchronization: "H4 synchronization"
    case .firmware: "firmware"
    case .resynchronization: "wrong octet"
    case .extendedAdvertising: "extended advertising"
    case .advertisingSets: "advertising sets"
    case .advertisingData: "advertising data"
    case .phy2M: "LE 2M"
    case .phyCoded: "LE Coded"
    case .dataLength: "data length"
    case .aclBuffers: "ACL buffers"
    case .exchanges: "lost octets"
    case .latency: "latency"
    case .flowControl: "flow control"
    case .throughput: "throughput"
    case .listener: "second controller"
    case .legacyOnAir: "legacy advertising on air"
    case .extendedOnAir: "extended advertising on air"
    case .stability: "stability"
    case .linkLatency: "latency of a connection"
    case .linkThroughput: "throughput of a connection"
    }
  }

  /// Why the step matters.
  public var why: String {
    switch self {
    case .port: "All data goes through the port, so no other program may use it."
    case .modemManager: "It probes every new serial port for a modem, in the middle of the packets."
    case .modemLines: "With flow control on, nothing is sent while CTS is low."
    case .speed: "Both sides of a UART must use the same speed."
    case .synchronization: "H4 has no checksum: a side that loses its place in the octets cannot decode anything more."
    case .firmware: "Missing features depend on the firmware, and vendor commands on the manufacturer."
    case .resynchronization:
      "After a lost or damaged octet, the controller must find the next packet by itself."
    case .extendedAdvertising: "Without it there is only one advertisement, of 31 octets, on LE 1M."
    case .advertisingSets: "Each set in a profile needs one set in the controller."
    case .advertisingData: "Profiles may advertise more than one legacy packet can hold."
    case .phy2M: "It halves the time on the air for the same data, if the central supports it."
    case .phyCoded: "It gives a long range, if the central supports it."
    case .dataLength: "Packets of 27 octets split a notification into ten, and cut throughput to a third."
    case .aclBuffers: "The controller can hold this many packets while it waits for acknowledgements."
    case .exchanges: "A lost octet costs a command, a packet, or the whole connection."
    case .latency: "Each command and each read waits for it."
    case .flowControl: "Long packets at full speed overrun a UART without RTS and CTS."
    case .throughput: "Data on the air cannot be faster than the line that carries it."
    case .listener: "Only another controller can tell what is on the air."
    case .legacyOnAir: "Every central can receive this kind."
    case .extendedOnAir: "Sets with much data, and LE Coded, need this kind."
    case .stability: "A controller that restarts loses all its connections."
    case .linkLatency: "Every read and every write of a central waits for it."
    case .linkThroughput:
      "It depends on the air, both lines and both controllers."
    }
  }
}

extension SkipReason {
  /// The reason as text.
  public var text: String {
    switch self {
    case .noController: "there is no controller to test"
    case .notSerial: "not a serial port"
    case .noLines: "the port has no modem lines"
    case .notUSB: "not on USB, so ModemManager ignores it"
    case .mayHarm(let maker): "a controller by \(maker) may stop at it"
    case .noExtendedAdvertising: "the controller has no extended advertising"
    case .lossyLine: "the line loses octets: fix that first"
    case .slowLine: "answers are late: fix that first"
    case .noListener: "none given (--central)"
    case .commandsMissing: "the controller does not have the necessary commands"
    case .notHeard: "the second controller does not receive this one"
    case .openedOnce: "this kind of line can be opened only once: use serial, tcp-client or unix"
    }
  }
}

extension RestartSign {
  /// The sign as text.
  public var text: String {
    switch self {
    case .unaskedGrant: "a Command Complete for no command, as after a restart"
    case .hardwareError(let code): "hardware error 0x\([code].hexadecimal)"
    case .assertion(let place): "assertion failed at \(place)"
    }
  }
}
