import { minutes } from '@stead/world'
import { describe, expect, test } from 'vitest'
import type { Server } from '../../servers/model.ts'
import { Ideal, running } from '../tests/ideal.ts'
import { machineSpec, now, observed } from '../tests/samples.ts'

const kept = { private: ['10.0.0.1'], public: [] }
const failure = { code: 'InvalidConfig' as const, message: 'refused', retrying: false, since: now }

/** A machine that runs, keeps its addresses, and is to be replaced. */
function replacing(): Ideal {
  const ideal = running({ spec: machineSpec({ keepAddresses: true }) })
  ideal.servers = ideal.servers.map(keeping)
  ideal.settle()
  expect(ideal.instance.status.kept).toEqual(kept)
  ideal.effect = 'replace'
  ideal.ask('replace', {
    spec: machineSpec({ keepAddresses: true, sshKeys: ['other'] }),
    status: { change: { generation: 2, effect: 'replace', amounts: {} } },
  })
  return ideal
}

const keeping = (server: Server): Server => ({ ...server, spec: { ...server.spec, keepsAddresses: true } })

/** Goes on until the successor is there to be served. */
function untilNext(ideal: Ideal): Server {
  for (let n = 0; n < 5 && !ideal.next; n++) {
    ideal.step()
    if (!ideal.next) ideal.serve()
  }
  ideal.servers = ideal.servers.map(server => (server.id === ideal.next!.id ? keeping(server) : server))
  return ideal.next!
}

describe('a machine that keeps its addresses', () => {
  test('is stopped, and then its successor made; it goes when that runs with its addresses', () => {
    const ideal = replacing()
    const old = ideal.active!.id
    ideal.step()
    expect(ideal.instance.status.replacement).toMatchObject({ way: 'handover', addresses: kept })
    expect(ideal.next).toBeUndefined()
    expect(ideal.active!.spec.power).toBe('off')
    const next = untilNext(ideal)
    ideal.step()
    expect(ideal.servers.map(({ id, deletedAt }) => [id, deletedAt])).toEqual([
      [old, undefined],
      [next.id, undefined],
    ])
    expect(ideal.instance.status.addresses).toMatchObject(kept)
    ideal.settle()
    expect(ideal.servers.map(({ id }) => id)).toEqual([next.id])
    expect(ideal.ended).toEqual([['replace', 'succeeded']])
    expect(ideal.instance.status).toMatchObject({ phase: 'running', ready: true, kept, addresses: kept })
  })

  test('that has died is told to stay down before its successor is made', () => {
    const ideal = replacing()
    ideal.alter(ideal.active!, { observed: observed('stopped', { stateReason: 'it died' }) })
    ideal.step()
    expect(ideal.active!.spec.power).toBe('off')
    expect(ideal.next).toBeUndefined()
    ideal.step()
    expect(ideal.next, 'the backend was not told yet').toBeUndefined()
    ideal.settle()
    expect(ideal.ended).toEqual([['replace', 'succeeded']])
  })

  test('shows them though it is stopped and its successor has them', () => {
    const ideal = replacing()
    untilNext(ideal)
    ideal.alter(ideal.active!, { observed: observed('stopped', { addresses: { private: [], public: [] } }) })
    ideal.step()
    expect(ideal.instance.status).toMatchObject({ phase: 'provisioning', addresses: kept })
  })

  test('is started again only when a successor that failed is gone, and the operation ends then', () => {
    const ideal = replacing()
    const old = ideal.active!.id
    const next = untilNext(ideal)
    ideal.alter(next, { failure })
    ideal.step()
    ideal.step()
    expect(ideal.servers.map(({ id, deletedAt }) => [id, deletedAt !== undefined])).toEqual([
      [old, false],
      [next.id, true],
    ])
    expect(ideal.active!.spec.power).toBe('off')
    expect(ideal.ended).toEqual([])
    expect(ideal.instance.status.operation).toMatchObject({ type: 'replace', step: 'launch' })
    expect(ideal.instance.status.conditions).toMatchObject([{ reason: 'ReplacementFailed' }])
    ideal.settle()
    expect(ideal.servers.map(({ id, spec }) => [id, spec.power])).toEqual([[old, 'on']])
    expect(ideal.ended).toEqual([['replace', 'failed']])
    expect(ideal.instance.status).toMatchObject({ phase: 'running', addresses: kept, change: { failed: true } })
    expect(ideal.instance.status.replacement).toBeUndefined()
  })

  test('does not give way to a successor with other addresses', () => {
    const ideal = replacing()
    const old = ideal.active!.id
    untilNext(ideal)
    ideal.serve()
    ideal.alter(ideal.next!, { observed: observed('running', { addresses: { private: ['10.0.0.9'], public: [] } }) })
    ideal.settle()
    expect(ideal.servers.map(({ id }) => id)).toEqual([old])
    expect(ideal.told).not.toContain('Replaced')
    expect(ideal.ended).toEqual([['replace', 'failed']])
  })

  test('whose old one cannot be started again says both', () => {
    const ideal = replacing()
    const next = untilNext(ideal)
    ideal.alter(next, { failure })
    ideal.step()
    ideal.serve()
    ideal.alter(ideal.active!, { failure })
    ideal.settle()
    expect(ideal.ended).toEqual([['replace', 'failed']])
    expect(ideal.instance.status.replacement).toBeUndefined()
  })

  test('that is made anew and cannot have them says which may be taken, and what helps', () => {
    const ideal = new Ideal({ spec: machineSpec({ keepAddresses: true }), status: { kept } })
    ideal.ask('create')
    ideal.step()
    ideal.alter(ideal.active!, { launch: 'sent', failure: { ...failure, code: 'Conflict', message: 'in the way' } })
    ideal.settle()
    const [trouble] = ideal.instance.status.conditions!
    expect(trouble).toMatchObject({ reason: 'Conflict' })
    expect(trouble!.message).toMatch(/^in the way\. It keeps 10\.0\.0\.1, .*keepAddresses set to false/)
    ideal.ask('update', { spec: machineSpec() })
    ideal.settle()
    expect(ideal.instance.status).toMatchObject({ phase: 'running', ready: true })
    expect(ideal.instance.status.kept).toBeUndefined()
  })

  test('that is lost while its successor goes is lost', () => {
    const ideal = replacing()
    const next = untilNext(ideal)
    ideal.alter(next, { failure })
    ideal.step()
    ideal.alter(ideal.active!, { lost: { at: now, reason: 'gone' } })
    ideal.settle()
    expect(ideal.instance.status).toMatchObject({ phase: 'failed', conditions: [{ reason: 'ServerLost' }] })
    expect(ideal.operations).toEqual([])
  })
})

describe('a replacement that takes too long', () => {
  const late = minutes(60)

  test('is given up, and the old one is as it was', () => {
    const ideal = replacing()
    const next = untilNext(ideal)
    ideal.pass(late)
    ideal.step()
    expect(ideal.servers.find(({ id }) => id === next.id)!.deletedAt).toBeDefined()
    expect(ideal.active!.deletedAt).toBeUndefined()
  })

  test('succeeds all the same when its successor is ready: there was nobody to see it', () => {
    const ideal = replacing()
    const next = untilNext(ideal)
    ideal.serve()
    ideal.pass(late)
    ideal.settle()
    expect(ideal.servers.map(({ id }) => id)).toEqual([next.id])
    expect(ideal.ended).toEqual([['replace', 'succeeded']])
  })

  test('is not given up when the old one is gone: its successor is all there is', () => {
    const ideal = replacing()
    const next = untilNext(ideal)
    ideal.alter(ideal.active!, { lost: { at: now, reason: 'gone' } })
    ideal.pass(late)
    ideal.step()
    expect(ideal.next).toMatchObject({ id: next.id })
    expect(ideal.next!.deletedAt).toBeUndefined()
    ideal.settle()
    expect(ideal.active!.id).toBe(next.id)
  })
})
