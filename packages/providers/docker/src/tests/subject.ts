import { statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createTags, type ServiceLaunch, type Tags } from '@stead/provider-kit'
import { type ContractSubject, plainService, posixCommands } from '@stead/provider-kit/contract'
import type { ContainerEngine } from '@stead/testing/engines'
import { newId, seconds, realWorld as world } from '@stead/world'
import { docker } from '../definition.ts'
import { tarOf } from '../engine/tar.ts'
import { connect, connectOnItsMachine, eventually, plant, printed, services, shell, sleeper } from './region.ts'

/** Prints every line that is written into a pipe of its own. */
const printer = services({
  main: shell('mkfifo /var/in; trap \'exit 0\' TERM; exec 3<>/var/in; while read -r line <&3; do echo "$line"; done'),
})

/** Says that it is here to whoever asks. */
const listening = services({
  main: shell('mkdir /var/www; echo here >/var/www/index.html; exec httpd -f -p 8080 -h /var/www'),
})

const limited = (resources: ServiceLaunch['resources']) => {
  const [main] = Object.values(sleeper.type === 'services' ? sleeper.services : {})
  return services({ main: { ...main!, resources } })
}

/** A root file system with the programs of busybox, taken from the image that is there. */
const archives = (busybox: Buffer) =>
  ['first', 'second'].map(which =>
    tarOf([
      { path: 'bin/busybox', content: busybox, mode: 0o755 },
      { path: 'bin/sh', content: busybox, mode: 0o755 },
      { path: 'bin/sleep', content: busybox, mode: 0o755 },
      { path: 'bin/cat', content: busybox, mode: 0o755 },
      { path: 'which', content: Buffer.from(which), mode: 0o644 },
    ]),
  ) as unknown as readonly [Uint8Array, Uint8Array]

let subjects = 0

export async function engineSubject(engine: ContainerEngine, busybox: Buffer): Promise<ContractSubject> {
  // Checks run side by side, and no control plane looks after what is another's.
  const owner = { controlPlane: newId(world, 'cp'), region: 'reg-test' }
  const provider = await connectOnItsMachine(engine, { as: owner })
  const main = (id: string) => `${id}.main`
  const inspect = (name: string) =>
    engine.call<{ State: { StartedAt: string; Pid: number }; HostConfig: { Memory: number; NanoCpus: number } }>(
      'GET',
      `/containers/${name}/json`,
    )
  const remove = async (id: string) => {
    const all = await engine.call<{ Id: string; Names: string[]; Labels: Tags }[]>('GET', '/containers/json?all=true')
    const parts = all.filter(({ Names, Labels }) => Labels['stead.docker.id'] === id || Names[0] === `/${id}`)
    for (const { Id } of parts) await engine.call('DELETE', `/containers/${Id}?force=true`).catch(() => {})
  }
  // Checks run side by side, on one engine: each has addresses of its own.
  const number = subjects++
  const [first, second] = [64, 128].map(third => `10.${64 + Math.floor(number / 64)}.${third + (number % 64)}`)
  let planted = 0
  return {
    provider,
    owner,
    world,
    connect: () => connect(engine, owner),
    limits: { concurrency: 6, pageSize: null, launch: seconds(10), transition: seconds(40), cancel: seconds(2) },
    sources: {
      minimal: sleeper,
      other: services({
        main: shell('exec sleep 600', {
          ports: [
            { name: 'http', protocol: 'tcp' },
            { name: 'dns', protocol: 'udp' },
          ],
        }),
      }),
      invalid: services({ main: plainService('there-is-no-such-image', { command: ['sleep', '1'] }) }),
    },
    backend: { plant: tags => plant(engine, tags), remove, count: async () => (await engine.everything()).length },
    async unreachable() {
      // Connected to an engine that then goes away.
      const { proxy, socket } = await engine.proxy()
      // A socket of this machine: without this its packets would be guarded, and not those of the engine.
      const configuration = { endpoint: `unix://${socket}`, pull: 'never' as const, hostAccess: 'allowed' as const }
      const lost = await docker.connect({ configuration, credentials: {}, owner, world })
      proxy.close()
      return lost
    },
    badCredentials: { not: 'a socket asks for none' },
    provoke: { not: 'an engine has no quotas' },
    inside: {
      write: async (id, text) =>
        void (await printed(provider, id, ['sh', '-c', 'printf %s "$1" >/var/marker', 'sh', text])),
      read: async id => (await printed(provider, id, ['sh', '-c', 'cat /var/marker 2>/dev/null'])) || undefined,
    },
    bootId: async id => (await inspect(main(id))).State.StartedAt,
    groups: {
      reboot: {},
      update: {
        source: limited({ memoryMiB: 64 }),
        fields: {
          resources: {
            change: spec => ({ ...spec, source: limited({ cpuMillis: 300, memoryMiB: 96 }) }),
            shows: async id => {
              const { HostConfig } = await inspect(main(id))
              return HostConfig.Memory === 96 * 2 ** 20 && HostConfig.NanoCpus === 3e8
            },
          },
        },
        impossible: spec => ({ ...spec, source: services({ main: shell('exec sleep 601') }) }),
      },
      exec: { source: sleeper, commands: posixCommands },
      logs: {
        source: printer,
        async print(id, line) {
          const { Pid } = (await inspect(main(id))).State
          const pipe = `/proc/${Pid}/root/var/in`
          await eventually('its pipe', () => statSync(pipe, { throwIfNoEntry: false })?.isFIFO())
          await writeFile(pipe, `${line}\n`)
        },
      },
      metrics: { source: sleeper },
      watch: {},
      images: {
        async plant(tags) {
          const name = `planted-${newId(world, 'x').slice(-12)}`
          const query = new URLSearchParams({ fromSrc: '-', repo: name })
          for (const [key, value] of Object.entries(tags)) query.append('changes', `LABEL "${key}"="${value}"`)
          await engine.call('POST', `/images/create?${query}`, Buffer.from(archives(busybox)[0]))
          return name
        },
        contents: archives(busybox),
        architecture: 'x86_64',
        source: image =>
          services({
            main: plainService(image, { command: ['/bin/sh', '-c', 'exec sleep 600'], stopGraceSeconds: 1 }),
          }),
        shows: async id => (await printed(provider, id, ['cat', '/which'])) === 'first',
      },
      networks: {
        async plant(tags) {
          const name = `planted-${newId(world, 'x').slice(-12)}`
          const IPAM = { Config: [{ Subnet: `${first}.${16 * ++planted}/28` }] }
          await engine.call('POST', '/networks/create', { Name: name, Driver: 'bridge', Labels: tags, IPAM })
          return name
        },
        cidrs: [`${first}.0/28`, `${second}.0/28`],
        source: network => ({ ...listening, network }),
        async reaches(from, to) {
          const { addresses } = await provider.describe(to)
          const theirs = addresses.private.find(address => !address.startsWith('10.213.'))
          const get = `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 2 ${theirs} 8080`
          const hears = async (who: string) => (await printed(provider, who, ['sh', '-c', get])).includes('here')
          await eventually('it to listen', () => hears(to))
          return hears(from)
        },
      },
      volumes: {
        async plant(tags) {
          const name = `planted-${newId(world, 'x').slice(-12)}`
          await engine.call('POST', '/volumes/create', { Name: name, Labels: { ...tags, [createTags.token]: name } })
          return name
        },
        sizesGiB: [1, 2],
        source: volume =>
          services({
            main: { ...shell('exec sleep 600'), volumes: [{ name: 'data', path: '/data', readOnly: false, volume }] },
          }),
        write: async (id, text) =>
          void (await printed(provider, id, ['sh', '-c', 'printf %s "$1" >/data/text', 'sh', text])),
        read: async id => (await printed(provider, id, ['sh', '-c', 'cat /data/text 2>/dev/null'])) || undefined,
      },
    },
    close: () => provider.close(),
  }
}
