import BLECore
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import Transport

/// Opening channels to centrals.
extension Accessory {
  /// Opens a channel to a central. The events `channel-opened` and `channel-closed` report the outcome;
  /// received data is reported as the event `sdu`.
  public func openChannel(
    _ psm: SPSM, on link: ConnectionHandle, parameters: ChannelParameters
  ) throws(ControlError) -> ChannelID {
    let now = loop.now()
    defer { flush(at: now) }
    do throws(HostRequestError) {
      return try stack.openChannel(psm, on: link, parameters: parameters, at: now, into: &out)
    } catch {
      throw .refused(error)
    }
  }

  /// Opens one to five channels to a central with one request. Centrals support this since Core 5.2.
  public func openEnhancedChannels(
    _ psm: SPSM, count: Int, on link: ConnectionHandle, parameters: ChannelParameters
  ) throws(ControlError) -> [ChannelID] {
    let now = loop.now()
    defer { flush(at: now) }
    do throws(HostRequestError) {
      return try stack.openEnhancedChannels(
        psm, count: count, on: link, parameters: parameters, at: now, into: &out)
    } catch {
      throw .refused(error)
    }
  }
}
