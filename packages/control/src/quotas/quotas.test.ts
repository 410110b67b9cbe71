import { changeSet } from '@stead/engine'
import { instant, realWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { charge } from './charge.ts'
import { counterOf, readCounter } from './counters.ts'
import type { Amounts } from './kinds.ts'
import { quotaSuite } from './quotas.suite.ts'
import { sqliteHomes } from './tests/sqlite-homes.ts'

quotaSuite('SQLite', sqliteHomes)

test('a counter can be read back, and what is none of a quota is not', () => {
  for (const payer of [{ organization: 'org_1' }, { organization: 'org_1', project: 'prj_1' }])
    expect(readCounter(counterOf(payer, 'gpus'))).toEqual({ ...payer, kind: 'gpus' })
  for (const other of ['quota/org_1/bananas', 'quota/gpus', 'quota/a/b/c/gpus', 'fleet/org_1/gpus', 'quota//gpus'])
    expect(readCounter(other)).toBeUndefined()
})

test.each([{ bananas: 1 } as Amounts, { gpus: -1 }, { gpus: 0.5 }, { gpus: Number.NaN }])(
  'what is not a count of a known kind is never charged: %j',
  amounts => {
    const request = { organization: 'org_1', for: { kind: 'thing', id: 't' }, amounts, at: instant(0) }
    expect(() => charge(changeSet(realWorld), { get: () => undefined }, request)).toThrow()
  },
)
