import type { World } from '@stead/world'
import type { Cgroups } from '../cgroups/index.ts'
import type { Images } from '../images/images.ts'
import type { Start } from '../sandbox/start.ts'
import type { SupervisorSettings } from '../wire/words.ts'
import type { Arrivals } from './arrivals.ts'
import type { Ended } from './ended.ts'
import type { MemoryWatch } from './memory-watch.ts'
import type { Place } from './place.ts'
import type { Seal } from './sealing.ts'

/** What everything in a supervisor works with. */
export interface Context {
  readonly world: World
  readonly arrivals: Arrivals
  readonly memory: MemoryWatch
  readonly settings: SupervisorSettings
  readonly place: Place
  readonly ended: Ended
  readonly cgroups: Cgroups
  readonly seal: Seal
  readonly images: Images
  readonly start: Start
  /** Whether services can be somebody else than we are. */
  readonly isRoot: boolean
}
