import type { SecurityRule } from '@stead/provider-kit'
import type { Static } from 'typebox'
import { type Realised, type RealisedStatus, ShownRealisedStatus, showRealised } from '../realised/model.ts'
import { type Resource, resource } from '../resource/resource.ts'
import { Type } from '../schema/type.ts'

const Port = Type.Integer({ minimum: 1, maximum: 65_535 })

/** What may come in or go out. What no rule of a machine's groups allows is refused. */
export const Rule = Type.Object({
  direction: Type.Enum(['ingress', 'egress']),
  protocol: Type.Enum(['tcp', 'udp', 'icmp', 'any']),
  port: Type.Optional(Type.Integer({ ...Port, description: 'One port; with neither `port` nor `ports`, every port.' })),
  ports: Type.Optional(Type.Object({ from: Port, to: Port }, { description: 'From the first to the last.' })),
  cidr: Type.String({ maxLength: 18, description: 'The other side, in its one form: `0.0.0.0/0` is everybody.' }),
})
export type Rule = Static<typeof Rule>

export const SecurityGroupSpec = Type.Object({
  network: Type.String({ minLength: 1, maxLength: 255, description: 'By id or by name; read back as the id.' }),
  rules: Type.Array(Rule, { maxItems: 200, default: [] }),
})
export type SecurityGroupSpec = Static<typeof SecurityGroupSpec>

export type SecurityGroup = Realised<SecurityGroupSpec>

export const SecurityGroup: Resource<typeof SecurityGroupSpec, RealisedStatus> = resource(
  'security-group',
  'sg',
  SecurityGroupSpec,
  ShownRealisedStatus,
  { immutable: ['/spec/network'], show: showRealised },
)

/** One name, one group, in a project. */
export const securityGroupName = (projectId: string, name: string): string => `security-group-name/${projectId}/${name}`

/** A rule as providers are told it. */
export const ruleForProvider = ({ direction, protocol, port, ports, cidr }: Rule): SecurityRule => ({
  direction,
  protocol,
  cidr,
  ...(port !== undefined && { ports: { from: port, to: port } }),
  ...(ports && { ports }),
})
