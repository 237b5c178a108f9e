import BLECore

extension CaptureEncoder {
  /// Writes records as a pcapng file. An existing file is replaced when the new one is complete.
  package static func write(_ records: [CaptureRecord], to path: String) throws(CaptureFailure) {
    var file = try OutputFile(creating: path, inPlace: false)
    var encoder = CaptureEncoder(.pcapng)
    var buffer = OctetBuffer(minimumCapacity: 1 << 17)
    encoder.begin(into: &buffer)
    for record in records {
      _ = encoder.append(record, into: &buffer)
      if buffer.count >= 1 << 16 {
        try file.write(buffer.copy().span)
        buffer.removeAll()
      }
    }
    try file.write(buffer.copy().span)
    try file.finish()
  }
}
