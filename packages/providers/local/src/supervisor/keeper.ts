import { writeWhole } from './durable.ts'
import type { KeptState, ServiceState } from './state.ts'

/** The state of an instance, which is on the disk before anybody is told of it. */
export class Keeper {
  readonly #path: string
  readonly #onChange: () => void
  #state: KeptState

  constructor(path: string, state: KeptState, onChange: () => void) {
    this.#path = path
    this.#state = state
    this.#onChange = onChange
  }

  get state(): KeptState {
    return this.#state
  }

  /** What is wanted of it must outlive the machine; what only describes processes need not, since they do not either. */
  set(change: Partial<KeptState>, { synced = false } = {}): void {
    this.#write({ ...this.#state, ...change }, synced)
    this.#onChange()
  }

  /** Of one service. Told with what follows from it. */
  setService(name: string, change: Partial<ServiceState>): void {
    const service = { ...this.#state.services[name]!, ...change }
    this.#write({ ...this.#state, services: { ...this.#state.services, [name]: service } }, false)
  }

  /** Something that is not kept is different now. */
  changed(): void {
    this.#onChange()
  }

  #write(state: KeptState, synced: boolean): void {
    this.#state = state
    writeWhole(this.#path, state, { synced })
  }
}
