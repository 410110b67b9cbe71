import { isDeepStrictEqual } from 'node:util'
import { type Findings, findingsIn } from '@stead/control'
import type { Engine, Store } from '@stead/engine'
import { seconds, type Timer, type World } from '@stead/world'
import type { Logger } from 'pino'
import type { Part } from './parts.ts'

export interface ObservingOptions {
  readonly store: Store
  readonly engine: Engine
  readonly world: World
  readonly log: Logger
}

/** How often it is looked whether there is something new to tell. Regions are listed about as often. */
const lookEvery = seconds(10)

/**
 * A restored or copied store must not act on what it has forgotten: whoever starts it has to know that it only observes,
 * and what it has found, for as long as it does.
 */
export function tellObserving({ store, engine, world, log }: ObservingOptions): Part {
  log.info(store.identity, 'store opened')
  if (!store.identity.observeOnly) return { name: 'observing' }
  log.warn('this store was restored or copied: Stead only observes and changes nothing outside until `stead resume`')
  let timer: Timer | undefined
  let told: readonly Findings[] = []
  const look = () => {
    const found = findingsIn(engine.cache.platform())
    if (!isDeepStrictEqual(found, told)) tell(found)
    told = found
    if (store.identity.observeOnly) timer = world.setTimer(lookEvery, look)
  }
  const tell = (found: readonly Findings[]) => {
    for (const { region, ...counts } of found)
      log.warn(
        { region, ...counts },
        `not as this store knows it: see /v1/regions/${region}/orphans and /v1/regions/${region}/differences`,
      )
  }
  timer = world.setTimer(lookEvery, look)
  return { name: 'observing', close: async () => timer?.cancel() }
}
