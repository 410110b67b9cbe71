import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMetrics } from './registry.ts'

const lines = (text: string) => text.split('\n')

test('a metric is shown at 0 before anything happened', () => {
  const metrics = createMetrics()
  metrics.counter('stead_commits', 'Change-sets committed')
  metrics.gauge('stead_queue_depth', 'Keys waiting')
  metrics.histogram('stead_commit_duration_seconds', 'How long a commit takes', [0.01, 1])
  expect(metrics.expose()).toBe(
    [
      '# TYPE stead_commits counter',
      '# HELP stead_commits Change-sets committed',
      'stead_commits_total 0',
      '# TYPE stead_queue_depth gauge',
      '# HELP stead_queue_depth Keys waiting',
      'stead_queue_depth 0',
      '# TYPE stead_commit_duration_seconds histogram',
      '# UNIT stead_commit_duration_seconds seconds',
      '# HELP stead_commit_duration_seconds How long a commit takes',
      'stead_commit_duration_seconds_bucket{le="0.01"} 0',
      'stead_commit_duration_seconds_bucket{le="1.0"} 0',
      'stead_commit_duration_seconds_bucket{le="+Inf"} 0',
      'stead_commit_duration_seconds_count 0',
      'stead_commit_duration_seconds_sum 0',
      '# EOF',
      '',
    ].join('\n'),
  )
})

test('counters grow by one or by an amount, and never shrink', () => {
  const metrics = createMetrics()
  const commits = metrics.counter('stead_commits', 'x')
  commits.add()
  commits.add(2)
  expect(lines(metrics.expose())).toContain('stead_commits_total 3')
  expect(() => commits.add(-1)).toThrow('only grows')
  expect(() => commits.add(Number.NaN)).toThrow('only grows')
})

test('gauges can be set, moved, and infinite', () => {
  const metrics = createMetrics()
  const depth = metrics.gauge('stead_queue_depth', 'x')
  depth.set(5)
  depth.add(-2)
  expect(lines(metrics.expose())).toContain('stead_queue_depth 3')
  depth.set(Number.NEGATIVE_INFINITY)
  expect(lines(metrics.expose())).toContain('stead_queue_depth -Inf')
})

test('each series of a family has its own value, and a removed one is gone', () => {
  const metrics = createMetrics()
  const runs = metrics.counter('stead_reconciles', 'x', ['controller', 'result'])
  runs.with({ controller: 'widget', result: 'done' }).add(4)
  runs.with({ controller: 'widget', result: 'retry' })
  expect(lines(metrics.expose())).toContain('stead_reconciles_total{controller="widget",result="done"} 4')
  expect(lines(metrics.expose())).toContain('stead_reconciles_total{controller="widget",result="retry"} 0')
  runs.remove({ result: 'retry', controller: 'widget' })
  expect(metrics.expose()).not.toContain('retry')
})

test('values refreshed for an exposition are current in it', () => {
  const metrics = createMetrics()
  const memory = metrics.gauge('process_resident_memory_bytes', 'x')
  let now = 1
  metrics.beforeExposition(() => memory.set(now))
  expect(lines(metrics.expose())).toContain('process_resident_memory_bytes 1')
  now = 2
  expect(lines(metrics.expose())).toContain('process_resident_memory_bytes 2')
})

test('a histogram counts each value in every bucket that holds it', () =>
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(100), { minLength: 1 }), fc.array(fc.nat(200)), (unsorted, values) => {
      const buckets = unsorted.sort((a, b) => a - b)
      const metrics = createMetrics()
      const sizes = metrics.histogram('stead_sizes', 'x', buckets)
      for (const value of values) sizes.observe(value)
      const text = lines(metrics.expose())
      for (const bound of buckets)
        expect(text).toContain(
          `stead_sizes_bucket{le="${bound.toFixed(1)}"} ${values.filter(value => value <= bound).length}`,
        )
      expect(text).toContain(`stead_sizes_bucket{le="+Inf"} ${values.length}`)
      expect(text).toContain(`stead_sizes_count ${values.length}`)
      expect(text).toContain(`stead_sizes_sum ${values.reduce((sum, value) => sum + value, 0)}`)
    }),
  ))

test('whatever a label value holds, it stays one line and reads back the same', () =>
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('\\', '"', '\n', 'n', '}', ',', 'é') }), value => {
      const metrics = createMetrics()
      metrics.gauge('stead_thing', 'x', ['name']).with({ name: value }).set(1)
      const sample = lines(metrics.expose())[2]!
      const written = /^stead_thing\{name="((?:[^"\\\n]|\\[\\"n])*)"\} 1$/.exec(sample)?.[1]
      const unescaped = written?.replace(/\\(.)/g, (_, escaped) => (escaped === 'n' ? '\n' : escaped))
      expect(unescaped).toBe(value)
    }),
  ))

test('help text cannot break out of its line', () => {
  const metrics = createMetrics()
  metrics.gauge('stead_thing', 'a "quoted"\nback\\slash')
  expect(lines(metrics.expose())).toContain('# HELP stead_thing a \\"quoted\\"\\nback\\\\slash')
})

describe('registering', () => {
  test('the same metric again answers the same one', () => {
    const metrics = createMetrics()
    metrics.counter('stead_commits', 'x').add()
    metrics.counter('stead_commits', 'x').add()
    expect(lines(metrics.expose())).toContain('stead_commits_total 2')
  })

  test('the same name for something else is refused', () => {
    const metrics = createMetrics()
    metrics.counter('stead_commits', 'x')
    expect(() => metrics.gauge('stead_commits', 'x')).toThrow('registered twice')
    expect(() => metrics.counter('stead_commits', 'y')).toThrow('registered twice')
    expect(() => metrics.counter('stead_commits', 'x', ['kind'])).toThrow('registered twice')
  })

  test.each(['Stead', '1st', 'a-b', '', 'stead_commits_total', 'stead_size_bucket'])('the name "%s" is refused', name =>
    expect(() => createMetrics().counter(name, 'x')).toThrow(`metric ${name}`),
  )

  test('a label that cannot be written, or is missing, is refused', () => {
    const metrics = createMetrics()
    expect(() => metrics.gauge('stead_a', 'x', ['le'])).toThrow('le cannot be a label')
    expect(() => metrics.gauge('stead_a', 'x', ['a-b'])).toThrow('a-b cannot be a label')
    const family = metrics.gauge('stead_b', 'x', ['kind'])
    expect(() => family.with({} as { kind: string })).toThrow('needs a value for label kind')
  })

  test.each([[[]], [[2, 1]], [[1, 1]], [[-1, 1]], [[1, Number.POSITIVE_INFINITY]]])('buckets %j are refused', buckets =>
    expect(() => createMetrics().histogram('stead_a', 'x', buckets)).toThrow('buckets'),
  )
})
