import {
  type LaunchSpec,
  type ServerInfo,
  type ServerState,
  type ServiceInfo,
  servicesOf,
  stateTable,
} from '@stead/provider-kit'
import type { KeptLaunch, KeptState, Phase, ServiceState } from './state.ts'

export const states = stateTable<Phase>({
  pending: 'pending',
  running: 'running',
  stopping: 'stopping',
  stopped: 'stopped',
  terminating: 'terminating',
})

interface Known {
  readonly id: string
  readonly kept: KeptLaunch
  readonly spec: LaunchSpec
  readonly state: KeptState
  readonly address: string
}

/** What is only known while it runs. */
interface Live {
  readonly ready: boolean
  readonly health: ServiceInfo['health'] | undefined
  readonly problem: string | undefined
}

export function serverInfo({ id, kept, spec, state, address }: Known, live: (service: string) => Live): ServerInfo {
  const neutral: ServerState = states.read(state.phase)
  const isUp = neutral === 'running' || neutral === 'stopping'
  const main = Object.values(servicesOf(spec)).find(({ role }) => role === 'main')
  return {
    id,
    state: neutral,
    ...(state.reason !== undefined && { stateReason: state.reason }),
    launchedAt: kept.launchedAt,
    ...(main && { image: main.image }),
    addresses: { private: isUp ? [address] : [], public: [] },
    endpoints: isUp
      ? state.ports.flatMap(({ service, name, protocol, outer, public: isPublic }) =>
          outer === null ? [] : [{ service, name, protocol, host: address, port: outer, public: isPublic }],
        )
      : [],
    services: Object.fromEntries(
      Object.entries(state.services).map(([name, service]) => [name, serviceInfo(service, live(name))]),
    ),
    tags: spec.tags,
  }
}

function serviceInfo(service: ServiceState, { ready, health, problem }: Live): ServiceInfo {
  const reason = service.reason ?? (health === 'unhealthy' ? problem : undefined)
  return {
    state: service.state,
    ready,
    ...(health !== undefined && { health }),
    restarts: service.restarts,
    ...(service.exitCode !== undefined && { exitCode: service.exitCode }),
    ...(reason !== undefined && { reason }),
  }
}
