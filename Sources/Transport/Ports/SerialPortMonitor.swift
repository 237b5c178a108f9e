import CUdev
import Glibc

/// Notifies of serial ports that appear and disappear, by udev. Watch its descriptor and call `take`.
///
/// If udev does not run, as in a container, it never reports anything, so also check the ports from time to time.
package final class SerialPortMonitor {
  /// Readable when there are changes to take.
  package let descriptor: CInt
  private let context: OpaquePointer
  private let monitor: OpaquePointer

  /// Creates a monitor that reports all changes from now on.
  package init() throws(TransportError) {
    func failure(_ code: CInt) -> TransportError { .system("cannot watch for", "serial ports", code) }
    guard let context = udev_new() else { throw failure(errno) }
    guard let monitor = udev_monitor_new_from_netlink(context, "udev") else {
      let code = errno
      udev_unref(context)
      throw failure(code)
    }
    udev_monitor_filter_add_match_subsystem_devtype(monitor, "tty", nil)
    guard udev_monitor_enable_receiving(monitor) >= 0 else {
      let code = errno
      udev_monitor_unref(monitor)
      udev_unref(context)
      throw failure(code)
    }
    (self.context, self.monitor, descriptor) = (context, monitor, udev_monitor_get_fd(monitor))
  }

  deinit {
    udev_monitor_unref(monitor)
    udev_unref(context)
  }

  /// Takes the changes from udev. Returns whether any concerned serial ports.
  package func take() -> Bool {
    var isNews = false
    while let device = udev_monitor_receive_device(monitor) {
      udev_device_unref(device)
      isNews = true
    }
    return isNews
  }
}
