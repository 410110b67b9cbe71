import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ServicesBench } from './bench.ts'
import { orderTests, refusalTests } from './order.ts'
import { placeTests } from './place.ts'
import type { ServicesSubject } from './subject.ts'

export type { ServicesSubject } from './subject.ts'

/**
 * What a source of services promises, tried on a provider that runs them: the same on every one. `concurrent` where the
 * backend is slow, and can do more at once.
 */
export function runServicesTests(
  name: string,
  factory: () => Promise<ServicesSubject>,
  { concurrent = false } = {},
): void {
  describe(`services: ${name}`, { timeout: 120_000 }, () => {
    let bench: ServicesBench
    let before: number
    beforeAll(async () => {
      bench = new ServicesBench(await factory())
      before = await bench.subject.count()
    }, 120_000)
    afterAll(() => bench?.subject.close(), 120_000)
    refusalTests(() => bench)
    describe('each by itself', { concurrent }, () => {
      orderTests(() => bench)
      placeTests(() => bench)
    })

    test('nothing is left of all these', async () => {
      const { owner } = bench.subject
      for await (const page of bench.provider.list({ tags: { 'stead.control-plane': owner.controlPlane } }))
        for (const { id } of page) await bench.gone(id)
      await bench.eventually('everything to be gone', async () => (await bench.subject.count()) <= before)
      expect(await bench.subject.count()).toBe(before)
    })
  })
}
