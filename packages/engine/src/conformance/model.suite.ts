import { seconds } from '@stead/world'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChangeSet, Expectation, KeyClaim } from '../words/change-set.ts'
import { ConflictError } from '../words/errors.ts'
import { type Ref, refKey, sameRef } from '../words/object.ts'
import type { Store } from '../words/store.ts'
import type { StoreFactory } from './factory.ts'
import { newSet, readAll, shareStores, unique, widget } from './fixture.suite.ts'
import { type ModelAnswer, StoreModel } from './model.ts'

/** A change-set with few names in it, so that change-sets meet; they stand for names of the run. */
const names = fc.constantFrom('a', 'b', 'c')
const refs = names.map(id => ({ kind: 'widget', id }))
const holders = fc.constantFrom('x', 'y')
const claims = fc.record({ key: names, holder: holders })
const specs = fc.constantFrom<unknown>(null, 1, { a: 1, b: [2] }, { b: [2], a: 1 }, { b: [2] })
const few = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant<T[]>([]) }, fc.array(arbitrary, { minLength: 1, maxLength: 3 }))
const fewDistinct = <T>(arbitrary: fc.Arbitrary<T>, selector: (value: T) => string) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant<T[]>([]) },
    fc.uniqueArray(arbitrary, { selector, minLength: 1, maxLength: 3 }),
  )

const expectations = fc.oneof(
  fc.record({ type: fc.constant('revision'), ref: refs }),
  fc.record({ type: fc.constant('absent'), ref: refs }),
  fc.record({ type: fc.constant('key'), key: names, holder: holders }),
  fc.record({ type: fc.constant('fence'), lease: names }),
)

const intents = fc.record({
  expect: few(expectations),
  puts: fewDistinct(
    fc.record({ id: names, spec: specs, status: fc.constantFrom({}, { conditions: [] }) }),
    put => put.id,
  ),
  removes: fewDistinct(refs, ref => ref.id),
  takes: fewDistinct(claims, claim => claim.key),
  releases: fewDistinct(claims, claim => claim.key),
  moves: few(fc.record({ counter: names, by: fc.integer({ min: -2, max: 6 }) })),
  limits: few(fc.record({ counter: names, limit: fc.option(fc.nat(6)) })),
  records: few(fc.integer()),
  blobs: few(fc.record({ owner: refs, hash: names })),
  dropBlobs: few(fc.record({ owner: refs, hash: names })),
  lease: fc.option(names),
  /** The last change-set once more, with its id. */
  again: fc.nat(9).map(n => n === 0),
  /** Most steps ask only for what can be; the others for anything. */
  careful: fc.nat(3).map(n => n > 0),
})
type Intent = typeof intents extends fc.Arbitrary<infer T> ? T : never

class Run {
  readonly store: Store
  readonly model: StoreModel
  readonly prefix = unique('run')
  private last: ChangeSet | undefined

  constructor(store: Store) {
    this.store = store
    this.model = new StoreModel(store.head())
  }

  private name = (name: string) => `${this.prefix}/${name}`
  private ref = ({ kind, id }: Ref) => ({ kind, id: this.name(id) })
  private claim = ({ key, holder }: KeyClaim) => ({ key: this.name(key), holder })

  /** A new holder takes the lease, so that its fence moves. */
  async moveFence(lease: string): Promise<void> {
    const name = this.name(lease)
    const holder = unique('holder')
    const { leases } = this.store
    await leases.release(await leases.acquire({ names: [name], holder, ttl: seconds(600) }))
    this.model.fences.set(name, (this.model.fences.get(name) ?? 0) + 1)
  }

  /** What the intent means now. */
  resolve(intent: Intent): ChangeSet {
    if (intent.again && this.last) return this.last
    const { model } = this
    const may = (possible: boolean) => possible || !intent.careful
    const exists = (ref: Ref) => model.objects.has(refKey(ref))
    const removes = intent.removes.map(this.ref).filter(ref => may(exists(ref)))
    const isRemoved = (ref: Ref) => removes.some(removed => sameRef(removed, ref))
    const puts = intent.puts
      .map(({ id, spec, status }) => widget(this.name(id), spec, status))
      .filter(put => !isRemoved(put))
    const releases = intent.releases.map(this.claim).filter(({ key, holder }) => may(model.keys.get(key) === holder))
    const isFree = (key: string) => !model.keys.has(key) || releases.some(released => released.key === key)
    const isOwner = (ref: Ref) => exists(ref) || puts.some(put => sameRef(put, ref))
    this.last = {
      ...newSet(),
      removes,
      puts,
      releases,
      takes: intent.takes.map(this.claim).filter(({ key }) => may(isFree(key))),
      expect: intent.expect.map(wanted => this.expectation(wanted, intent.careful)),
      moves: intent.moves.map(({ counter, by }) => ({ counter: this.name(counter), by })),
      limits: intent.limits.map(({ counter, limit }) => ({ counter: this.name(counter), limit })),
      records: intent.records.map(body => ({ table: 'model', subject: 's', scope: this.prefix, body })),
      blobs: intent.blobs
        .map(({ owner, hash }) => ({ owner: this.ref(owner), hash, sealed: new TextEncoder().encode(hash) }))
        .filter(({ owner }) => !isRemoved(owner) && may(isOwner(owner))),
      dropBlobs: intent.dropBlobs.map(({ owner, hash }) => ({ owner: this.ref(owner), hash })),
    }
    return this.last
  }

  private expectation(wanted: Intent['expect'][number], careful: boolean): Expectation {
    if (wanted.type === 'key') {
      const key = this.name(wanted.key)
      return { type: 'key', key, holder: (careful && this.model.keys.get(key)) || wanted.holder }
    }
    if (wanted.type === 'fence') {
      const lease = this.name(wanted.lease)
      return { type: 'fence', lease, fence: careful ? (this.model.fences.get(lease) ?? 0) : 7 }
    }
    const ref = this.ref(wanted.ref)
    const actual = this.model.objects.get(refKey(ref))?.revision
    if (wanted.type === 'absent' && !(careful && actual)) return { type: 'absent', ref }
    return { type: 'revision', ref, revision: careful ? (actual ?? 0) : 0 }
  }

  async expectSameState(): Promise<void> {
    const { store, model, prefix } = this
    const { revision, objects } = await readAll(store)
    const ours = objects.filter(({ id }) => id.startsWith(`${prefix}/`))
    expect(revision).toBe(model.revision)
    const found = new Map(
      ours.map(({ spec, status, generation, revision, ...ref }) => [
        refKey(ref),
        { spec, status, generation, revision },
      ]),
    )
    expect(found).toEqual(model.objects)
    for (const key of ['a', 'b', 'c'].map(this.name)) expect(await store.keyHolder(key)).toBe(model.keys.get(key))
    const counters = await store.counters(`${prefix}/`)
    expect(new Map(counters.map(({ counter, ...rest }) => [counter, rest]))).toEqual(model.counters)
    const records = await store.records({ table: 'model', scope: prefix, after: 0, limit: 10_000 })
    expect(records.map(({ body }) => body)).toEqual(model.records)
    for (const id of ['a', 'b', 'c'])
      for (const hash of ['a', 'b', 'c']) {
        const blob = await store.blob(this.ref({ kind: 'widget', id }), hash)
        expect(blob !== undefined).toBe(model.blobs.has(`widget/${this.name(id)} ${hash}`))
      }
  }
}

async function answerOf(commit: Promise<{ revision: number }>): Promise<ModelAnswer> {
  try {
    return { revision: (await commit).revision }
  } catch (error) {
    if (error instanceof ConflictError) return { conflict: error.conflict }
    throw error
  }
}

export function modelSuite(factory: StoreFactory): void {
  describe('the model', () => {
    const stores = shareStores(factory)

    test('agrees on every answer and on what is there in the end', () =>
      fc.assert(
        fc.asyncProperty(fc.array(intents, { maxLength: 25, size: 'max' }), async steps => {
          const run = new Run(stores.one)
          for (const intent of steps) {
            if (intent.lease) await run.moveFence(intent.lease)
            const set = run.resolve(intent)
            expect(await answerOf(run.store.commit(set))).toEqual(run.model.commit(set))
          }
          await run.expectSameState()
        }),
        { numRuns: 60 },
      ))

    if (factory.inOrder)
      test('agrees when many share one transaction', () =>
        fc.assert(
          fc.asyncProperty(fc.array(intents, { maxLength: 40, size: 'max' }), async steps => {
            const run = new Run(stores.one)
            const answers = steps.map(intent => {
              const set = run.resolve(intent)
              return { expected: run.model.commit(set), answer: answerOf(run.store.commit(set)) }
            })
            for (const { expected, answer } of answers) expect(await answer).toEqual(expected)
            await run.expectSameState()
          }),
          { numRuns: 60 },
        ))
  })
}
