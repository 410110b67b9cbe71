import { canonicalJson } from '@stead/engine'
import { type FieldError, fail } from '../errors/problem.ts'
import { cidrFault } from '../networks/cidr.ts'
import { type Rule, ruleForProvider } from './model.ts'

/** Refuses rules that are well formed each field for itself, and mean nothing together. */
export function assertRules(rules: readonly Rule[]): void {
  const errors = rules.flatMap((rule, index) => faultsOf(rule).map(fault => at(index, fault)))
  const known = new Map<string, number>()
  for (const [index, rule] of rules.entries()) {
    const meaning = canonicalJson(ruleForProvider(rule))
    const first = known.get(meaning)
    if (first === undefined) known.set(meaning, index)
    else errors.push(at(index, { path: '', message: `says the same as rule ${first}` }))
  }
  if (errors.length > 0) throw fail('invalid', 'the rules of a security group do not fit together', { errors })
}

const at = (index: number, { path, message }: FieldError): FieldError => ({
  path: `/spec/rules/${index}${path}`,
  message,
})

function faultsOf({ protocol, port, ports, cidr }: Rule): readonly FieldError[] {
  const faults: FieldError[] = []
  if (port !== undefined && ports)
    faults.push({ path: '/port', message: 'is one port, and ports are several: say one of them' })
  if ((port !== undefined || ports) && protocol !== 'tcp' && protocol !== 'udp')
    faults.push({ path: port === undefined ? '/ports' : '/port', message: `means nothing to ${protocol}` })
  if (ports && ports.from > ports.to) faults.push({ path: '/ports/to', message: 'comes before from' })
  const fault = cidrFault(cidr)
  if (fault !== undefined) faults.push({ path: '/cidr', message: fault })
  return faults
}
