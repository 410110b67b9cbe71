import { createMetrics } from '@stead/engine'
import { expect, test } from 'vitest'
import { Load } from './load.ts'

const setUp = () => new Load({ total: 3, perCaller: 2 }, createMetrics())

test('past its limit everybody is refused until somebody leaves', () => {
  const load = setUp()
  const leave = load.enter()
  load.enter()
  load.enter()
  expect(() => load.enter()).toThrow(expect.objectContaining({ code: 'unavailable' }))
  leave()
  leave()
  load.enter()
  expect(() => load.enter(), 'leaving twice frees one place').toThrow('too much to do')
})

test('one caller cannot take the whole server', () => {
  const load = setUp()
  const leave = load.enterAs('a')
  load.enterAs('a')
  expect(() => load.enterAs('a')).toThrow(expect.objectContaining({ code: 'rate_limited' }))
  expect(() => load.enterAs('b')).not.toThrow()
  leave()
  expect(() => load.enterAs('a')).not.toThrow()
})

test('a server that is stopping lets nobody in, and waits until all have left', async () => {
  const load = setUp()
  const leave = load.enter()
  let isEmpty = false
  const emptied = load.close().then(() => {
    isEmpty = true
  })
  expect(() => load.enter()).toThrow('the server is stopping')
  await Promise.resolve()
  expect(isEmpty).toBe(false)
  leave()
  await emptied
  await setUp().close()
})
