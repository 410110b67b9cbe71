import { millis, type World } from '@stead/world'
import { ProviderError } from '../../errors.ts'
import type { ServiceLaunch } from '../../launch-spec.ts'
import type { Account } from '../account/account.ts'
import { reaches } from '../account/reach.ts'
import type { SimServer } from '../server/server.ts'
import type { Disk } from './disk.ts'
import type { Surroundings } from './process.ts'

/** The service that is meant: the one that is named, or the main one; undefined in a machine. */
export function serviceOf(server: SimServer, name: string | undefined): [string, ServiceLaunch] | undefined {
  const { source } = server.spec
  if (source.type !== 'services') {
    if (name !== undefined) throw new ProviderError('NotFound', `${server.id} has no service ${name}`)
    return undefined
  }
  const found = Object.entries(source.services).find(([own, { role }]) =>
    name === undefined ? role === 'main' : own === name,
  )
  if (!found) throw new ProviderError('NotFound', `${server.id} has no service ${name ?? 'main'}`)
  return found
}

interface Mount {
  readonly path: string
  readonly disk: Disk
  readonly readOnly: boolean
}

function mounts(account: Account, server: SimServer, service: ServiceLaunch | undefined): Mount[] {
  const { source } = server.spec
  const wanted =
    source.type === 'machine'
      ? (source.volumes ?? []).map((volume, index) => ({ volume, path: `/mnt/${index}`, readOnly: false }))
      : (service?.volumes ?? [])
  return wanted.flatMap(({ volume, path, readOnly }) => {
    const disk = volume === undefined ? undefined : account.volumes.roster.get(volume)?.disk
    return disk ? [{ path, disk, readOnly }] : []
  })
}

/** The inside of a server as a command sees it. */
export function surroundings(
  account: Account,
  server: SimServer,
  world: World,
  options: { readonly service: [string, ServiceLaunch] | undefined; readonly env: Readonly<Record<string, string>> },
): Surroundings {
  const [name = '', service] = options.service ?? []
  const mounted = mounts(account, server, service)
  const diskOf = (path: string): Mount =>
    mounted.find(mount => path.startsWith(`${mount.path}/`)) ?? { path: '', disk: server.disk, readOnly: false }
  const own = server.view().endpoints.filter(endpoint => endpoint.service === name)
  const ports = own.map(endpoint => [`PORT_${endpoint.name.toUpperCase().replaceAll('-', '_')}`, String(endpoint.port)])
  return {
    env: { ...service?.env, ...service?.secretEnv, ...Object.fromEntries(ports), ...options.env },
    read: path => service?.files.find(file => file.path === path)?.content ?? diskOf(path).disk.read(path),
    write(path, content) {
      const mount = diskOf(path)
      if (mount.readOnly) throw new Error(`${path} is on a read-only volume`)
      mount.disk.write(path, content)
    },
    delete: path => diskOf(path).disk.delete(path),
    print: line => account.insideOf(server).logs.print(world.now(), name, 'stdout', line),
    reaches(address, port) {
      const other = account.byAddress(address)
      return other !== undefined && reaches(account, server, other, port)
    },
    sleep: (milliseconds, signal) => world.sleep(millis(milliseconds), signal),
  }
}
