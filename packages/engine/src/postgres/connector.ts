import { type Duration, millis, type World } from '@stead/world'
import { type DatabaseAddress, type DatabaseHost, hostName } from './address.ts'
import { Connection, type ServerFacts } from './connection.ts'
import { describeFailure, failureKind, isMixedUp, isReadOnly, isRefusedSetting } from './failure.ts'

/** No host let us in. `refused` if each of them said no, rather than nothing. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError'
  readonly refused: boolean
  constructor(failures: readonly { readonly host: DatabaseHost; readonly error: unknown }[]) {
    super(failures.map(({ host, error }) => `${hostName(host)}: ${describeFailure(error)}`).join('; '), {
      cause: failures[0]?.error,
    })
    this.refused = failures.every(({ error }) => failureKind(error) === 'refused')
  }
}

/** Opens sessions on whichever host is the primary. */
export class Connector {
  readonly world: World
  readonly address: DatabaseAddress
  /** Whether something between us and the server will not have the session's settings: a pooler. */
  pooled = false
  private prepares = true
  private preferred = 0
  private latest: ServerFacts | undefined

  constructor(world: World, address: DatabaseAddress) {
    this.world = world
    this.address = address
  }

  /** What the server said when the last session began. */
  get facts(): ServerFacts | undefined {
    return this.latest
  }

  /** The host that had the last session. */
  get host(): DatabaseHost {
    return this.address.hosts[this.preferred]!
  }

  /** To be told of every failed request. Answers whether its session is of no use any more. */
  hasSpoilt(error: unknown): boolean {
    if (isMixedUp(error)) this.prepares = false
    // It was the primary once and no longer is, or it is not one session at all.
    return isReadOnly(error) || isMixedUp(error)
  }

  async connect(timeout: Duration, pipeline = false): Promise<Connection> {
    const { hosts } = this.address
    const deadline = this.world.monotonic() + timeout
    const failures: { host: DatabaseHost; error: unknown }[] = []
    for (let turn = 0; turn < hosts.length; turn++) {
      const index = (this.preferred + turn) % hosts.length
      const host = hosts[index]!
      // What is left is shared, so that a host that does not answer leaves time for the next.
      const share = millis((deadline - this.world.monotonic()) / (hosts.length - turn))
      try {
        const connection = await this.connectTo(host, share, pipeline)
        this.preferred = index
        return connection
      } catch (error) {
        failures.push({ host, error })
      }
    }
    throw new ConnectError(failures)
  }

  private async connectTo(host: DatabaseHost, timeout: Duration, pipeline: boolean): Promise<Connection> {
    const options = {
      world: this.world,
      address: this.address,
      host,
      timeout,
      pipeline,
      prepares: () => this.prepares && !this.pooled,
    }
    const connection = await Connection.open({ ...options, settings: !this.pooled }).catch(error => {
      if (this.pooled || !isRefusedSetting(error)) throw error
      this.pooled = true
      return Connection.open({ ...options, settings: false })
    })
    try {
      const facts = await connection.facts(timeout)
      if (facts.standby) throw new Error('it is a standby, which cannot be written to')
      this.latest = facts
      return connection
    } catch (error) {
      connection.abandon()
      throw error
    }
  }
}
