import { changeSet } from '@stead/engine'
import { createToken, type LaunchSpec, serverTags, type Tags } from '@stead/provider-kit'
import { minutes } from '@stead/world'
import type { ControlStage } from '../../simulation/index.ts'
import { type Tombstone, tombstones } from '../ending.ts'
import { removedAfter } from '../orphans/model.ts'

type Place = Pick<ControlStage, 'cloud' | 'region'>

/** Something that says by its tags that it is of this server, and that nobody here has launched. */
export function leaveStray({ cloud, region }: Place, serverId: string, more: Tags = {}): void {
  const tags = { ...serverTags({ controlPlane: 'store_simulated', region }, serverId), ...more }
  const source = { type: 'machine', flavor: 'small', image: 'minimal' } as const
  const spec: LaunchSpec = { name: 'stray', power: 'on', source, tags }
  cloud.account().launch({ spec, tags, name: spec.name, token: createToken(serverId), fingerprint: '' })
}

/** What nobody here ever had is of this server, by its tags. */
export const strayId = 'srv_stray'

/** Leaves that. Answers until when it has to be left alone to be believed to be left alone for good. */
export function leaveUnknown({ world, ...place }: Place & Pick<ControlStage, 'world'>): number {
  leaveStray(place, strayId)
  return world.time + removedAfter + minutes(2)
}

/** Says that servers were given up, as if each had been here once. */
export const giveUp = (
  { requests, world, region }: ControlStage,
  serverIds: readonly string[],
  more: Partial<Tombstone> = {},
): Promise<unknown> =>
  requests.insist({
    who: 'nobody',
    what: 'give servers up',
    known: 0,
    changes() {
      const set = changeSet(world)
      const body: Tombstone = { region, attempts: 1, ...more }
      for (const subject of serverIds) set.record({ ...tombstones, subject, body })
      return set
    },
    isDone: () => false,
  })
