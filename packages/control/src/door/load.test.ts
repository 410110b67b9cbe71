import { createMetrics } from '@stead/engine'
import { expect, test } from 'vitest'
import { Load } from './load.ts'

const setUp = () => new Load({ total: 3, perCaller: 2 }, createMetrics())

test('past its limit everybody is refused until somebody leaves', () => {
  const load = setUp()
  const share = load.enter()
  load.enter()
  load.enter()
  expect(() => load.enter()).toThrow(expect.objectContaining({ code: 'unavailable' }))
  share.giveBack()
  share.giveBack()
  load.enter()
  expect(() => load.enter(), 'leaving twice frees one place').toThrow('too much to do')
})

test('one caller cannot take the whole server', () => {
  const load = new Load({ total: 10, perCaller: 2 }, createMetrics())
  const enterAs = (credentialId: string) => {
    const share = load.enter()
    share.takeAs(credentialId)
    return share
  }
  const share = enterAs('a')
  enterAs('a')
  expect(() => enterAs('a')).toThrow(expect.objectContaining({ code: 'rate_limited' }))
  expect(() => enterAs('b')).not.toThrow()
  share.giveBack()
  share.giveBack()
  expect(() => enterAs('a')).not.toThrow()
  expect(() => enterAs('a'), 'leaving twice frees one place').toThrow('one caller may have 2')
})

test('a server that is stopping lets nobody in, and waits until all have left', async () => {
  const load = setUp()
  const share = load.enter()
  let isEmpty = false
  const emptied = load.close().then(() => {
    isEmpty = true
  })
  expect(() => load.enter()).toThrow('the server is stopping')
  await Promise.resolve()
  expect(isEmpty).toBe(false)
  share.giveBack()
  await emptied
  await setUp().close()
})
