import FuzzTargets
import Glibc

/// libFuzzer's own loop, which calls back with every input.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// What libFuzzer calls with every input.
@_cdecl("LLVMFuzzerTestOneInput")
package func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do throws(Violation) {
    try Fuzzer.target.run(UnsafeBufferPointer(start: start, count: count))
  } catch {
    // A violation is a finding: libFuzzer keeps the input when the process traps.
    fatalError("\(Fuzzer.target.name): \(error)")
  }
  return 0
}

/// The program that fuzzes the target that the environment names, under libFuzzer's own arguments.
@main
enum Fuzzer {
  static let target: any FuzzTarget.Type = {
    guard let name = getenv("FUZZ_TARGET").map({ String(cString: $0) }), let target = FuzzTargets.named(name) else {
      fatalError("FUZZ_TARGET must be one of \(FuzzTargets.all.map { $0.name })")
    }
    return target
  }()

  static func main() {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(runDriver(&count, &arguments, testOneInput))
  }
}
