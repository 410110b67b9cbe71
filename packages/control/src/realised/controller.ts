import { type Controller, controller, done, type View, type Wake } from '@stead/engine'
import type { Collection, ResourceInfo, ResourceSpec } from '@stead/provider-kit'
import type { Tell } from '../audit/deeds.ts'
import type { RegionClients } from '../regions/clients.ts'
import { Region } from '../regions/model.ts'
import { endParts, partWakes } from '../teardown/controller.ts'
import { decide, type Sighting } from './decide.ts'
import { Effects } from './effects.ts'
import type { RealisedKind } from './kind.ts'
import { Memory } from './memory.ts'
import type { Realised } from './model.ts'
import { Outside } from './outside.ts'

/** What can be exchanged for something with a bug in it, to see whether it is found. */
export interface RealisedParts {
  readonly decide?: typeof decide
  readonly Outside?: typeof Outside
  readonly Effects?: typeof Effects
}

/** The way to the backends, and who writes down what ends there. */
export interface RealisedSurroundings {
  readonly clients: RegionClients
  readonly tell: Tell
}

/**
 * Makes objects of one kind exist in their regions, once, and ends them without leaving anything behind. A crash at any
 * line leads to the same end: what is about to be sent is written down before, and its token names what was meant.
 */
export function realisedController<
  Object extends Realised,
  Spec extends ResourceSpec,
  Info extends ResourceInfo,
  Group extends Collection<Spec, Info>,
>(
  kind: RealisedKind<Object, Spec, Info, Group>,
  { clients, tell }: RealisedSurroundings,
  parts: RealisedParts = {},
): Controller {
  const { decide: choose = decide, Outside: Way = Outside, Effects: Doing = Effects } = parts
  const memory = new Memory()
  return controller<Object>({
    name: kind.whole.kind,
    kind: kind.whole.kind,
    wakes: [...partWakes(kind.whole), regionWake(kind), ...(kind.wakes ?? [])],
    async reconcile({ id }, context) {
      const { cache, world } = context
      const effects = new Doing({ kind, memory, context, tell })
      for (let backend: Sighting<Info> = { type: 'unasked' }; ; ) {
        const object = cache.get<Object>(kind.whole.kind, id)
        if (!object) return done
        if (object.deletedAt !== undefined) {
          const ended = await endParts({ whole: kind.whole, tell }, id, context)
          if ('type' in ended) return ended
        }
        const region = regionOf(kind, object, cache)
        const decision = choose({
          object,
          region: region?.spec.mode ?? 'gone',
          observeOnly: context.observeOnly,
          needs: kind.needs?.(object, cache),
          isPrepared: kind.preparing?.isPrepared(object) ?? true,
          backend,
          isCurrent: backend.type !== 'found' || (kind.update?.isCurrent(object, backend.info) ?? true),
          now: world.now(),
        })
        try {
          const outside = new Way({ kind, clients, region, memory, context })
          if (decision.type === 'describe') backend = await outside.describe(object)
          else if (decision.type === 'search') backend = await outside.search(object)
          else return await effects.perform(decision, object, outside)
        } catch (error) {
          return effects.failed(error, object, decision)
        }
      }
    },
    forgotten: ({ id }) => memory.forget(id),
  })
}

function regionOf<Object extends Realised>(
  { regionOf }: { regionOf(object: Object, everything: View): string | undefined },
  object: Object,
  everything: View,
): Region | undefined {
  const id = regionOf(object, everything)
  return id === undefined ? undefined : everything.get<Region>(Region.kind, id)
}

/** A region that goes into maintenance or comes out of it wakes what is there. Its health does not: that would wake all. */
const regionWake = ({ inRegion }: { inRegion(everything: View, regionId: string): readonly Realised[] }): Wake => ({
  kind: Region.kind,
  keys({ object, previous }, { cache }) {
    const modes = [object, previous].map(region => (region as Region | undefined)?.spec.mode)
    return modes[0] === modes[1] ? [] : inRegion(cache, object.id).map(({ id }) => id)
  },
})
