import Testing

@testable import ControlAPI

/// Responses of HTTP servers, split into runs in any way.
@Suite struct ReplyTests {
  struct Case: CustomTestStringConvertible {
    var testDescription: String
    var text: String
    var status = 200
    var body = ""
    var isWhole = true
  }

  static let cases = [
    Case(
      testDescription: "of a known length", text: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", body: "hello"),
    Case(testDescription: "empty", text: "HTTP/1.1 204 No Content\r\ncontent-length:0\r\n\r\n", status: 204),
    Case(
      testDescription: "in chunks",
      text:
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\nA;x=y\r\nlo\r\nworld!\r\n0\r\nTrailer: x\r\n\r\n",
      body: "hello\r\nworld!"),
    Case(
      testDescription: "in chunks that go on", text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
      body: "hel", isWhole: false),
    Case(
      testDescription: "up to the end of the connection", text: "HTTP/1.0 200 OK\r\n\r\nhello", body: "hello",
      isWhole: false),
    Case(
      testDescription: "with bare line feeds", text: "HTTP/1.1 401 Unauthorized\nContent-Length: 2\n\n{}", status: 401,
      body: "{}"),
    Case(testDescription: "with more behind it", text: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nabc", body: "a"),
  ]

  @Test(arguments: cases, [1, 2, 7, 1000])
  func answerIsRead(case example: Case, run: Int) throws {
    var reply = HTTPReply()
    var body: [UInt8] = []
    let octets = Array(example.text.utf8)
    for start in stride(from: 0, to: octets.count, by: run) {
      try reply.push(octets.span.extracting(start..<min(start + run, octets.count)), into: &body)
    }
    #expect(reply.status == example.status)
    #expect(reply.hasHead)
    #expect(String(decoding: body, as: UTF8.self) == example.body)
    #expect(reply.isWhole == example.isWhole)
  }

  @Test(arguments: [
    "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1\r\n", "HTTP/1.1 ok\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", String(repeating: "x", count: 20_000),
  ])
  func otherSpeechIsRefused(text: String) {
    var reply = HTTPReply()
    var body: [UInt8] = []
    #expect(throws: HTTPReply.Fault.malformed) { try reply.push(Array(text.utf8).span, into: &body) }
  }
}
