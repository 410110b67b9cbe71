import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Amounts, quotaKindNames } from '../quotas/kinds.ts'
import { chargedMeanwhile } from './charging.ts'
import { decide } from './decide.ts'
import type { InstanceStatus } from './model.ts'
import { InstanceHouse, machine, services } from './tests/house.ts'
import { anInstance, now } from './tests/samples.ts'

const anyAmounts = fc.dictionary(fc.constantFrom(...quotaKindNames), fc.nat({ max: 9 })) as fc.Arbitrary<Amounts>

test('while it is changed, nothing is charged less than what it was or is to be', () => {
  fc.assert(
    fc.property(anyAmounts, anyAmounts, (wanted, held) => {
      const charged = chargedMeanwhile(held, wanted)
      for (const kind of quotaKindNames) expect(charged[kind]).toBe(Math.max(wanted[kind] ?? 0, held[kind] ?? 0))
    }),
  )
})

test('what is lost before it is smaller, or replaced, is charged once for what it becomes', () => {
  const charges = (status: Partial<InstanceStatus>) => {
    const instance = anInstance({ status: { phase: 'provisioning', slots: {}, due: { cpuMillis: 100 }, ...status } })
    const decision = decide({ instance, servers: [], operations: [], region: 'open', now })
    expect(decision.status.due).toBeUndefined()
    return decision.actions.filter(({ type }) => type === 'recharge')
  }
  expect(charges({})).toEqual([{ type: 'recharge', amounts: { cpuMillis: 100 } }])
  const change = { generation: 1, effect: 'replace', amounts: { cpuMillis: 300 } } as const
  expect(charges({ change })).toEqual([{ type: 'recharge', amounts: { cpuMillis: 300 } }])
})

describe('what an instance that is made smaller is charged', () => {
  async function open() {
    const house = await InstanceHouse.open()
    onTestFinished(() => house.house.close())
    return house
  }
  const sized = (cpuMillis: number) => services({ resources: { cpuMillis, memoryMiB: 64 } })
  const patch = (house: InstanceHouse, spec: object) => house.must(202, 'PATCH', '/it', { body: { spec } })

  test('is what it was until it is smaller', async () => {
    const house = await open()
    await house.running('it', sized(400))
    await patch(house, { paused: true })
    await patch(house, sized(100))
    await house.until('it', 'running')
    expect(await house.used()).toEqual({ instances: 1, cpuMillis: 400, memoryMiB: 64 })
    await patch(house, { paused: false })
    await house.settled('it')
    expect(await house.used()).toEqual({ instances: 1, cpuMillis: 100, memoryMiB: 64 })
  })

  test('is what it was where it is made as large again before', async () => {
    const house = await open()
    await house.limit({ cpuMillis: 400 })
    await house.running('it', sized(400))
    await patch(house, { paused: true })
    await patch(house, sized(100))
    await patch(house, sized(400))
    await patch(house, { paused: false })
    await house.settled('it')
    expect(await house.used()).toMatchObject({ cpuMillis: 400 })
  })

  test('is what a machine has that stays as large as it was', async () => {
    const house = await open()
    await house.running('it', machine({ flavor: 'large' }))
    const large = await house.used()
    await patch(house, { paused: true })
    await patch(house, machine({ flavor: 'small' }))
    expect(await house.used()).toEqual(large)
    await patch(house, { paused: false })
    await house.settled('it')
    expect((await house.used()).cpuMillis).toBeLessThan(large.cpuMillis!)
  })

  test('is what is wanted where nothing was made yet', async () => {
    const house = await open()
    await house.create('it', { ...sized(400), paused: true })
    await patch(house, sized(100))
    expect(await house.used()).toMatchObject({ cpuMillis: 100 })
  })
})
