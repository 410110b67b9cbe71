import { existsSync, rmSync, statSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ImageSpec, ServiceLaunch, Tags } from '@stead/provider-kit'
import { type ContractSubject, plainService, posixCommands } from '@stead/provider-kit/contract'
import { newId, seconds, realWorld as world } from '@stead/world'
import { Images } from '../images/images.ts'
import type { Isolation } from '../machine/levels.ts'
import { owner, services, shell, sleeper, TestRegion } from './region.ts'
import { rootArchive, sha256 } from './root-archive.ts'

/** Prints every line that is written into a pipe on its disk. */
const printer = services({ main: shell('mkfifo /data/in; exec 3<>/data/in; exec cat <&3') })
const barePrinter = services({ main: shell('mkfifo in; exec 3<>in; exec cat <&3') })

/** Says when it is told that its file has changed. */
const reloading = `trap 'cp /run/reloaded /data/reloaded' HUP; while :; do sleep 0.1; done`
const reloaded = (content: string): ServiceLaunch['files'] => [
  { path: '/run/reloaded', content: Buffer.from(content), secret: true, signal: 'SIGHUP' },
]

/** A local region as the contract wants it, at one level of isolation. */
export async function localSubject(isolation: Isolation): Promise<ContractSubject> {
  const region = await TestRegion.open({ isolation })
  const isLimited = region.provider.capabilities().notes!.some(note => note.startsWith('limits are enforced'))
  const hasLimits = (id: string) => region.limit(id, 'memory') === 96 * 2 ** 20 && region.limit(id, 'cpu') === 30_000
  /** Another command than a plain sleeper has. Files have a place only where there is isolation. */
  const limited = (resources: ServiceLaunch['resources'], other: Partial<ServiceLaunch> = {}) =>
    isolation === 'none'
      ? services({ main: shell('exec sleep 601', { resources, ...other }) })
      : services({ main: shell(reloading, { resources, files: reloaded('old'), ...other }) })
  // What runs on an image has its root there; what runs on the machine's own files, its home.
  const marker = (id: string) => {
    const root = region.disk(id, 'main', 'root')
    return existsSync(root) ? join(root, 'marker') : region.disk(id, 'main', 'marker')
  }
  const onImage = (image: string) =>
    services({ main: plainService(image, { command: ['/bin/sh', '-c', 'exec sleep 600'] }) })
  const contents = [rootArchive('first'), rootArchive('second')] as const

  async function plantImage(tags: Tags): Promise<string> {
    const id = `img_${newId(world, 'x')
      .replace(/[^0-9a-f]/g, '')
      .slice(-24)}`
    const { info } = await new Images(join(region.directory, 'images'))
      .add({ info: imageInfo(id, tags), fingerprint: id }, archiveSpec(contents[0]))
      .then(() => ({ info: imageInfo(id, tags) }))
    return info.id
  }

  /** What snapshots are taken of. */
  let base: Promise<string> | undefined
  const onBase = async () => {
    base ??= plantImage({})
    return onImage(await base)
  }

  return {
    provider: region.provider,
    owner,
    world,
    connect: () => region.connect(),
    limits: { concurrency: 10, pageSize: null, launch: seconds(5), transition: seconds(20), cancel: seconds(2) },
    sources: {
      minimal: sleeper,
      other: services({
        main: shell('sleep 600', {
          ports: [
            { name: 'http', protocol: 'tcp' },
            { name: 'dns', protocol: 'udp' },
          ],
        }),
      }),
      invalid: services({ main: plainService('img_000000000000000000000000', { command: ['sleep', '1'] }) }),
    },
    backend: {
      plant: tags => region.plant(tags),
      remove: id => region.withLine(async line => void (await line.call('terminate', { id }))),
      count: async () => region.instances().length + region.images().length + region.cgroups().length,
    },
    async unreachable() {
      const other = await TestRegion.open({ isolation })
      rmSync(other.directory, { recursive: true })
      return other.provider
    },
    badCredentials: { not: 'a machine needs none to run what is on it' },
    provoke: { not: 'a machine does not say beforehand when it is full' },
    inside: {
      write: (id, text) => writeFile(marker(id), text),
      read: id => readFile(marker(id), 'utf8').catch(() => undefined),
    },
    bootId: async id => JSON.stringify(region.state(id).services.main?.run?.monitor),
    groups: {
      reboot: {},
      update: {
        source: limited({ memoryMiB: 64 }),
        fields: {
          environment: {
            change: spec => ({ ...spec, source: limited({ memoryMiB: 64 }, { secretEnv: { MODE: 'new' } }) }),
            // Between its old process and its new one there is none to ask.
            shows: async id => (await region.exec(id, ['sh', '-c', 'echo $MODE']).catch(() => null))?.text === 'new\n',
          },
          files: {
            change: spec => ({ ...spec, source: limited({ memoryMiB: 64 }, { files: reloaded('new') }) }),
            shows: async id => {
              const told = region.disk(id, 'main', 'reloaded')
              return (await readFile(told, 'utf8').catch(() => '')) === 'new'
            },
          },
          resources: {
            change: spec => ({ ...spec, source: limited({ cpuMillis: 300, memoryMiB: 96 }) }),
            shows: async id => region.keptResources(id).memoryMiB === 96 && (!isLimited || hasLimits(id)),
          },
          tags: {
            change: spec => ({ ...spec, tags: { ...spec.tags, 'stead.label.tier': 'web' } }),
            shows: async id => (await region.provider.describe(id)).tags['stead.label.tier'] === 'web',
          },
        },
        impossible: spec => ({ ...spec, source: sleeper }),
      },
      exec: { source: sleeper, commands: posixCommands },
      logs: {
        source: isolation === 'none' ? barePrinter : printer,
        async print(id, line) {
          const pipe = region.disk(id, 'main', 'in')
          await region.eventually('its pipe', () => statSync(pipe, { throwIfNoEntry: false })?.isFIFO() || undefined)
          await writeFile(pipe, `${line}\n`)
        },
      },
      metrics: { source: sleeper },
      watch: {},
      snapshot: { plant: plantImage, of: onBase, source: onImage },
      images: {
        plant: plantImage,
        contents,
        architecture: 'x86_64',
        source: onImage,
        shows: async id => (await region.exec(id, ['cat', '/which'])).text === 'first',
      },
    },
    close: () => region.close(),
  }
}

const archiveSpec = (content: Buffer): Pick<ImageSpec, 'open' | 'sizeBytes' | 'sha256'> => ({
  sizeBytes: content.length,
  sha256: sha256(content),
  async *open() {
    yield content
  },
})

const imageInfo = (id: string, tags: Tags) => ({
  ...{ id, name: 'planted', tags, state: 'ready' as const, architecture: 'x86_64' as const, sizeBytes: null },
  ...{ virtualization: null, minDiskBytes: null, gpu: null, os: null },
})
