import { millis, realWorld, VirtualWorld } from '@stead/world'
import { expect, test } from 'vitest'
import type { EndedSpan } from '../words/tracing.ts'
import { inSpan } from './in-span.ts'
import { Tracer } from './tracer.ts'

const root = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }

function tracerOn(world = realWorld, sampling = 1) {
  const recorded: EndedSpan[] = []
  return { tracer: new Tracer({ world, sampling, record: span => void recorded.push(span) }), recorded }
}

const draft = (name: string) => ({ name, attributes: {}, failureOf: (error: unknown) => (error as Error).name })

test('what is done in a span is below it, however many promises later, and failures have a name', async () => {
  const { tracer, recorded } = tracerOn()
  const inner = () => inSpan(tracer, draft('inner'), () => Promise.reject(new TypeError('with a secret in it')))
  const outer = inSpan.bind(undefined, tracer, draft('outer'), async () => {
    await Promise.resolve()
    await Promise.all([inner(), inner()].map(each => each.catch(() => {})))
    return {}
  })
  await tracer.within(root, outer)
  const [first, second, last] = recorded as [EndedSpan, EndedSpan, EndedSpan]
  expect(last).toMatchObject({ name: 'outer', traceId: root.traceId, parentId: root.spanId, failure: undefined })
  for (const each of [first, second])
    expect(each).toMatchObject({ name: 'inner', parentId: last.spanId, failure: 'TypeError' })
  expect(first.spanId).not.toBe(second.spanId)
  expect(last.start).toBeLessThanOrEqual(first.start)
  expect(last.end).toBeGreaterThanOrEqual(second.end)
  expect(JSON.stringify(recorded)).not.toContain('secret')
})

test('outside a trace that is recorded, work is just done', async () => {
  const { tracer, recorded } = tracerOn()
  expect(await inSpan(tracer, draft('nowhere'), async span => span)).toBeUndefined()
  await tracer.within(root, () => tracer.within(undefined, () => inSpan(tracer, draft('left'), async () => {})))
  expect(recorded).toEqual([])
})

test('what outlives a span does not belong to it', async () => {
  const { tracer } = tracerOn()
  let later = () => {}
  const waiting = tracer.within(root, async () => {
    const lasting = new Promise<void>(resolve => {
      later = resolve
    }).then(() => tracer.current())
    expect(tracer.current()).toEqual(root)
    return { lasting }
  })
  const { lasting } = await waiting
  later()
  expect(await lasting).toBeUndefined()
})

test('traces are chosen by their ids, the same ones by everybody, about as many as was said', () => {
  const [{ tracer: a }, { tracer: b }] = [tracerOn(realWorld, 0.25), tracerOn(realWorld, 0.25)]
  const ids = Array.from({ length: 4_000 }, () => Buffer.from(realWorld.randomBytes(16)).toString('hex'))
  const chosen = ids.filter(id => a.samples(id))
  expect(ids.filter(id => b.samples(id))).toEqual(chosen)
  // Six times the standard deviation: it fails once in a thousand million runs.
  expect(Math.abs(chosen.length - 1_000)).toBeLessThan(165)
  expect(ids.every(id => tracerOn(realWorld, 1).tracer.samples(id))).toBe(true)
  expect(ids.some(id => tracerOn(realWorld, 0).tracer.samples(id))).toBe(false)
})

test('time is that of the wall clock', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const { tracer } = tracerOn(world)
  const before = tracer.now()
  await world.run(world.sleep(millis(5)))
  expect(tracer.now() - before).toBe(5)
  expect(tracer.now()).toBe(world.now())
})
