import { millis } from '@stead/world'
import { expect, test } from 'vitest'
import { changeSet } from '../change-set-builder.ts'
import { House } from '../tests/house.ts'
import { type Widget, widget, widgets } from '../tests/widgets.ts'
import { Tracer } from '../tracing/tracer.ts'
import { done, retry } from '../words/result.ts'
import type { EndedSpan, SpanContext } from '../words/tracing.ts'
import { controller } from './controller.ts'

const asked = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }

async function reconciled(of: (object: Widget) => SpanContext | undefined) {
  const house = new House()
  const recorded: EndedSpan[] = []
  const tracing = new Tracer({ world: house.world, sampling: 1, record: span => void recorded.push(span) })
  const seen = new Map<string, SpanContext | undefined>()
  const sizes = controller<Widget>({
    name: 'sizes',
    kind: widgets,
    async reconcile(object, { commit, world }) {
      seen.set(object.id, tracing.current())
      if (object.id === 'broken') return retry(new Error('with a secret in it'))
      if (object.status.size === object.spec.size) return done
      await commit(changeSet(world).update(object, { status: { ...object.status, size: object.spec.size } }))
      return done
    },
  })
  await house.start({ controllers: [sizes], tracing: { tracing, of: object => of(object as Widget) } })
  // Whoever writes is in a trace of their own: that alone makes nothing part of it.
  await tracing.within({ ...asked, spanId: '1111111111111111' }, () =>
    house.commit(set =>
      set
        .create(widget('a', { size: 3 }))
        .create(widget('broken'))
        .create(widget('b', { size: 2 })),
    ),
  )
  await house.world.runFor(millis(100))
  return { recorded, seen }
}

test('a reconcile that did something for somebody is in their trace, and one that only looked is not', async () => {
  const { recorded, seen } = await reconciled(({ id }) => (id === 'b' ? undefined : asked))
  const [one, ...others] = recorded.filter(({ attributes }) => attributes['stead.id'] === 'a')
  expect(one).toMatchObject({
    ...{ traceId: asked.traceId, parentId: asked.spanId, name: 'reconcile sizes', failure: undefined },
    attributes: { 'stead.controller': 'sizes', 'stead.kind': 'widget', 'stead.id': 'a', 'stead.result': 'done' },
  })
  expect(others).toEqual([])
  expect(seen.get('b')).toBeUndefined()
  expect(recorded.map(({ attributes }) => attributes['stead.id'])).not.toContain('b')
})

test('one that failed is told with a word, and not in the words of whatever failed', async () => {
  const { recorded } = await reconciled(() => asked)
  const failed = recorded.find(({ attributes }) => attributes['stead.id'] === 'broken')
  expect(failed).toMatchObject({ failure: 'retry', attributes: { 'stead.result': 'retry' } })
  expect(JSON.stringify(recorded)).not.toContain('secret')
})
