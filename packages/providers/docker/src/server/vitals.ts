import { type Health, HealthWatch } from '@stead/provider-kit'
import type { Context } from './context.ts'
import { askHealth } from './probe.ts'
import { isOfThisBoot, isUp, type View } from './view.ts'

/** How the services of a server fare, as far as they have health checks. */
export class Vitals {
  readonly #context: Context
  readonly #onChange: () => void
  readonly #watches = new Map<string, { readonly life: string; readonly watch: HealthWatch }>()

  constructor(context: Context, onChange: () => void) {
    this.#context = context
    this.#onChange = onChange
  }

  /** Every life of a service with checks has its own watch. */
  attend(view: View): void {
    for (const [name, shape] of Object.entries(view.shape.services)) {
      const container = view.services[name]
      const isHere = container && isUp(container) && isOfThisBoot(view, container) && shape.healthChecks.length > 0
      const life = isHere ? container.State.StartedAt : ''
      const before = this.#watches.get(name)
      if ((before?.life ?? '') === life) continue
      before?.watch.close()
      this.#watches.delete(name)
      if (!isHere) continue
      const watch = new HealthWatch({
        world: this.#context.world,
        checks: shape.healthChecks,
        ask: (check, signal) => askHealth(this.#context, view.id, name, shape, check, signal),
        onChange: this.#onChange,
      })
      this.#watches.set(name, { life, watch })
    }
  }

  of(name: string): { readonly health: Health | undefined; readonly problem: string | undefined } {
    const watch = this.#watches.get(name)?.watch
    return { health: watch?.health, problem: watch?.problem }
  }

  /** Whether nothing speaks against it: who has no checks is well. */
  isWell(name: string): boolean {
    const { health } = this.of(name)
    return health === undefined || health === 'healthy'
  }

  close(): void {
    for (const { watch } of this.#watches.values()) watch.close()
    this.#watches.clear()
  }
}
