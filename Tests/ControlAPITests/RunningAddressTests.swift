import Glibc
import Testing

@testable import ControlAPI

@Suite struct RunningAddressTests {
  @Test func aProcessIsNamedByItsNumberAndBeginning() throws {
    let own = try #require(RunningProcess(getpid()))
    #expect(RunningProcess(parsing: own.text) == own)
    for text in ["\(own.number)", "\(own.number) \(own.beginning + 1)", "\(own.number) x", "0 0", "", "\(own.text) 1"] {
      #expect(RunningProcess(parsing: text) == nil, "\(text)")
    }
  }

  /// The file of a killed run does not lead to the process that now has its port, whether or not it has the same process ID.
  @Test func onlyRunsThatLiveAreFound() throws {
    let address = HTTPAddress(host: "127.0.0.1", port: 1)
    let own = try #require(RunningProcess(getpid()))
    let token = try GeneratedToken.keep("s3cret-of-the-lab", port: 1)
    #expect(GeneratedToken.of(port: 1) == nil)
    for text in ["\(address)", "\(address) \(own.number) \(own.beginning + 1)", "127.0.0.1:2 \(own.text)"] {
      let file = try RunFile(text, named: "http-1.address")
      #expect(!RunningAddress.all.contains { $0.port == 1 || $0.port == 2 }, "\(text)")
      #expect(GeneratedToken.of(port: 1) == nil)
      withExtendedLifetime(file) {}
    }
    let file = try #require(RunningAddress.keep(address))
    #expect(RunningAddress.all.contains(address))
    #expect(GeneratedToken.of(port: 1) == "s3cret-of-the-lab")
    withExtendedLifetime((token, file)) {}
  }
}
