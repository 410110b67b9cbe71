import { millis, minutes, seconds } from '@stead/world'
import { expect, test } from 'vitest'
import { listAll } from '../filter.ts'
import { type FaultName, faultNames } from './faults.ts'
import { machine, sky } from './testing.ts'

const all = { tags: {}, all: true }

type Sky = ReturnType<typeof sky>

const launch = ({ provider, order, run }: Sky, sent = order()) =>
  run(provider.launch(sent.spec, sent.token, { fresh: true }))

const count = async ({ provider, run, world }: Sky) => {
  await world.runFor(seconds(5))
  return (await run(listAll(provider.list(all)))).length
}

/** How each fault looks from outside. */
const looks: Record<FaultName, (place: Sky) => Promise<void>> = {
  async errorBefore(place) {
    place.cloud.script('errorBefore', { on: 'launch' })
    await expect(launch(place)).rejects.toMatchObject({ code: 'Internal', retryable: true })
    expect(await count(place)).toBe(0)
  },
  async lostReply(place) {
    place.cloud.script('lostReply', { on: 'launch', nth: 2 })
    await launch(place)
    await expect(launch(place)).rejects.toMatchObject({ code: 'Unavailable' })
    expect(await count(place)).toBe(2)
  },
  async lateEffect(place) {
    place.cloud.script('lateEffect', { on: 'launch', by: millis(700) })
    await expect(launch(place)).rejects.toMatchObject({ code: 'Unavailable' })
    expect(await place.run(listAll(place.provider.list(all)))).toEqual([])
    expect(await count(place)).toBe(1)
  },
  async slow(place) {
    place.cloud.script('slow', { on: 'launch' })
    const start = place.world.time
    await launch(place)
    expect(place.world.time - start).toBe(2_000)
  },
  async throttled(place) {
    place.cloud.script('throttled', { on: 'list' })
    const list = place.run(listAll(place.provider.list(all)))
    await expect(list).rejects.toMatchObject({ code: 'Throttled', retryAfter: 1_000 })
  },
  async capacity(place) {
    place.cloud.script('capacity')
    await expect(launch(place)).rejects.toMatchObject({ code: 'Capacity' })
    expect(await count(place)).toBe(0)
  },
  async quota(place) {
    place.cloud.script('quota')
    await expect(launch(place)).rejects.toMatchObject({ code: 'Quota' })
    expect(await count(place)).toBe(0)
  },
  async staleDescribe(place) {
    const { id } = await launch(place)
    place.cloud.script('staleDescribe', { by: millis(500) })
    await expect(place.run(place.provider.describe(id))).rejects.toMatchObject({ code: 'NotFound' })
    await place.world.runFor(millis(501))
    place.cloud.script('staleDescribe', { by: millis(500) })
    expect(await place.stateOf(id)).toBe('pending')
  },
  async staleList(place) {
    const { id } = await launch(place)
    place.cloud.script('staleList', { by: millis(500) })
    const listed = () => place.run(listAll(place.provider.list(all)))
    expect(await listed()).toEqual([])
    expect((await listed()).map(server => server.id)).toEqual([id])
  },
  async bootFailure(place) {
    place.cloud.script('bootFailure')
    const id = await place.booted()
    expect(await place.stateOf(id)).toBe('stopped')
    expect((await place.run(place.provider.start(id))).state).toBe('pending')
    await place.world.runFor(seconds(2))
    expect(await place.stateOf(id)).toBe('running')
  },
  async stopIgnored(place) {
    const id = await place.booted()
    place.cloud.script('stopIgnored', { server: id })
    await place.run(place.provider.stop(id))
    await place.world.runFor(seconds(5))
    expect(await place.stateOf(id)).toBe('running')
  },
  async stuck(place) {
    const id = await place.booted()
    place.cloud.script('stuck', { server: id })
    await place.run(place.provider.terminate(id))
    await place.world.runFor(seconds(40))
    expect(await place.stateOf(id)).toBe('terminating')
    await place.world.runFor(seconds(20))
    expect(await place.stateOf(id)).toBe('terminated')
  },
  async addressChange(place) {
    const id = await place.booted({ ...machine, publicIp: true } as typeof machine)
    const before = await place.run(place.provider.describe(id))
    await place.run(place.provider.stop(id))
    await place.world.runFor(seconds(1))
    place.cloud.script('addressChange', { server: id })
    const after = await place.run(place.provider.start(id))
    expect(after.addresses.private).not.toEqual(before.addresses.private)
    expect(after.addresses.public).not.toEqual(before.addresses.public)
  },
  async crash(place) {
    const id = await place.booted()
    place.cloud.crash(id)
    expect(await place.run(place.provider.describe(id))).toMatchObject({
      state: 'stopped',
      stateReason: 'the system inside died',
    })
  },
  async disappear(place) {
    const id = await place.booted()
    place.cloud.disappear(id)
    await place.world.runFor(seconds(1))
    await expect(place.run(place.provider.describe(id))).rejects.toMatchObject({ code: 'NotFound' })
  },
  async brokenWatch(place) {
    place.cloud.script('brokenWatch')
    const events: string[] = []
    const watching = (async () => {
      for await (const event of place.provider.watch!({ tags: {} })) events.push(event.type)
    })()
    watching.catch(() => {})
    await place.world.runFor(millis(50))
    await place.booted()
    await expect(watching).rejects.toMatchObject({ code: 'Unavailable' })
    expect(events).toEqual(['open'])
  },
  async missingSample(place) {
    const id = await place.booted()
    place.cloud.script('missingSample')
    const sample = async () => (await place.run(place.provider.metrics!([id]))).get(id)
    expect((await sample())?.total.memoryBytes).toBeNull()
    expect((await sample())?.total.memoryBytes).toBeGreaterThan(0)
  },
  async outage(place) {
    const id = await place.booted()
    const end = place.cloud.outage({ kind: 'outage' })
    await expect(place.stateOf(id)).rejects.toMatchObject({ code: 'Unavailable', retryable: true })
    end()
    expect(await place.stateOf(id)).toBe('running')
  },
  async partialOutage(place) {
    const id = await place.booted()
    const end = place.cloud.outage({ kind: 'partialOutage', on: ['list', 'describe'], share: 0.5 })
    const answers = await Promise.all(Array.from({ length: 40 }, () => place.stateOf(id).catch(error => error.code)))
    expect(new Set(answers)).toEqual(new Set(['running', 'Unavailable']))
    await launch(place)
    end()
  },
  async slowness(place) {
    const end = place.cloud.outage({ kind: 'slowness', factor: 30 })
    const start = place.world.time
    await place.run(place.provider.catalog())
    expect(place.world.time - start).toBe(300)
    end()
  },
}

/** Old pictures exist, and are shown only when a script says so. */
const calm = () =>
  sky({
    profile: { consistency: { describe: millis(500), list: millis(500) } },
    rates: { staleDescribe: 0, staleList: 0 },
  })

test.each(faultNames)('%s looks like itself, and is counted', async name => {
  const place = calm()
  expect(place.cloud.counts()[name]).toBe(0)
  await looks[name](place)
  const counts = place.cloud.counts()
  expect(counts[name]).toBeGreaterThan(0)
  for (const other of faultNames) if (other !== name) expect([other, counts[other]]).toEqual([other, 0])
})

test('servers die and disappear by themselves, about as often as the rates say', async () => {
  const place = sky({ rates: { crash: 30, disappear: 30 } })
  await place.run(Promise.all(Array.from({ length: 100 }, () => launch(place))))
  await place.world.runFor(minutes(2))
  const left = await place.run(listAll(place.provider.list(all)))
  const { crash, disappear } = place.cloud.counts()
  // Each of 100 has run two minutes: one death each way is expected for one in one, less those already dead.
  expect(crash).toBeGreaterThan(20)
  expect(disappear).toBeGreaterThan(20)
  expect(left.length).toBe(100 - disappear)
  expect(left.filter(server => server.state === 'stopped').length).toBe(crash)
})
