import { type Instant, instant } from '@stead/world'
import type { Server, ServerSpec, ServerStatus } from '../../servers/model.ts'
import { firstStatus, type Instance, type InstanceSpec, type InstanceStatus } from '../model.ts'
import type { ServiceSpec } from '../source/services.ts'

export const now: Instant = instant(1_000_000)

export const web: ServiceSpec = { image: 'host', command: ['serve'], ports: [{ name: 'http' }] }

export const servicesSpec = (services: Record<string, ServiceSpec> = { web }): InstanceSpec => ({
  region: 'reg_1',
  source: { services: { kind: 'deployment', services } },
})

export const machineSpec = (machine: Partial<InstanceSpec['source']['machine']> = {}): InstanceSpec => ({
  region: 'reg_1',
  source: { machine: { flavor: 'small', image: 'minimal', ...machine } },
})

export type InstanceParts = Partial<Omit<Instance, 'spec' | 'status'>> & {
  readonly spec?: Partial<InstanceSpec>
  readonly status?: Partial<InstanceStatus>
}

export const anInstance = ({ spec, status, ...parts }: InstanceParts = {}): Instance => ({
  kind: 'instance',
  id: 'inst_1',
  name: 'web-1',
  organizationId: 'org_1',
  projectId: 'prj_1',
  labels: {},
  finalizers: [],
  createdAt: now,
  generation: 1,
  revision: 1,
  ...parts,
  spec: { ...servicesSpec(), ...spec },
  status: { ...firstStatus(now), ...status },
})

export type ServerParts = Partial<Omit<Server, 'spec' | 'status'>> & {
  readonly spec?: Partial<ServerSpec>
  readonly status?: Partial<ServerStatus>
}

type Observed = NonNullable<ServerStatus['observed']>

export const observed = (state: Observed['state'], more: Partial<Observed> = {}): Observed => ({
  state,
  addresses: { private: ['10.0.0.1'], public: [] },
  endpoints: [],
  services: { web: { state: state === 'running' ? 'running' : 'waiting', ready: state === 'running', restarts: 0 } },
  ...more,
})

/** A server that was launched and runs, unless said otherwise. */
export const aServer = ({ spec, status, ...parts }: ServerParts = {}): Server => ({
  kind: 'server',
  id: 'srv_1',
  organizationId: 'org_1',
  projectId: 'prj_1',
  owner: { kind: 'instance', id: 'inst_1' },
  labels: {},
  finalizers: [],
  createdAt: now,
  generation: 1,
  revision: 1,
  ...parts,
  spec: {
    region: 'reg_1',
    generation: 1,
    source: 'services',
    launch: { sealed: 'launch-1', sizeBytes: 1 },
    power: 'on',
    ...spec,
  },
  status: {
    attempt: 1,
    launch: 'sent',
    backendId: 'b-1',
    observed: observed('running'),
    applied: { launch: 'launch-1', power: 'on', restart: 0, rebuild: 0 },
    ...status,
  },
})
