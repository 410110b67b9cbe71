import type { World } from '@stead/world'
import { Forwarder, type PortState } from '../network/forwarder.ts'
import { Relay } from '../network/relay-client.ts'
import type { Ids } from '../sandbox/paths.ts'
import type { SupervisorSettings } from '../wire/words.ts'

export interface DoorsOptions {
  readonly world: World
  readonly settings: SupervisorSettings
  readonly owner: Ids | undefined
  /** A process in the network behind them. */
  networkOf(): number | undefined
}

/** The ways from outside into the network of an instance. */
export class Doors {
  readonly relay: Relay
  readonly #forwarder: Forwarder
  readonly #isDirect: boolean
  #isOpen = false

  constructor({ world, settings, owner, networkOf }: DoorsOptions) {
    this.relay = new Relay(world, networkOf, owner)
    this.#forwarder = new Forwarder(settings.address, settings.forbiddenPorts, this.relay)
    // With nothing around them services listen on the machine itself.
    this.#isDirect = settings.level === 'none'
  }

  /** Opens them, and answers where; undefined when they are open already. */
  async open(ports: readonly PortState[]): Promise<readonly PortState[] | undefined> {
    if (this.#isOpen) return undefined
    this.#isOpen = true
    return this.#isDirect ? ports.map(port => ({ ...port, outer: port.inner })) : this.#forwarder.open(ports)
  }

  close(): void {
    this.#isOpen = false
    this.#forwarder.close()
    this.relay.close()
  }
}
