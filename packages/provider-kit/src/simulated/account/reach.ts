import type { SecurityRule } from '../../groups/resources.ts'
import type { SimServer } from '../server/server.ts'
import type { Account } from './account.ts'
import { contains, parseAddress, parseCidr } from './ipv4.ts'

type Protocol = 'tcp' | 'udp'

/** Whether one server can open a connection to another: both run, on one network, and no group is in the way. */
export function reaches(
  account: Account,
  from: SimServer,
  to: SimServer,
  port: number,
  protocol: Protocol = 'tcp',
): boolean {
  if (from.state !== 'active' || to.state !== 'active' || networkOf(from) !== networkOf(to)) return false
  return (
    allows(account, to, 'ingress', from.address, protocol, port) &&
    allows(account, from, 'egress', to.address, protocol, port)
  )
}

export const networkOf = (server: SimServer): string | undefined => {
  const { source } = server.spec
  return source.type === 'machine' || source.type === 'services' ? source.network : undefined
}

export const groupsOf = (server: SimServer): readonly string[] =>
  (server.spec.source.type === 'machine' && server.spec.source.securityGroups) || []

/** Nobody said anything about this direction: open without a group; with one, out is open and in is shut. */
function allows(
  account: Account,
  server: SimServer,
  direction: SecurityRule['direction'],
  other: string | undefined,
  protocol: Protocol,
  port: number,
): boolean {
  const address = other === undefined ? undefined : parseAddress(other)
  if (address === undefined) return false
  const groups = groupsOf(server)
  if (groups.length === 0) return true
  const rules = groups
    .flatMap(id => account.securityGroups.roster.get(id)?.rules ?? [])
    .filter(rule => rule.direction === direction)
  if (rules.length === 0) return direction === 'egress'
  return rules.some(
    rule =>
      (rule.protocol === 'any' || rule.protocol === protocol) &&
      (rule.ports === undefined || (port >= rule.ports.from && port <= rule.ports.to)) &&
      contains(parseCidr(rule.cidr)!, address),
  )
}
