import type { ChangeSet } from '@stead/engine'
import type { DoorEngine } from '../../door/engine.ts'
import { backendKeyPrefix } from '../../servers/model.ts'
import { type Mutant, never } from './mutants.ts'
import { operator } from './tenants.ts'

type DoorBug = (engine: DoorEngine) => DoorEngine

/** Commits something else than what was asked for. */
const committing =
  (change: (set: ChangeSet) => Partial<ChangeSet>): DoorBug =>
  engine => ({ ...engine, commit: (set, options) => engine.commit({ ...set, ...change(set) }, options) })

const withoutKeys = (prefix: string): DoorBug =>
  committing(({ takes }) => ({ takes: takes.filter(({ key }) => !key.startsWith(prefix)) }))

/** The same cache, of which a project is everything. */
const withoutWalls = (engine: DoorEngine): DoorEngine => ({
  ...engine,
  cache: new Proxy(engine.cache, {
    get(cache, member) {
      if (member === 'inProject') return () => cache.platform()
      const value: unknown = Reflect.get(cache, member, cache)
      return typeof value === 'function' ? value.bind(cache) : value
    },
  }),
})

/** Bugs of the front door. */
export const doorMutants: readonly Mutant[] = [
  {
    name: 'idempotency keys are not kept',
    bugs: { door: withoutKeys('idempotency/') },
    caughtBy: ['I10 same key, same operation', 'no bug surfaces'],
  },
  {
    name: 'what nobody has agreed to is accepted',
    bugs: { asked: asked => (asked.route.startsWith('PATCH') ? { ...asked, query: { allow: 'replace' } } : asked) },
    caughtBy: ['nothing is replaced without consent'],
  },
  {
    name: 'a project is no wall',
    bugs: { door: withoutWalls },
    caughtBy: ['I8 nobody sees what is another’s'],
  },
  {
    name: 'everybody is taken for an operator',
    bugs: { asked: asked => ({ ...asked, as: operator }) },
    caughtBy: ['I8 nobody sees what is another’s'],
  },
  {
    name: 'what is asked for is not counted',
    bugs: { door: committing(() => ({ moves: [] })) },
    caughtBy: ['I3 use is what is charged'],
  },
  {
    name: 'limits are written down and not set',
    bugs: { door: committing(() => ({ limits: [] })) },
    caughtBy: ['I3 use is what is charged'],
  },
  {
    name: 'two adopt the same',
    bugs: { door: withoutKeys(backendKeyPrefix) },
    emphasis: { 'log-reading-delayed': 0.1 },
    caughtBy: ['one owner', 'I1 one live backend object per server', never],
  },
]
