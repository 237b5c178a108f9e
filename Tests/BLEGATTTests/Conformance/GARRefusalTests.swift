import Testing

/// The group GATT/SR/GAR, refused read procedures (Core 5.4 Vol 3 Part G 4.8, 4.12).
@Suite("GATT/SR/GAR, refusals")
struct GARRefusalTests {
  @Test("GATT/SR/GAR/BI-01-C: read, Read Not Permitted")
  func readNotPermitted() throws { try Obstacle.notPermitted.refuses("0a", with: "02") }

  @Test("GATT/SR/GAR/BI-02-C: read, Invalid Handle")
  func readInvalidHandle() throws { try Obstacle.noSuchHandle.refuses("0a", with: "01") }

  @Test("GATT/SR/GAR/BI-03-C: read, Insufficient Authorization")
  func readAuthorization() throws { try Obstacle.authorization.refuses("0a", with: "08") }

  @Test("GATT/SR/GAR/BI-04-C: read, Insufficient Authentication")
  func readAuthentication() throws { try Obstacle.authentication.refuses("0a", with: "05") }

  @Test("Read, Encryption Key Size Too Short")
  func readKeySize() throws { try Obstacle.keySize.refuses("0a", with: "0c") }

  @Test("GATT/SR/GAR/BI-06-C: read by type, Read Not Permitted")
  func typeNotPermitted() throws { try Obstacle.notPermitted.refusesType("02") }

  @Test("GATT/SR/GAR/BI-07-C: read by type, Attribute Not Found")
  func typeNotFound() throws {
    var chart = try Obstacle.none.chart()
    try chart.exchange("08 0100 ffff 9999", "01 08 0100 0a")
  }

  @Test("GATT/SR/GAR/BI-08-C: read by type, Invalid Handle", arguments: ["0000 ffff", "0500 0400", "0000 0000"])
  func typeInvalidHandle(range: String) throws {
    var chart = try Obstacle.none.chart()
    try chart.exchange("08" + range + "f3ff", "01 08" + range.prefix(4) + "01")
  }

  @Test("GATT/SR/GAR/BI-09-C: read by type, Insufficient Authorization")
  func typeAuthorization() throws { try Obstacle.authorization.refusesType("08") }

  @Test("GATT/SR/GAR/BI-10-C: read by type, Insufficient Authentication")
  func typeAuthentication() throws { try Obstacle.authentication.refusesType("05") }

  @Test("Read by type, Encryption Key Size Too Short")
  func typeKeySize() throws { try Obstacle.keySize.refusesType("0c") }

  @Test("GATT/SR/GAR/BI-12-C: read long, Read Not Permitted")
  func blobNotPermitted() throws { try Obstacle.notPermitted.refuses("0c", "0000", with: "02") }

  @Test("GATT/SR/GAR/BI-13-C: read long, Invalid Offset")
  func blobOffset() throws { try Obstacle.none.refuses("0c", "0200", with: "07") }

  @Test("GATT/SR/GAR/BI-14-C: read long, Invalid Handle")
  func blobInvalidHandle() throws { try Obstacle.noSuchHandle.refuses("0c", "0000", with: "01") }

  @Test("GATT/SR/GAR/BI-15-C: read long, Insufficient Authorization")
  func blobAuthorization() throws { try Obstacle.authorization.refuses("0c", "0000", with: "08") }

  @Test("GATT/SR/GAR/BI-16-C: read long, Insufficient Authentication")
  func blobAuthentication() throws { try Obstacle.authentication.refuses("0c", "0000", with: "05") }

  @Test("Read long, Encryption Key Size Too Short")
  func blobKeySize() throws { try Obstacle.keySize.refuses("0c", "0000", with: "0c") }

  @Test("GATT/SR/GAR/BI-18-C: read multiple, Read Not Permitted")
  func multipleNotPermitted() throws { try Obstacle.notPermitted.refusesSet("0e", "02") }

  @Test("GATT/SR/GAR/BI-19-C: read multiple, Invalid Handle")
  func multipleInvalidHandle() throws { try Obstacle.noSuchHandle.refusesSet("0e", "01") }

  @Test("GATT/SR/GAR/BI-20-C: read multiple, Insufficient Authorization")
  func multipleAuthorization() throws { try Obstacle.authorization.refusesSet("0e", "08") }

  @Test("GATT/SR/GAR/BI-21-C: read multiple, Insufficient Authentication")
  func multipleAuthentication() throws { try Obstacle.authentication.refusesSet("0e", "05") }

  @Test("Read multiple, Encryption Key Size Too Short")
  func multipleKeySize() throws { try Obstacle.keySize.refusesSet("0e", "0c") }

  @Test("GATT/SR/GAR/BI-23-C: read a descriptor, Read Not Permitted")
  func descriptorNotPermitted() throws { try Obstacle.notPermitted.refuses("0a", ofDescriptor: true, with: "02") }

  @Test("GATT/SR/GAR/BI-24-C: read a descriptor, Invalid Handle")
  func descriptorInvalidHandle() throws { try Obstacle.noSuchHandle.refuses("0a", ofDescriptor: true, with: "01") }

  @Test("GATT/SR/GAR/BI-28-C: read a long descriptor, Read Not Permitted")
  func longDescriptorNotPermitted() throws {
    try Obstacle.notPermitted.refuses("0c", "0000", ofDescriptor: true, with: "02")
  }

  @Test("GATT/SR/GAR/BI-29-C: read a long descriptor, Invalid Offset")
  func longDescriptorOffset() throws { try Obstacle.none.refuses("0c", "0200", ofDescriptor: true, with: "07") }

  @Test("GATT/SR/GAR/BI-30-C: read a long descriptor, Invalid Handle")
  func longDescriptorInvalidHandle() throws {
    try Obstacle.noSuchHandle.refuses("0c", "0000", ofDescriptor: true, with: "01")
  }

  @Test("GATT/SR/GAR/BI-36-C: read multiple variable, Read Not Permitted")
  func variableNotPermitted() throws { try Obstacle.notPermitted.refusesSet("20", "02") }

  @Test("GATT/SR/GAR/BI-38-C: read multiple variable, Invalid Handle")
  func variableInvalidHandle() throws { try Obstacle.noSuchHandle.refusesSet("20", "01") }

  @Test("GATT/SR/GAR/BI-40-C: read multiple variable, Insufficient Authorization")
  func variableAuthorization() throws { try Obstacle.authorization.refusesSet("20", "08") }

  @Test("GATT/SR/GAR/BI-42-C: read multiple variable, Insufficient Authentication")
  func variableAuthentication() throws { try Obstacle.authentication.refusesSet("20", "05") }

  @Test("Read multiple variable, Encryption Key Size Too Short")
  func variableKeySize() throws { try Obstacle.keySize.refusesSet("20", "0c") }
}
