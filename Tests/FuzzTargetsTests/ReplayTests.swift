import FuzzTargets
import Glibc
import Testing

/// Replays every stored input, so that findings of a fuzzer are tested without one.
@Suite("Inputs of the fuzzers")
struct ReplayTests {
  @Test("make fuzz runs every target by default")
  func script() throws {
    let script = try InputFile.script()
    let list = script.split(separator: "TARGETS = [", maxSplits: 1)[1].prefix { $0 != "]" }
    let names = list.split { !$0.isLetter && !$0.isNumber }.map { String($0) }
    #expect(names == FuzzTargets.all.map { $0.name })
  }

  @Test("All inputs on file pass", arguments: FuzzTargets.all.map { $0.name })
  func passes(_ name: String) throws {
    let target = try #require(FuzzTargets.named(name))
    let inputs = try InputFile.all(of: "corpus", name) + InputFile.all(of: "regressions", name)
    #expect(!inputs.isEmpty)
    for input in inputs {
      #expect(throws: Never.self, "\(input.path)") { try target.run(input.octets) }
    }
  }

  @Test("Captures of every PDU, truncated at any octet, can be viewed", arguments: CaptureSeeds.cuts.map(\.name))
  func cuts(_ name: String) throws {
    let seed = try #require(CaptureSeeds.cuts.first { $0.name == name })
    #expect(seed.octets.count <= CaptureTarget.maximumLength)
    #expect(throws: Never.self) { try CaptureTarget.run(seed.octets) }
  }

  @Test("The seed files equal those that are made from packets", arguments: FuzzTargets.all.map { $0.name })
  func seeds(_ name: String) throws {
    let target = try #require(FuzzTargets.named(name))
    let seeds = Dictionary(target.seeds.map { ($0.name, $0.octets) }, uniquingKeysWith: { first, _ in first })
    #expect(target.seeds.count == seeds.count)
    if getenv("FUZZ_SEEDS").map({ String(cString: $0) }) == "write" {
      try InputFile.replace("corpus", name, with: seeds)
    }
    let files = try InputFile.all(of: "corpus", name).map { ($0.name, $0.octets) }
    let hint: Comment = "FUZZ_SEEDS=write swift test --filter FuzzTargetsTests writes them anew"
    #expect(Dictionary(files, uniquingKeysWith: { first, _ in first }) == seeds, hint)
  }

  @Test("Inputs are few and small, and no seed is truncated", arguments: FuzzTargets.all.map { $0.name })
  func sizes(_ name: String) throws {
    let target = try #require(FuzzTargets.named(name))
    for seed in target.seeds { #expect(seed.octets.count <= target.maximumLength, "\(seed.name)") }
    for input in try InputFile.all(of: "corpus", name) { #expect(input.octets.count <= 1024, "\(input.path)") }
  }

  @Test("The same input has the same result twice, whatever came between", arguments: FuzzTargets.all.map { $0.name })
  func isStateless(_ name: String) throws {
    let target = try #require(FuzzTargets.named(name))
    for length in [0, 1, 2, 3, 17, 300] {
      let octets = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ length) }
      let outcomes = (0..<2).map { _ in Result { () throws(Violation) in try target.run(octets) }.failure }
      #expect(outcomes == [nil, nil])
    }
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let failure) = self { failure } else { nil }
  }
}
