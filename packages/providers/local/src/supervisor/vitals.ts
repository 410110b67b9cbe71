import { type Health, HealthWatch } from '@stead/provider-kit'
import type { World } from '@stead/world'
import type { PortState } from '../network/forwarder.ts'
import type { Relay } from '../network/relay-client.ts'
import { askHealth } from './health.ts'
import type { Service } from './service.ts'

/** How the services of an instance fare, as far as they have health checks. */
export class Vitals {
  readonly #world: World
  readonly #relay: Relay
  readonly #onChange: () => void
  readonly #watches = new Map<string, HealthWatch>()

  constructor(world: World, relay: Relay, onChange: () => void) {
    this.#world = world
    this.#relay = relay
    this.#onChange = onChange
  }

  /** From here to the end of its process. */
  watch(service: Service, ports: readonly PortState[]): void {
    const own = ports.filter(port => port.service === service.name)
    const port = (name: string) => own.find(each => each.name === name)?.inner ?? 0
    this.forget(service.name)
    const watch = new HealthWatch({
      world: this.#world,
      checks: service.launch.healthChecks,
      ask: (check, signal) => askHealth({ service, relay: this.#relay, port }, check, signal),
      onChange: this.#onChange,
    })
    this.#watches.set(service.name, watch)
  }

  forget(name: string): void {
    this.#watches.get(name)?.close()
    this.#watches.delete(name)
  }

  of(name: string): { readonly health: Health | undefined; readonly problem: string | undefined } {
    const watch = this.#watches.get(name)
    return { health: watch?.health, problem: watch?.problem }
  }

  /** Whether nothing speaks against it: who has no checks is well. */
  isWell(name: string): boolean {
    const { health } = this.of(name)
    return health === undefined || health === 'healthy'
  }

  close(): void {
    for (const name of [...this.#watches.keys()]) this.forget(name)
  }
}
