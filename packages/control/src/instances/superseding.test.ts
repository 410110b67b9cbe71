import { describe, expect, test } from 'vitest'
import { InstanceHouse, services } from './tests/house.ts'

/** An instance that runs and is only looked at: whatever is asked for stays in flight. */
async function paused() {
  const house = await InstanceHouse.open()
  await house.running('web', services({ resources: { cpuMillis: 100 } }))
  await house.must(202, 'PATCH', '/web', { body: { spec: { paused: true } } })
  const ask = async (method: string, path: string, body: object): Promise<string> =>
    (await house.must(202, method, `/web${path}`, { body })).operation.id
  const goOn = () => ask('PATCH', '', { spec: { paused: false } })
  const states = (...ids: readonly string[]) =>
    Promise.all(ids.map(async id => (await house.operation(id)).state as string))
  return { house, ask, goOn, states }
}

describe('what is asked for later', () => {
  test('makes an earlier change of what is launched void, which then has not succeeded', async () => {
    const { house, ask, goOn, states } = await paused()
    const first = await ask('POST', '/scale', { cpuMillis: 500 })
    const second = await ask('POST', '/scale', { cpuMillis: 200 })
    expect(await states(first)).toEqual(['superseded'])
    await goOn()
    expect(await house.ended(second)).toMatchObject({ state: 'succeeded' })
    expect((await house.get('web')).spec.source.services.services.web.resources.cpuMillis).toBe(200)
  })

  test('makes an earlier wish for power void, whichever way either was said', async () => {
    const { house, ask, states } = await paused()
    for (const [method, path, body] of [
      ['POST', '/start', {}],
      ['PATCH', '', { spec: { power: 'on' } }],
    ] as const) {
      const off = await ask('PATCH', '', { spec: { power: 'off' } })
      const on = await ask(method, path, body)
      expect(await states(off)).toEqual(['superseded'])
      expect(await house.ended(on)).toMatchObject({ state: 'succeeded' })
    }
  })

  test('leaves alone what it does not move', async () => {
    const { house, ask, goOn } = await paused()
    const others = [
      await ask('POST', '/scale', { cpuMillis: 500 }),
      await ask('PATCH', '', { labels: { tier: 'web' } }),
      await ask('PATCH', '', { spec: { deletionProtection: true } }),
      await ask('PATCH', '', { spec: { power: 'off' } }),
    ]
    await goOn()
    for (const id of others) expect(await house.ended(id)).toMatchObject({ state: 'succeeded' })
  })
})
