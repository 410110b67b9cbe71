import type { Act } from '@stead/engine/simulation'
import { backendKeyPrefix, slotKeyPrefix } from '../../servers/model.ts'
import { known } from '../../servers/simulation/end-state.ts'
import { type Instance, instanceNamePrefix, instances } from '../model.ts'
import { deletion } from './asks.ts'
import { isSettled, missing } from './end-state.ts'
import { type Outside, User } from './users.ts'

const keysOfInstances = [instanceNamePrefix, slotKeyPrefix, backendKeyPrefix]

/** Everybody leaves: all that is left is deleted, and then nothing is used, held or there. */
export function farewell(outside: Outside): Act {
  const { ledger, violations } = outside
  const nothing = { lives: [] }
  return {
    async users() {
      const leave = ({ projectId, name }: Instance) =>
        new User(outside, name!, ledger.head).insists('leave', deletion({ tenant: projectId!, name: name! }))
      await Promise.all(known<Instance>(ledger, instances).map(leave))
    },
    isSettled() {
      if (!isSettled(outside, nothing)) return false
      const left = [...inUse(ledger), ...held(ledger)]
      violations.check(left.length === 0, 'use is nothing in the end', () => left.join(', '))
      return true
    },
    missing: () => missing(outside, nothing),
  }
}

type Seen = Pick<Outside['ledger'], 'counters' | 'keys'>

const inUse = ({ counters }: Seen): readonly string[] =>
  [...counters].filter(([, { value }]) => value !== 0).map(([counter, { value }]) => `${counter} is ${value}`)

const held = ({ keys }: Seen): readonly string[] =>
  [...keys.keys()].filter(key => keysOfInstances.some(prefix => key.startsWith(prefix)))
