extension ExportFormat {
  /// The formats.
  package static let all: [ExportFormat] = [
    ExportFormat(
      name: "bumble", summary: "a device configuration of Bumble", hasValues: false, write: BumbleExport.write),
    ExportFormat(
      name: "btstack", summary: "a .gatt file of BTstack", hasValues: true, write: BTstackExport.write),
  ]
}
