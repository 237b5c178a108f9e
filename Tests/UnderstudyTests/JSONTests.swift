import AccessoryProfile
import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import PeripheralHost
import Testing
import Transport

@testable import Understudy

@Suite("JSON")
struct JSONTests {
  @Test(
    "Values are written according to RFC 8259",
    arguments: [
      (ProfileValue.null, "null"), (.bool(true), "true"), (.int(-7), "-7"), (.int(.max), "9223372036854775807"),
      (.double(0.5), "0.5"), (.double(1e300), "1e+300"), (.double(.nan), "null"), (.double(.infinity), "null"),
      (.string(""), #""""#), (.string("a\"b\\c"), #""a\"b\\c""#), (.string("\n\r\t"), #""\n\r\t""#),
      (.string("\u{0}\u{1F}"), #""\u0000\u001f""#), (.string("é😀"), #""é😀""#),
      // Characters that a terminal interprets, although RFC 8259 permits them.
      (.string("\u{7F}\u{9B}31m\u{202E}\u{2028}"), #""\u007f\u009b31m\u202e\u2028""#),
      (.string("\r\n"), #""\r\n""#), (.string("e\u{301}/"), "\"e\u{301}/\""),
      (.array([]), "[]"), (.array([.int(1), .null]), "[1,null]"), (.object([:]), "{}"),
      (.object(["b": .int(2), "a": .object(["\"": .bool(false)])]), #"{"a":{"\"":false},"b":2}"#),
      (.octets([0x01, 0xFF]), #"{"hex":"01ff"}"#),
    ])
  func text(_ value: ProfileValue, _ text: String) {
    #expect(value.jsonText == text)
  }

  @Test("No control character is written unescaped")
  func controlCharacters() {
    for scalar in (0..<0x20).compactMap(Unicode.Scalar.init) {
      let text = ProfileValue.string(String(Character(scalar))).jsonText
      #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 })
    }
  }

  private func json(_ event: HostEvent) -> String {
    AccessoryEvent(time: .milliseconds(1500), kind: .host(event), characteristic: nil).json.jsonText
  }

  @Test("Events say what, when and where")
  func events() {
    let link = ConnectionHandle(rawValue: 3)
    #expect(
      json(.disconnected(link, reason: .connectionTimeout))
        == #"{"code":8,"connection":3,"event":"disconnected","reason":"Connection Timeout (0x08)","time":1.5}"#)
    #expect(
      json(.server(link, .written(CharacteristicIndex(0), [0xAB])))
        == #"{"connection":3,"event":"write","hex":"ab","time":1.5}"#)
    #expect(
      json(.server(link, .refused(.readRequest, handle: 9, .invalidHandle))).contains(#""request":"ATT_READ_REQ""#))
    #expect(
      json(.server(link, .subscriptionChanged(CharacteristicIndex(0), [])))
        == #"{"connection":3,"event":"unsubscribed","indicate":false,"notify":false,"time":1.5}"#)
    #expect(
      json(.parametersChanged(link, interval: .microseconds(7500), latency: 1, timeout: .seconds(4)))
        == #"{"connection":3,"event":"parameters","interval_ms":7.5,"latency":1,"time":1.5,"timeout_ms":4000.0}"#)
    #expect(json(.phyChanged(link, transmit: .le2M, receive: .leCoded)).contains(#""rx":"coded""#))
    #expect(json(.stopped) == #"{"event":"stopped","time":1.5}"#)
  }

  @Test("Operations on a central's server are reported with their requests and results")
  func remote() throws {
    let link = ConnectionHandle(rawValue: 3)
    var client = GATTClient(mtu: 100)
    client.reportsBeginnings = true
    var out = GATTClientOutput()
    let id = client.perform(.read(9), at: .zero, into: &out)
    let began = try #require(out.events.first)
    #expect(
      json(.client(link, began))
        == #"{"connection":3,"event":"remote-began","handle":9,"operation":1,"request":"read","time":1.5}"#)
    #expect(
      json(.client(link, .ended(id, .success(.value([0xAB])))))
        == #"{"connection":3,"event":"remote-ended","hex":"ab","operation":1,"time":1.5}"#)
    let refused = json(
      .client(link, .ended(id, .failure(.refused(.attributeNotFound, request: .readRequest, handle: 9)))))
    #expect(refused.contains(#""event":"remote-failed""#) && refused.contains("Attribute Not Found (0x0A)"))
    #expect(
      json(.client(link, .indication(handle: 4, value: [1])))
        == #"{"connection":3,"event":"remote-indication","handle":4,"hex":"01","time":1.5}"#)
    #expect(
      json(.client(link, .servicesChanged(2...8)))
        == #"{"connection":3,"event":"remote-services-changed","first_handle":2,"last_handle":8,"time":1.5}"#)
  }

  @Test("Failed steps are reported with the reason")
  func steps() {
    let lapsed = ClientStepReport(peer: 3, step: "subscribe battery-level", outcome: .lapsed)
    #expect(lapsed.json["reason"] == "the central's services have changed, which has ended the subscription")
    #expect(lapsed.json["retry"] == true)
    let report = ClientStepReport(peer: 3, step: "read battery-level", outcome: .failed(.notThere, isTriedAgain: true))
    let event = AccessoryEvent(time: .milliseconds(1500), kind: .remoteStep(report), characteristic: nil)
    #expect(
      event.json.jsonText
        == #"{"connection":3,"event":"remote-step","reason":"the central has no such characteristic","#
        + #""retry":true,"step":"read battery-level","time":1.5}"#)
  }

  @Test(
    "Every fault has its own name, and states the reaction",
    arguments: [
      (ProtocolFault.skippedOctets(3), "skipped-octets"), (.malformedEvent(code: 5), "malformed-event"),
      (.malformedACL(.zero, "x"), "malformed-acl"), (.unknownConnection(.zero), "unknown-connection"),
      (.unknownChannel(.zero, 64), "unknown-channel"), (.signalling(.zero, "x"), "signalling"),
      (.bogusCompletion(.zero), "bogus-completion"), (.transactionTimeout(.zero), "transaction-timeout"),
      (.bearerTimeout(.zero, 65), "bearer-timeout"), (.flooding(.zero), "flooding"),
      (.unexpectedAnswer(.reset), "unexpected-answer"),
      (.controllerRestarted("x"), "controller-restarted"),
    ])
  func faults(_ fault: ProtocolFault, _ name: String) {
    let text = json(.fault(fault))
    #expect(text.contains(#""event":"fault""#) && text.contains(#""fault":"\#(name)""#))
    let remedy =
      switch name {
      case "transaction-timeout", "flooding": "disconnected"
      case "controller-restarted": "restarted"
      case "bearer-timeout": "closed"
      default: "ignored"
      }
    #expect(text.contains(#""done":"\#(remedy)""#))
  }

  @Test("An event names its characteristic")
  func characteristic() {
    let event = AccessoryEvent(
      time: .zero, kind: .logged([1, 2]), characteristic: CharacteristicName(id: "x\"y", uuid: BluetoothUUID(0xFFF1)),
      value: .int(513))
    #expect(
      event.json.jsonText
        == #"{"characteristic":"x\"y","event":"log","hex":"0102","time":0.0,"uuid":"FFF1","value":513}"#)
  }

  @Test("Failures include advice")
  func failures() {
    let vanished = AccessoryFailure.vanished(controller: .unix(path: "/run/x"), reason: "the line was closed")
    #expect("\(vanished)".hasPrefix("unix:/run/x: the controller is gone (the line was closed): "))
    let unusable = AccessoryFailure.unusable(controller: .virtual, .noPublicAddress)
    #expect("\(unusable)".hasPrefix("virtual: ") && "\(unusable)".contains("`address: static`"))
    #expect("\(AccessoryFailure.definition(.tooManyAttributes))".contains("65,535"))
    #expect(
      "\(AccessoryFailure.definition(.unknownInclude(service: "a", include: "b")))".contains("service a includes b"))
  }
}
