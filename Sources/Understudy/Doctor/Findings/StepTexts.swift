import BLECore

extension ExaminationStep {
  /// The step in words.
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
    case .port: "Everything goes through it, and through nobody else's hands."
    case .modemManager: "It asks every new serial port whether it is a modem, in the midst of the packets."
    case .modemLines: "With flow control on, nothing is sent while CTS is low."
    case .speed: "Both sides of a UART have to run at the same speed."
    case .synchronization: "H4 has no check sum: whoever loses his place in the octets understands nothing more."
    case .firmware: "What is missing depends on what was flashed, and the vendor commands on who made it."
    case .resynchronization:
      "After an octet that is lost or damaged the controller has to find the next packet by itself."
    case .extendedAdvertising: "Without it there is one advertisement of 31 octets on LE 1M."
    case .advertisingSets: "Each set of a profile is one of the controller's."
    case .advertisingData: "Profiles may advertise more than one packet of the legacy kind holds."
    case .phy2M: "Half the time on the air for the same data, where the central wants it."
    case .phyCoded: "Long range, where the central wants it."
    case .dataLength: "Packets of 27 octets cut a notification into ten, and throughput to a third."
    case .aclBuffers: "They are what the controller can send without asking its host again."
    case .exchanges: "A lost octet costs a command, a packet, or the whole connection."
    case .latency: "Each command and each read waits for it."
    case .flowControl: "Long packets at full speed overrun a UART whose RTS and CTS are not wired."
    case .throughput: "Data on the air cannot be faster than the line that brings it."
    case .listener: "Only somebody else can tell what is on the air."
    case .legacyOnAir: "Every central hears this kind."
    case .extendedOnAir: "Sets with much data, and LE Coded, need this kind."
    case .stability: "A controller that restarts takes all its connections with it."
    case .linkLatency: "Every read and every write of a central waits for it."
    case .linkThroughput:
      "It is what a transfer gets, when the air, both lines and both controllers have had their share."
    }
  }
}

extension SkipReason {
  /// The reason in words.
  public var text: String {
    switch self {
    case .noController: "no controller to look at"
    case .notSerial: "not a serial port"
    case .noLines: "the port has no such lines"
    case .notUSB: "not behind USB: ModemManager passes it over"
    case .mayHarm(let maker): "a controller of \(maker) may stop at it"
    case .noExtendedAdvertising: "the controller has no extended advertising"
    case .lossyLine: "the line loses octets: mend that first"
    case .slowLine: "answers come late: mend that first"
    case .noListener: "none given (--central)"
    case .commandsMissing: "the controller does not have the commands for it"
    case .notHeard: "the second controller does not hear this one"
    case .openedOnce: "this kind of line is opened only once: give serial, tcp-client or unix"
    }
  }
}

extension RestartSign {
  /// The sign in words.
  public var text: String {
    switch self {
    case .unaskedGrant: "a Command Complete for no command, as after a start"
    case .hardwareError(let code): "hardware error 0x\([code].hexadecimal)"
    case .assertion(let place): "assertion failed at \(place)"
    }
  }
}
