import { join } from 'node:path'
import { appendLine, readLastLine, readWhole, syncAll, writeWhole } from './durable.ts'
import type { KeptLaunch, KeptState, ServiceState } from './state.ts'

const launchFile = 'launch.json'
const stateFile = 'state.jsonl'

/** What is kept of an instance in its directory; undefined when the machine lost its power before it was on the disk. */
export function readKept(directory: string): { launch: KeptLaunch; state: KeptState } | undefined {
  const launch = readWhole(join(directory, launchFile)) as KeptLaunch | undefined
  if (!launch) return undefined
  return { launch, state: (readLastLine(join(directory, stateFile)) as KeptState | undefined) ?? launch.initial }
}

export function writeLaunch(directory: string, launch: KeptLaunch): void {
  writeWhole(join(directory, launchFile), launch)
}

/** Everything that must be on the disk for a launch to be remembered. */
export const launchPaths = (directory: string): string[] => [join(directory, launchFile), directory]

/** After this many states the earlier ones are dropped. */
const states = 256

/** The state of an instance, which is on the disk before anybody is told of it. */
export class Keeper {
  readonly #directory: string
  readonly #onChange: () => void
  #state: KeptState
  #written = 0
  #synced: Promise<void> = Promise.resolve()

  constructor(directory: string, state: KeptState, onChange: () => void) {
    this.#directory = directory
    this.#state = state
    this.#onChange = onChange
  }

  get state(): KeptState {
    return this.#state
  }

  set(change: Partial<KeptState>): void {
    this.#write({ ...this.#state, ...change })
    this.#onChange()
  }

  /** For what is wanted of it. That must outlive the machine; what only describes processes need not, they do not either. */
  setWanted(change: Partial<KeptState>): void {
    this.set(change)
    this.#synced = syncAll([join(this.#directory, stateFile)])
    this.#synced.catch(() => {}) // told to whoever waits for it
  }

  /** Resolves when what is wanted is on the disk. Nobody is answered before. */
  get synced(): Promise<void> {
    return this.#synced
  }

  /** Of one service. Told with what follows from it. */
  setService(name: string, change: Partial<ServiceState>): void {
    const service = { ...this.#state.services[name]!, ...change }
    this.#write({ ...this.#state, services: { ...this.#state.services, [name]: service } })
  }

  /** Something that is not kept is different now. */
  changed(): void {
    this.#onChange()
  }

  #write(state: KeptState): void {
    this.#state = state
    const path = join(this.#directory, stateFile)
    if (++this.#written % states === 0) writeWhole(path, state)
    else appendLine(path, state)
  }
}
