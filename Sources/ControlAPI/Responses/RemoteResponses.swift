import AccessoryProfile
import BLEGATT
import BLEHCI
import HTTPTypes
import Understudy

/// Answers the requests about the servers of centrals, when their operations have ended.
struct RemoteResponses {
  let accessory: Accessory

  /// What is known of a central's server.
  func report(of link: ConnectionHandle) async throws(Refusal) -> ProfileValue {
    do throws(ControlError) {
      return database(try await accessory.remoteReport(of: link), link)
    } catch {
      throw Refusal(error)
    }
  }

  /// Does what a verb says, and answers with what came of it.
  func perform(
    _ verb: RemoteVerb, _ body: ProfileValue?, on link: ConnectionHandle
  ) async throws(Refusal) -> ProfileValue {
    switch verb {
    case .discover:
      _ = try JSONBody.fields(body, known: [])
      do throws(ControlError) { try await accessory.discoverRemote(of: link) } catch { throw Refusal(error) }
      return try await report(of: link)
    case .read:
      let target = try RemoteRequests.target(try JSONBody.fields(body, known: RemoteRequests.targetFields))
      do throws(ControlError) {
        return try await accessory.remoteValueReport(of: target, on: link)
      } catch {
        throw Refusal(error)
      }
    case .write: return try await write(try RemoteRequests.write(body), on: link)
    case .subscribe: return try await subscribe(try RemoteRequests.subscription(body), on: link)
    }
  }

  private func write(_ request: RemoteRequests.Write, on link: ConnectionHandle) async throws(Refusal) -> ProfileValue {
    do throws(ControlError) {
      let handle = try await accessory.writeRemote(
        request.value, to: request.target, of: link, withResponse: request.withResponse)
      return .object([
        "connection": .int(Int64(link.rawValue)), "handle": .int(Int64(handle)),
        "octets": .int(Int64(request.value.count)),
      ])
    } catch {
      throw Refusal(error)
    }
  }

  private func subscribe(
    _ request: RemoteRequests.Subscription, on link: ConnectionHandle
  ) async throws(Refusal) -> ProfileValue {
    do throws(ControlError) {
      let (handle, wanted) = try await accessory.subscribeRemote(request.target, of: link, request.configuration)
      return .object([
        "connection": .int(Int64(link.rawValue)), "handle": .int(Int64(handle)),
        "notify": .bool(wanted.contains(.notification)), "indicate": .bool(wanted.contains(.indication)),
      ])
    } catch {
      throw Refusal(error)
    }
  }

  private func database(_ services: ProfileValue, _ link: ConnectionHandle) -> ProfileValue {
    .object(["connection": .int(Int64(link.rawValue)), "services": services])
  }
}
