import { expect, test } from 'vitest'
import { Paint } from './client/paint.ts'
import { lineForPeople } from './log-for-people.ts'

const line = (fields: object) => lineForPeople(JSON.stringify({ level: 30, time: 0, ...fields }), new Paint(false))

test('a line says when, how bad, what, and the rest', () => {
  expect(line({ msg: 'region registered', region: 'local', whyNot: 'no socket', shards: [0, 1] })).toBe(
    '1970-01-01T00:00:00Z info  region registered region=local whyNot="no socket" shards=[0,1]\n',
  )
  expect(line({ level: 40, msg: 'late' })).toBe('1970-01-01T00:00:00Z warn  late\n')
})

test('what is long is cut, and an error shows where it came from', () => {
  const long = line({ msg: 'm', ids: 'x'.repeat(1_000) })
  expect(long).toHaveLength('1970-01-01T00:00:00Z info  m ids=\n'.length + 101)
  const failed = line({
    level: 50,
    msg: 'm',
    error: { type: 'Error', message: 'no way', stack: 'Error: no way\n at x' },
  })
  expect(failed).toBe('1970-01-01T00:00:00Z error m type=Error message="no way"\nError: no way\n at x\n')
})

test('only how bad it is has a colour of its own', () => {
  const painted = lineForPeople('{"level":50,"time":0,"msg":"broken"}', new Paint(true))
  expect(painted).toBe('\x1b[2m1970-01-01T00:00:00Z\x1b[0m \x1b[31merror\x1b[0m broken\n')
})
