import { ConflictError } from '@stead/engine'
import type { StoreFactory } from '@stead/engine/conformance'
import { newId, realWorld } from '@stead/world'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { counterOf, type Payer, payersOf } from './counters.ts'
import type { Amounts, QuotaKind } from './kinds.ts'
import { type Limits, limitsOf } from './limits.ts'
import { countingHouse } from './tests/counting-house.ts'

const applied = (results: readonly unknown[]) => results.filter(result => !(result instanceof ConflictError)).length
const newThing = () => newId(realWorld, 'thing')

/** What quotas promise, on any store and with as many nodes on it as it takes. */
export function quotaSuite(name: string, factory: StoreFactory): void {
  describe(`quotas on ${name}`, () => {
    const house = countingHouse(factory)

    test('what is charged counts for the project and for its organization', async () => {
      const payer = house.newPayer()
      await house.charge(payer, newThing(), { instances: 1, cpuMillis: 500, gpus: 0 })
      await house.charge({ organization: payer.organization }, newThing(), { projects: 1 })
      expect(await house.used(payer)).toEqual({ instances: 1, cpuMillis: 500 })
      expect(await house.used({ organization: payer.organization })).toEqual({
        projects: 1,
        instances: 1,
        cpuMillis: 500,
      })
    })

    test('200 creates at once at a limit of 50: exactly 50 succeed, and nothing of the others is left', async () => {
      const payer = house.newPayer()
      await house.limit({ organization: payer.organization }, { instances: 50 })
      const things = Array.from({ length: 200 }, newThing)
      const results = await Promise.all(things.map((thing, n) => house.charge(payer, thing, { instances: 1 }, n)))
      expect(applied(results)).toBe(50)
      expect(await house.used(payer)).toEqual({ instances: 50 })
      await house.settled()
      await Promise.all(things.map((thing, n) => house.release(thing, n)))
      expect(await house.used(payer)).toEqual({})
      expect(await house.used({ organization: payer.organization })).toEqual({})
    })

    test('a thing charged from many sides at once is charged once', async () => {
      const payer = house.newPayer()
      const thing = newThing()
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, n) => house.charge(payer, thing, { gpus: 3 }, n)),
      )
      expect(applied(results)).toBe(1)
      expect(await house.used(payer)).toEqual({ gpus: 3 })
    })

    test('a thing released from many sides at once gives back once', async () => {
      const payer = house.newPayer()
      const [thing, other] = [newThing(), newThing()]
      await house.charge(payer, other, { gpus: 5 })
      await house.charge(payer, thing, { gpus: 3 })
      await house.settled()
      const results = await Promise.all(Array.from({ length: 20 }, (_, n) => house.release(thing, n)))
      expect(applied(results)).toBe(1)
      expect(await house.used(payer)).toEqual({ gpus: 5 })
      await house.settled()
      expect(applied([await house.release(thing)])).toBe(1)
      expect(await house.used(payer)).toEqual({ gpus: 5 })
    })

    test('a change of size is charged by its difference, and what was charged last is given back', async () => {
      const payer = house.newPayer()
      const thing = newThing()
      await house.limit(payer, { cpuMillis: 1_000 })
      await house.charge(payer, thing, { instances: 1, cpuMillis: 800 })
      expect(await house.charge(payer, thing, { instances: 1, cpuMillis: 1_001 })).toMatchObject({
        conflict: { type: 'limit', counter: counterOf(payer, 'cpuMillis'), limit: 1_000, value: 800, asked: 201 },
      })
      await house.charge(payer, thing, { instances: 1, cpuMillis: 1_000, memoryMiB: 64 })
      expect(await house.used(payer)).toEqual({ instances: 1, cpuMillis: 1_000, memoryMiB: 64 })
      await house.charge(payer, thing, { instances: 1, cpuMillis: 100 })
      expect(await house.used(payer)).toEqual({ instances: 1, cpuMillis: 100 })
      await house.release(thing)
      expect(await house.used(payer)).toEqual({})
    })

    test('over a limit nothing can be added, everything can be given back, and shrinking works', async () => {
      const payer = house.newPayer()
      const [large, small] = [newThing(), newThing()]
      await house.charge(payer, large, { memoryMiB: 100 })
      await house.charge(payer, small, { memoryMiB: 10 })
      await house.limit(payer, { memoryMiB: 0 })
      expect(applied([await house.charge(payer, newThing(), { memoryMiB: 1 })])).toBe(0)
      expect(applied([await house.charge(payer, large, { memoryMiB: 99 })])).toBe(1)
      expect(applied([await house.release(small), await house.release(large)])).toBe(2)
      expect(await house.used(payer)).toEqual({})
    })

    test('limits that are set replace those before, and one left out is unlimited', async () => {
      const payer = house.newPayer()
      await house.limit(payer, { instances: 1, gpus: 0 })
      expect(applied([await house.charge(payer, newThing(), { gpus: 1 })])).toBe(0)
      await house.limit(payer, { instances: 1 })
      expect(limitsOf(house.everything(), payer)).toEqual({ instances: 1 })
      expect(applied([await house.charge(payer, newThing(), { gpus: 1 })])).toBe(1)
    })

    test('any sequence of charges, releases and limits: use is what is charged, never grows past a limit, ends at 0', () =>
      fc.assert(
        fc.asyncProperty(anySteps, steps => runSteps(steps)),
        { numRuns: 40 },
      ))

    async function runSteps(steps: readonly Step[]): Promise<void> {
      const model = new Model(house.newPayer())
      const thing = (index: number) => `${model.payer.project}-${index}`
      for (const step of steps) {
        const isPossible = model.take(step)
        const result =
          step.type === 'limit'
            ? await house.limit(model.payerAt(step.level), step.limits)
            : step.type === 'release'
              ? await house.release(thing(step.thing))
              : await house.charge(model.payer, thing(step.thing), step.amounts)
        expect(applied([result])).toBe(isPossible ? 1 : 0)
        for (const payer of payersOf(model.payer)) expect(await house.used(payer)).toEqual(model.used())
      }
      for (const index of model.charged.keys()) await house.release(thing(index))
      for (const payer of payersOf(model.payer)) expect(await house.used(payer)).toEqual({})
    }

    test('any steps at once, from many sides: use is what was charged, and never more than a limit', () =>
      fc.assert(
        fc.asyncProperty(fc.array(anyCharge, { minLength: 2, maxLength: 40 }), anyLimits, async (charges, limits) => {
          const payer = house.newPayer()
          await house.limit(payer, limits)
          const thing = (index: number) => `${payer.project}-${index}`
          await Promise.all(
            charges.map((step, n) =>
              step.type === 'release'
                ? house.release(thing(step.thing), n)
                : house.charge(payer, thing(step.thing), step.amounts, n),
            ),
          )
          await house.settled()
          const kept = house.node().engine.cache.inProject(payer.project).list({ kind: 'allocation' }).items
          const used = sum(kept.map(({ spec }) => (spec as { amounts: Amounts }).amounts))
          expect(await house.used(payer)).toEqual(used)
          for (const [kind, limit] of Object.entries(limits))
            expect(used[kind as QuotaKind] ?? 0).toBeLessThanOrEqual(limit)
        }),
        { numRuns: 40 },
      ))
  })
}

type ChargeStep =
  | { readonly type: 'charge'; readonly thing: number; readonly amounts: Amounts }
  | { readonly type: 'release'; readonly thing: number }
type Step = ChargeStep | { readonly type: 'limit'; readonly level: 'project' | 'organization'; readonly limits: Limits }

const anyAmounts: fc.Arbitrary<Amounts> = fc.record(
  { instances: fc.constant(1), cpuMillis: fc.nat(20), gpus: fc.nat(3) },
  { requiredKeys: [] },
)
const anyLimits: fc.Arbitrary<{ instances?: number; cpuMillis?: number; gpus?: number }> = fc.record(
  { instances: fc.nat(5), cpuMillis: fc.nat(60), gpus: fc.nat(6) },
  { requiredKeys: [] },
)
const anyThing = fc.nat(5)
const anyCharge: fc.Arbitrary<ChargeStep> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant('charge' as const), thing: anyThing, amounts: anyAmounts }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('release' as const), thing: anyThing }) },
)
const anyLevel = fc.constantFrom('project' as const, 'organization' as const)
const anySteps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: anyCharge },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('limit' as const), level: anyLevel, limits: anyLimits }) },
  ),
  { maxLength: 25 },
)

/** What quotas promise, in the plainest words. */
class Model {
  readonly payer: Payer & { readonly project: string }
  readonly charged = new Map<number, Amounts>()
  readonly #limits = { project: {} as Limits, organization: {} as Limits }

  constructor(payer: Payer & { readonly project: string }) {
    this.payer = payer
  }

  payerAt(level: 'project' | 'organization'): Payer {
    return level === 'project' ? this.payer : { organization: this.payer.organization }
  }

  used(): Amounts {
    return sum([...this.charged.values()])
  }

  /** Takes the step if it is possible; answers whether it was. */
  take(step: Step): boolean {
    if (step.type === 'limit') this.#limits[step.level] = step.limits
    if (step.type === 'release') this.charged.delete(step.thing)
    if (step.type !== 'charge') return true
    const before = this.charged.get(step.thing) ?? {}
    const used = this.used()
    for (const limits of Object.values(this.#limits))
      for (const [kind, limit] of Object.entries(limits) as [QuotaKind, number][]) {
        const more = (step.amounts[kind] ?? 0) - (before[kind] ?? 0)
        if (more > 0 && (used[kind] ?? 0) + more > limit) return false
      }
    this.charged.set(step.thing, step.amounts)
    return true
  }
}

function sum(all: readonly Amounts[]): Amounts {
  const total: Partial<Record<QuotaKind, number>> = {}
  for (const amounts of all)
    for (const [kind, amount] of Object.entries(amounts) as [QuotaKind, number][])
      if (amount > 0) total[kind] = (total[kind] ?? 0) + amount
  return total
}
