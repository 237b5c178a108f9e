import AccessoryProfile
import Foundation
import FoundationXML
import Testing

@testable import Understudy

/// Drawings of profiles.
@Suite("Drawings")
struct DrawingTests {
  /// The texts of a drawing, which must be XML.
  private final class Texts: NSObject, XMLParserDelegate {
    var texts: [String] = []
    var elements: Set<String> = []
    private var isText = false

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String]
    ) {
      elements.insert(name)
      isText = name == "text"
      if isText { texts.append("") }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
      if isText { texts[texts.count - 1] += string }
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
      isText = false
    }
  }

  private func texts(_ svg: String) throws -> (texts: [String], elements: Set<String>) {
    let found = Texts()
    let parser = XMLParser(data: Data(svg.utf8))
    parser.delegate = found
    #expect(parser.parse(), "\(parser.parserError.map { "\($0)" } ?? "")")
    return (found.texts, found.elements)
  }

  @Test("Services, characteristics and the sequence of a connection")
  func profile() throws {
    let entry = try #require(ShippedProfiles.path(named: "heart-rate"))
    let (texts, _) = try texts(try ProfileDescription(try Profile.load(contentsOf: entry)).svg)
    for text in ["Heart Rate (180D)", "Central", "Accessory", "Connection", "Subscription to measurement"] {
      #expect(texts.contains(text), "\(text)")
    }
    #expect(texts.contains { $0.hasPrefix("0x000B  Heart Rate Measurement (notify)") })
    #expect(texts.contains { $0.hasPrefix("Notification of measurement, every 1 s") })
    let order = ["Connection", "Subscription to measurement"].compactMap { texts.firstIndex(of: $0) }
    #expect(order.count == 2 && order == order.sorted())
  }

  @Test("External texts stay text")
  func hostile() throws {
    let profile = try Profile.load(
      text: """
        understudy: 1
        name: "</text><script>1</script>"
        about: "a & b \\" \\u0007 <i>"
        services: []
        """)
    let (texts, elements) = try texts(try ProfileDescription(profile).svg)
    #expect(texts.contains("</text><script>1</script>"))
    #expect(texts.contains("a & b \" \u{FFFD} <i>"))
    #expect(!elements.contains("script") && !elements.contains("i"))
  }
}
