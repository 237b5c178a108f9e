import AccessoryProfile
import BLECore
import Testing
import Understudy

@Suite("Descriptions")
struct DescriptionTests {
  @Test("The page names everything that a reader looks for")
  func text() throws {
    let text = try ProfileDescription(try testProfile()).text
    for part in [
      "Test\n====", "For tests.", "(random static)", "main: legacy, connectable", "MTU 517", "(level)", "read, notify",
      "FFF0",
    ] { #expect(text.contains(part), "\(part)") }
    #expect(!text.contains("\t") && text.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test("The same as JSON, with handles that rise")
  func json() throws {
    let json = try ProfileDescription(try testProfile(), seed: 3).json
    #expect(json["name"] == .string("Test"))
    #expect(json["address"] != (try ProfileDescription(try testProfile(), seed: 4).json)["address"])
    var last = 0.0
    for service in json["services"]?.elements ?? [] {
      let handle = try #require(service["handle"]?.number)
      #expect(handle > last)
      last = try #require(service["end"]?.number)
      for characteristic in service["characteristics"]?.elements ?? [] {
        let value = try #require(characteristic["value_handle"]?.number)
        #expect(value > handle && value <= last)
      }
    }
    #expect(last > 10)
  }

  @Test(
    "Durations in the unit that people would choose",
    arguments: [
      (Duration.microseconds(152_500), "152.5 ms"), (.milliseconds(20), "20 ms"), (.seconds(30), "30 s"),
      (.seconds(90), "1.5 min"), (.seconds(8 * 3600), "8 h"), (.zero, "0 ms"),
    ])
  func durations(_ duration: Duration, _ text: String) {
    #expect(duration.shortText == text)
  }
}
