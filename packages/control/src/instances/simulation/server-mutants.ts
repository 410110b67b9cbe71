import type { Controller } from '@stead/engine'
import { forget, terminate } from '../../servers/ending.ts'
import { Orphan } from '../../servers/orphans/model.ts'
import type { Reach } from '../../servers/reach.ts'
import { everybodyGivenUp, launchAnew, unanswered } from '../../servers/simulation/mutants.ts'
import type { Mutant } from './mutants.ts'

/** Reads of no key that it is held. */
const holdingNothing = (reach: Reach): Reach => ({
  ...reach,
  store: Object.create(reach.store, { keyHolder: { value: async () => undefined } }),
})

/** Writes all but what it has found. */
const silent = (observer: Controller): Controller => ({
  ...observer,
  reconcile(object, context) {
    const commit: typeof context.commit = set =>
      context.commit({ ...set, puts: set.puts.filter(({ kind }) => kind !== Orphan.kind) })
    return observer.reconcile(object, Object.create(context, { commit: { value: commit } }))
  },
})

/** Bugs of what instances run on, which show with instances too. `servers/simulation` has more of them. */
export const serverMutants: readonly Mutant[] = [
  {
    name: 'each launch has a token of its own',
    bugs: { servers: { launch: launchAnew } },
    emphasis: unanswered,
    caughtBy: ['I1 one live backend object per server'],
  },
  {
    name: 'orphans are removed without a tombstone',
    bugs: { around: everybodyGivenUp },
    stray: true,
    caughtBy: ['nothing ends that nobody asked to end'],
  },
  {
    name: 'what nobody here ever had is not reported',
    bugs: { observer: silent },
    stray: true,
    caughtBy: ['I2 nothing in the cloud without an owner'],
  },
  {
    name: 'a server that goes keeps what it holds',
    bugs: {
      servers: {
        terminate: (reach, server) => terminate(holdingNothing(reach), server),
        forget: (reach, server) => forget(holdingNothing(reach), server),
      },
    },
    caughtBy: ['I4 what is deleted leaves nothing behind'],
  },
]
