import { describe, expect, test } from 'vitest'
import { differencesOf } from './differences.ts'
import { hasAddresses, holds, keptAddresses } from './kept-addresses.ts'
import { anInstance, aServer, machineSpec, now, observed } from './tests/samples.ts'

const keeping = (kept?: { private: string[]; public: string[] }, machine: object = {}) =>
  anInstance({ spec: machineSpec({ keepAddresses: true, ...machine }), status: kept ? { kept } : {} })
const seen = (own: string[], outside: string[] = []) =>
  aServer({
    spec: { keepsAddresses: true },
    status: { observed: observed('running', { addresses: { private: own, public: outside } }) },
  })

describe('the addresses that an instance keeps', () => {
  test('are the first ones that its server is seen with', () => {
    expect(keptAddresses(keeping(), undefined)).toBeUndefined()
    expect(keptAddresses(keeping(), seen([]))).toBeUndefined()
    expect(keptAddresses(keeping(), seen(['10.0.0.7'], ['198.18.0.1']))).toEqual({ private: ['10.0.0.7'], public: [] })
    expect(keptAddresses(keeping(undefined, { publicIp: true }), seen(['10.0.0.7'], ['198.18.0.1']))).toEqual({
      private: ['10.0.0.7'],
      public: ['198.18.0.1'],
    })
  })

  test('are never others', () => {
    const kept = { private: ['10.0.0.7'], public: [] }
    expect(keptAddresses(keeping(kept), seen(['10.0.0.8']))).toBe(kept)
    expect(keptAddresses(keeping(kept), undefined)).toBe(kept)
  })

  test('are forgotten when nobody wants them kept any more', () =>
    expect(
      keptAddresses(
        anInstance({ spec: machineSpec(), status: { kept: { private: ['10.0.0.7'], public: [] } } }),
        seen(['10.0.0.7']),
      ),
    ).toBeUndefined())

  test('have a public one for as long as one is asked for', () => {
    const both = { private: ['10.0.0.7'], public: ['198.18.0.1'] }
    expect(keptAddresses(keeping(both), seen(['10.0.0.7'], ['198.18.0.1']))).toEqual({ ...both, public: [] })
    const one = { private: ['10.0.0.7'], public: [] }
    expect(keptAddresses(keeping(one, { publicIp: true }), seen(['10.0.0.7'], ['198.18.0.1']))).toEqual(both)
    expect(keptAddresses(keeping(both, { publicIp: true }), seen(['10.0.0.7'], ['198.18.0.2']))).toBe(both)
  })

  test('are not believed of a server whose backend was not told yet', () => {
    const told = seen(['10.0.0.7'])
    expect(holds(told)).toBe(true)
    expect(holds(undefined)).toBe(false)
    expect(holds({ ...told, deletedAt: now })).toBe(false)
    expect(holds({ ...told, status: { ...told.status, lost: { at: now, reason: 'gone' } } })).toBe(false)
    expect(holds({ ...told, status: { ...told.status, applying: { launch: 'launch-1', rebuild: 0 } } })).toBe(false)
    const other = { ...told.status.applied!, launch: 'launch-0' }
    expect(holds({ ...told, status: { ...told.status, applied: other } })).toBe(false)
    expect(holds(aServer())).toBe(false)
  })
})

test('a server has those addresses, others, or shows none', () => {
  const kept = { private: ['10.0.0.7'], public: ['198.18.0.1'] }
  const has = (own: string[], outside: string[]) =>
    hasAddresses(observed('running', { addresses: { private: own, public: outside } }), kept)
  expect(has(['10.0.0.7'], ['198.18.0.1'])).toBe('these')
  expect(has(['10.0.0.7'], ['198.18.0.2'])).toBe('others')
  expect(has(['10.0.0.8'], ['198.18.0.1'])).toBe('others')
  expect(has([], [])).toBe('none')
})

test('other addresses than those that are kept are a difference', () => {
  const kept = { private: ['10.0.0.7'], public: [] }
  expect(differencesOf(keeping(kept), seen(['10.0.0.7']))).toEqual([])
  expect(differencesOf(keeping(kept), seen(['10.0.0.8']))).toEqual([
    { field: 'addresses', wanted: kept, found: { private: ['10.0.0.8'], public: [] } },
  ])
})
