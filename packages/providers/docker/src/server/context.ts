import type { Owner } from '@stead/provider-kit'
import type { World } from '@stead/world'
import type { Engine } from '../engine/engine.ts'
import type { Guard } from '../guard/guard.ts'
import type { Inside } from '../inside/install.ts'
import type { Images } from './images.ts'
import type { Networks } from './networks.ts'
import type { OutOfMemory } from './out-of-memory.ts'

export interface Settings {
  /** Where declared ports can be reached. */
  readonly address: string
  readonly pidsLimit: number
  /** Rights that services keep; all others are taken from them. */
  readonly capabilities: readonly string[]
}

/** What everything here works with. */
export interface Context {
  readonly world: World
  readonly owner: Owner
  readonly engine: Engine
  readonly kind: 'docker' | 'podman'
  readonly settings: Settings
  readonly inside: Inside
  readonly images: Images
  readonly networks: Networks
  readonly guard: Guard
  readonly outOfMemory: OutOfMemory
}
