import { SeededRandom } from '@stead/world'
import { expect, test } from 'vitest'
import { Faults, faultNames } from './faults.ts'

const quiet = () => new Faults(new SeededRandom(1))
const strikes = (faults: Faults, calls: string[]) =>
  calls.map(call => faults.strike('lostReply', { call }) !== undefined)

test('a script strikes the nth time, on the calls it names, and then no more', () => {
  const faults = quiet()
  faults.script('lostReply', { on: 'launch', nth: 2 })
  expect(strikes(faults, ['launch', 'stop', 'launch', 'launch'])).toEqual([false, false, true, false])
  expect(faults.counts().lostReply).toBe(1)
})

test('a script may strike several times in a row', () => {
  const faults = quiet()
  faults.script('lostReply', { on: ['launch', 'start'], times: 2 })
  expect(strikes(faults, ['stop', 'start', 'launch', 'launch'])).toEqual([false, true, true, false])
})

test('a script may be about one server', () => {
  const faults = quiet()
  faults.script('stopIgnored', { server: 'i-2' })
  expect(faults.strike('stopIgnored', { server: 'i-1' })).toBeUndefined()
  expect(faults.strike('stopIgnored', { server: 'i-2' })).toBeDefined()
})

test('by chance it strikes about as often as its rate says, and the same for the same seed', () => {
  const count = (seed: number) => {
    const faults = new Faults(new SeededRandom(seed), { lostReply: 0.2 })
    for (let i = 0; i < 1_000; i++) faults.strike('lostReply')
    return faults.counts().lostReply
  }
  expect(count(7)).toBe(count(7))
  expect(count(7)).toBeGreaterThan(150)
  expect(count(7)).toBeLessThan(250)
})

test('every fault is counted under its name, also those that never struck', () => {
  expect(Object.keys(quiet().counts()).sort()).toEqual([...faultNames].sort())
  expect(Object.values(quiet().counts()).every(count => count === 0)).toBe(true)
})

test('what happens so often an hour is drawn as waits of that average', () => {
  const faults = new Faults(new SeededRandom(3), { crash: 60 })
  const waits = Array.from({ length: 2_000 }, () => faults.drawDelay('crash')!)
  const average = waits.reduce((sum, wait) => sum + wait, 0) / waits.length
  expect(average).toBeGreaterThan(55_000)
  expect(average).toBeLessThan(65_000)
  expect(quiet().drawDelay('crash')).toBeUndefined()
})
