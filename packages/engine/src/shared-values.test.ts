import { expect, test } from 'vitest'
import { decodeObject } from './encoding.ts'
import { SharedValues } from './shared-values.ts'

const row = (id: string, rest: object) => ({
  ...{ kind: 'widget', id, generation: 1, revision: 1, spec: '{}' },
  rest: JSON.stringify({ labels: {}, finalizers: [], createdAt: 0, status: {}, ...rest }),
})

test('objects share what is empty, and it stays empty', () => {
  const [a, b] = [decodeObject(row('a', {})), decodeObject(row('b', {}))]
  expect(a.labels).toBe(b.labels)
  expect(a.finalizers).toBe(b.finalizers)
  expect(() => Object.assign(a.labels, { team: 'a' })).toThrow(TypeError)
  expect(() => (a.finalizers as string[]).push('cleanup')).toThrow(TypeError)
})

test('objects of one make share their spec, frozen, and others have their own', () => {
  const like = (id: string, size: number) =>
    decodeObject({ ...row(id, {}), spec: JSON.stringify({ size, ports: [80] }) })
  const [a, b, c] = [like('a', 1), like('b', 1), like('c', 2)]
  expect(a.spec).toEqual({ size: 1, ports: [80] })
  expect(b.spec).toBe(a.spec)
  expect(c.spec).toEqual({ size: 2, ports: [80] })
  expect(() => (b.spec as { ports: number[] }).ports.push(81)).toThrow(TypeError)
})

test('what is not empty is what was written', () => {
  const rest = {
    ...{ organizationId: 'org_1', projectId: 'prj_1', createdBy: 'sa_1' },
    ...{ labels: { team: 'a' }, finalizers: ['cleanup'] },
  }
  expect(decodeObject(row('a', rest))).toMatchObject({ kind: 'widget', id: 'a', ...rest })
  expect(decodeObject(row('b', {}))).not.toHaveProperty('projectId')
})

test('however many there are, only so many are kept', () => {
  const values = new SharedValues(10)
  for (let value = 0; value < 1_000; value++) {
    expect(values.string(`prj_${value}`)).toBe(`prj_${value}`)
    expect(values.size).toBeLessThanOrEqual(10)
  }
})
