import CSerial
import Glibc

extension Line {
  /// Opens a Bluetooth adapter of this machine for exclusive use, with the kernel's HCI user channel. While it is open, the kernel's own
  /// host does not use the adapter.
  package static func openAdapter(_ index: UInt16) throws(TransportError) -> Line {
    let descriptor = cserial_open_adapter(index)
    guard descriptor >= 0 else { throw .adapter(index, errno) }
    return Line(adopting: descriptor, unit: .packet)
  }
}

extension TransportError {
  /// Returns the reason why an adapter cannot be opened, from the kernel's error (Linux net/bluetooth/af_bluetooth.c, hci_sock.c and
  /// hci_sync.c).
  package static func adapter(_ index: UInt16, _ code: CInt) -> TransportError {
    let place = ControllerAddress.hci(index).description
    func error(_ kind: Kind, _ why: String, _ advice: String) -> TransportError {
      TransportError(
        kind: kind, what: "cannot open the Bluetooth adapter", place: place, why: why, advice: advice, code: code)
    }
    return switch code {
    case EAFNOSUPPORT, EPROTONOSUPPORT:
      error(
        .unsupported, "this kernel gives programs no access to Bluetooth",
        "run `sudo modprobe btusb`, in a container also share the host's network (--network=host), or use a board on a serial port"
      )
    case EPERM, EACCES:
      error(
        .permissionDenied, "the program lacks CAP_NET_ADMIN, which the HCI user channel needs",
        "run `sudo setcap cap_net_admin+ep $(command -v understudy)` once, or start it with sudo")
    case ENODEV:
      error(.notFound, "there is no hci\(index)", "`understudy controllers` lists the adapters")
    case EBUSY:
      error(
        .busy, "hci\(index) is switched on, so the kernel is using it",
        "run `bluetoothctl power off`, or `sudo systemctl stop bluetooth` if something switches it on again")
    case EUSERS, EALREADY:
      error(.busy, "another program is using the user channel of hci\(index)", "end that program")
    case ERFKILL: error(.busy, "hci\(index) is blocked by rfkill", "run `rfkill unblock bluetooth`")
    default: .system("cannot open the Bluetooth adapter", place, code)
    }
  }
}
