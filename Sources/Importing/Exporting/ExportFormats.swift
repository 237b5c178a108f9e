extension ExportFormat {
  /// The formats.
  package static let all: [ExportFormat] = [
    ExportFormat(name: "bumble", summary: "a device configuration of Bumble", write: BumbleExport.write),
    ExportFormat(
      name: "btstack", summary: "a GATT description of BTstack (.gatt)", write: BTstackExport.write),
  ]
}
