import { expect, test } from 'vitest'
import type { Problem } from '../errors/problem.ts'
import type { Rule } from './model.ts'
import { assertRules } from './rules.ts'

const ssh: Rule = { direction: 'ingress', protocol: 'tcp', port: 22, cidr: '0.0.0.0/0' }

const faults = (...rules: readonly Rule[]) => {
  try {
    assertRules(rules)
    return []
  } catch (problem) {
    expect((problem as Problem).code).toBe('invalid')
    return (problem as Problem).details.errors!.map(({ path, message }) => `${path}: ${message}`)
  }
}

test('rules that mean something are taken', () =>
  expect(
    faults(
      ssh,
      { ...ssh, direction: 'egress' },
      { direction: 'ingress', protocol: 'udp', ports: { from: 53, to: 53 }, cidr: '10.0.0.0/8' },
      { direction: 'ingress', protocol: 'icmp', cidr: '0.0.0.0/0' },
      { direction: 'egress', protocol: 'any', cidr: '192.168.1.7/32' },
    ),
  ).toEqual([]))

const { port: _, ...portless } = ssh

test.each<[string, Rule, string]>([
  ['one port and several', { ...ssh, ports: { from: 1, to: 2 } }, '/spec/rules/0/port: is one port'],
  ['a range that goes back', { ...portless, ports: { from: 9, to: 8 } }, '/spec/rules/0/ports/to: comes before from'],
  ['a port of what has none', { ...ssh, protocol: 'icmp' }, '/spec/rules/0/port: means nothing to icmp'],
  [
    'ports of everything',
    { ...portless, protocol: 'any', ports: { from: 1, to: 2 } },
    '/spec/rules/0/ports: means nothing',
  ],
  [
    'another way to write a range',
    { ...ssh, cidr: '10.1.2.3/8' },
    '/spec/rules/0/cidr: has bits set behind its prefix',
  ],
])('%s: refused', (_, rule, fault) => {
  const [found, ...others] = faults(rule)
  expect(found).toContain(fault)
  expect(others).toEqual([])
})

test('the same said twice is refused, however it is written', () =>
  expect(faults(ssh, { ...portless, ports: { from: 22, to: 22 } })).toEqual(['/spec/rules/1: says the same as rule 0']))
