import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import {
  type LaunchSource,
  type LaunchSpec,
  launchToken,
  type Owner,
  type Provider,
  type ServerInfo,
  type ServerState,
  type ServiceLaunch,
  serverTags,
  type Tags,
} from '@stead/provider-kit'
import { plainService } from '@stead/provider-kit/contract'
import { type ContainerEngine, testImage } from '@stead/testing/engines'
import { newId, realWorld as world } from '@stead/world'
import { connectEngine, engineAt } from '../connect.ts'
import { docker } from '../definition.ts'
import { type Guard, guardOn, runWith } from '../guard/guard.ts'

export const owner: Owner = { controlPlane: 'cp-test', region: 'reg-test' }

export const shell = (script: string, besides: Partial<ServiceLaunch> = {}): ServiceLaunch =>
  plainService(testImage, { command: ['sh', '-c', script], stopGraceSeconds: 1, ...besides })

export const services = (
  services: Readonly<Record<string, ServiceLaunch>>,
): Extract<LaunchSource, { readonly type: 'services' }> => ({
  type: 'services',
  kind: 'deployment',
  services,
})

/** Ends at once when it is asked to: the first process of a container must ask for that. */
export const sleeper = services({ main: shell("trap 'exit 0' TERM; while :; do sleep 600 & wait; done") })

/** Says that it is here to whoever asks on port 8080. */
export const web = services({
  main: shell('mkdir /var/www; echo here >/var/www/index.html; exec httpd -f -p 8080 -h /var/www', {
    ports: [{ name: 'http', protocol: 'tcp', port: 8080 }],
    stopGraceSeconds: 0,
  }),
})

export const connect = (engine: ContainerEngine, as = owner): Promise<Provider> =>
  docker.connect({
    configuration: { endpoint: engine.endpoint, pull: 'never', pidsLimit: 256 },
    credentials: {},
    owner: as,
    world,
  })

/** The same, by somebody who may do where its networks are what Stead does on its own machine. */
export const connectOnItsMachine = (
  engine: ContainerEngine,
  { as = owner, guard = undefined as Guard | undefined } = {},
): Promise<Provider> =>
  connectEngine({
    ...{ engine: engineAt({ socket: engine.socket }, world), world, owner: as, networkRange: '10.213.0.0/16' },
    settings: { address: '127.0.0.1', pidsLimit: 256, capabilities: [] },
    ...{ mayPull: false, registries: [], machine: { run: runWith(...engine.inNetwork()) } },
    guard: kind => guard ?? guardOn({ run: runWith(...engine.inNetwork()) }, '10.213.0.0/16', kind),
  })

export const orderOf = (
  source: LaunchSource,
  { serverId = newId(world, 'srv'), as = owner } = {},
): { spec: LaunchSpec; token: ReturnType<typeof launchToken> } => ({
  spec: { name: 'test', source, power: 'on', tags: serverTags(as, serverId) },
  token: launchToken(serverId, 1),
})

export async function eventually<T>(
  what: string,
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  millis = 30_000,
): Promise<T> {
  const start = performance.now()
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    if (performance.now() - start > millis) throw new Error(`waited in vain for ${what}`)
    await new Promise(resolve => setTimeout(resolve, 25))
  }
}

export const until = (provider: Provider, id: string, state: ServerState): Promise<ServerInfo> =>
  eventually(`${id} to be ${state}`, async () => {
    const info = await provider.describe(id)
    return info.state === state && info
  })

/** Runs a command inside, and answers what it printed. */
export async function printed(provider: Provider, id: string, command: readonly string[]): Promise<string> {
  const session = await provider.exec!(id, { command })
  let text = ''
  for await (const { data } of session.output) text += Buffer.from(data).toString()
  await session.exit
  return text
}

/** What answers on a port, from where the engine's ports are. */
export async function askPort(engine: ContainerEngine, port: number, words: string): Promise<string> {
  const [file, ...args] = [...engine.inNetwork(), 'busybox', 'nc', '-w', '3', '127.0.0.1', String(port)]
  const running = promisify(execFile)(file!, args, { encoding: 'utf8' })
  running.child.stdin!.on('error', () => {}).end(words) // nobody may be there to hear it
  return (await running).stdout
}

/** Makes a container without the provider, with exactly these labels, and lets it run. */
export async function plant(engine: ContainerEngine, tags: Tags): Promise<string> {
  const name = `planted-${newId(world, 'x').slice(-12)}`
  const body = { Image: testImage, Cmd: ['sleep', '600'], Labels: tags, HostConfig: { NetworkMode: 'none' } }
  await engine.call('POST', `/containers/create?name=${name}`, body)
  await engine.call('POST', `/containers/${name}/start`)
  return name
}
