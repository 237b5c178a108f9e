#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Closes a descriptor with close(2), whose own name is that of methods here.
@discardableResult
func closeDescriptor(_ descriptor: CInt) -> CInt { close(descriptor) }

/// Writes octets with write(2), whose own name is that of methods here. Returns the number that was written, or -1.
func writeOctets(_ octets: UnsafeRawBufferPointer, to descriptor: CInt) -> Int {
  write(descriptor, octets.baseAddress, octets.count)
}
