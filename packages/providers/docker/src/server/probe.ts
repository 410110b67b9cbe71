import type { HealthCheck } from '@stead/provider-kit'
import { ask, type Probe } from '@stead/provider-kit/probes'
import { openSession, runInside } from '../groups/inside-session.ts'
import type { Context } from './context.ts'
import { names, type ServiceShape } from './labels.ts'

/** Asks a service how it fares, from inside its own container: what is wrong, or undefined when nothing is. */
export async function askHealth(
  context: Context,
  id: string,
  name: string,
  shape: ServiceShape,
  check: HealthCheck,
  signal: AbortSignal,
): Promise<string | undefined> {
  const container = names.service(id, name)
  if (check.type === 'command') {
    const code = await runInside(context.engine, { container, isSecretive: shape.isSecretive }, check.command, signal)
    return code === 0 ? undefined : `the command ended with ${code}`
  }
  const port = shape.ports.find(port => port.name === check.port)!.port
  const probe: Probe =
    check.type === 'http'
      ? { type: 'http', port, path: check.path }
      : check.type === 'grpc'
        ? { type: 'grpc', port, service: check.service ?? '' }
        : { type: 'tcp', port }
  const relay = await openSession(context.engine, container, ['relay', String(port)], signal)
  try {
    if (!(await relay.isConnected())) return `nothing listens on port ${port}`
    if (probe.type !== 'tcp') await ask(probe, signal, relay.duplex)
    return undefined
  } finally {
    relay.close()
  }
}
