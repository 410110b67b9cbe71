import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import type { HealthCheck } from '@stead/provider-kit'
import { ask, type Probe } from '@stead/provider-kit/probes'
import type { Relay } from '../network/relay-client.ts'
import { enterWords } from '../sandbox/enter.ts'
import { carryEnvironment } from '../sandbox/environment.ts'
import type { Service } from './service.ts'

export interface HealthOptions {
  readonly service: Service
  readonly relay: Relay
  /** The number of a port of this service, by its name. */
  port(name: string): number
}

/** Asks a service how it fares, where the service is: what is wrong, or undefined when nothing is. */
export async function askHealth(
  { service, relay, port }: HealthOptions,
  check: HealthCheck,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (check.type === 'command') return run(service, check.command, check.timeoutSeconds, signal)
  const probe: Probe =
    check.type === 'http'
      ? { type: 'http', port: port(check.port), path: check.path }
      : check.type === 'grpc'
        ? { type: 'grpc', port: port(check.port), service: check.service ?? '' }
        : { type: 'tcp', port: port(check.port) }
  if (service.target?.level === 'none') {
    await ask(probe, signal)
    return undefined
  }
  // The kernel lists who listens there. That answers a tcp check, and spares the others a relay while nobody does.
  const isOpen = await isListening(service.run?.first?.pid, probe.port)
  if (!isOpen) return `nothing listens on port ${probe.port}`
  if (probe.type === 'tcp') return undefined
  return (await relay.ask(probe, check.timeoutSeconds * 1_000)) ?? undefined
}

function run(
  service: Service,
  command: readonly string[],
  timeoutSeconds: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { target } = service
  if (!target) return Promise.resolve('it does not run')
  const { carried, inside } = carryEnvironment(service.env)
  const words = [...enterWords(target, service.directory), ...(inside.length > 0 ? ['env', ...inside] : []), ...command]
  return new Promise(resolve => {
    const child = execFile(
      words[0]!,
      words.slice(1),
      { env: carried, timeout: timeoutSeconds * 1_000, killSignal: 'SIGKILL', signal },
      error => resolve(error ? `the command ended with ${error.code ?? error.signal ?? error.message}` : undefined),
    )
    if (child.pid !== undefined) service.join(child.pid)
  })
}

const listening = '0A'

async function isListening(pid: number | undefined, port: number): Promise<boolean> {
  if (pid === undefined) return false
  const wanted = port.toString(16).toUpperCase().padStart(4, '0')
  for (const table of ['tcp', 'tcp6']) {
    const text = await readFile(`/proc/${pid}/net/${table}`, 'utf8').catch(() => '')
    for (const line of text.split('\n')) {
      const [, local, , state] = line.trim().split(/\s+/)
      if (state === listening && local?.endsWith(`:${wanted}`)) return true
    }
  }
  return false
}
