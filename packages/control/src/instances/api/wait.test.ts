import { expect, test } from 'vitest'
import { InstanceHouse } from '../tests/house.ts'

const wait = (house: InstanceHouse, query: string) => house.call('GET', `/web-1/wait?timeout=150ms&${query}`)

test('what is so already counts from any revision that was read, of a list for one', async () => {
  const house = await InstanceHouse.open()
  await house.running('web-1')
  await house.create('web-2')
  const { revision } = await house.must(200, 'GET', '')
  const found = await wait(house, `phase=running&fromRevision=${revision}`)
  expect([found.status, found.body.status?.phase]).toEqual([200, 'running'])
})

test('nothing counts before its revision was read, and then what is so does, though nothing happened to it', async () => {
  const house = await InstanceHouse.open()
  await house.running('web-1')
  await house.settled('web-1')
  // A few ahead: something may still be written of its start.
  const next = house.house.store.head() + 4
  expect((await wait(house, `phase=running&fromRevision=${next}`)).status).toBe(408)
  const waiting = house.must(200, 'GET', `/web-1/wait?timeout=10s&fromRevision=${next}`)
  await house.create('web-2')
  expect((await waiting).status.phase).toBe('running')
})

test('who has seen it waits until it changes', async () => {
  const house = await InstanceHouse.open()
  await house.running('web-1')
  const { metadata } = await house.settled('web-1')
  const query = `phase=running&changedAfter=${metadata.revision}`
  await house.create('web-2')
  expect((await wait(house, query)).status).toBe(408)
  const waiting = house.must(200, 'GET', `/web-1/wait?timeout=10s&${query}`)
  await house.must(202, 'PATCH', '/web-1', { body: { labels: { a: 'b' } } })
  expect((await waiting).metadata.labels).toEqual({ a: 'b' })
})
