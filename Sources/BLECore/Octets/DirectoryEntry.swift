#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension UnsafeMutablePointer where Pointee == dirent {
  /// The name of a directory's entry from readdir(3). The entry's memory ends with its name, so `d_name` must not be copied: a copy reads
  /// 256 octets, which can be beyond the memory of the directory.
  package var entryName: String {
    let name = UnsafeRawPointer(self) + (MemoryLayout<dirent>.offset(of: \.d_name) ?? 0)
    return String(cString: name.assumingMemoryBound(to: CChar.self))
  }
}
