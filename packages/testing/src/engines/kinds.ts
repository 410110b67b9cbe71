import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { EngineKind } from './engine.ts'

const wrapper = fileURLToPath(new URL('runc-without-resources', import.meta.url))

/** Whether this process may raise limits: the right has the number 24. */
function mayRaiseLimits(): boolean {
  const [, rights = '0'] = /^CapEff:\s*(\w+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return ((BigInt(`0x${rights}`) >> 24n) & 1n) === 1n
}

export const docker: EngineKind = {
  name: 'docker',
  command(directory, socket) {
    const at = (name: string) => join(directory, name)
    const runtime = mayRaiseLimits() ? [] : ['--add-runtime', `limited=${wrapper}`, '--default-runtime', 'limited']
    const places = ['--data-root', at('root'), '--exec-root', at('exec'), '-p', at('pid'), '-H', `unix://${socket}`]
    return {
      words: [
        'dockerd',
        ...places,
        '--bridge',
        'none',
        '--config-file',
        writeFile(at('daemon.json'), '{}'),
        ...runtime,
      ],
    }
  },
}

export const podman: EngineKind = {
  name: 'podman',
  command(directory, socket) {
    const at = (name: string) => join(directory, name)
    const limits = mayRaiseLimits() ? '' : 'default_ulimits=["nofile=20000:20000","nproc=4096:4096"]'
    const settings = [
      ...['[containers]', limits, '[engine]', 'runtime="runc"', 'events_logger="file"', 'cgroup_manager="cgroupfs"'],
      ...['[network]', 'network_backend="netavark"', `network_config_dir="${at('networks')}"`],
    ]
    const CONTAINERS_CONF = writeFile(at('containers.conf'), `${settings.join('\n')}\n`)
    // Docker asks registries of its own machine without TLS; Podman must be told to.
    const registries = ['5000', '5001'].map(port => `[[registry]]\nlocation="127.0.0.1:${port}"\ninsecure=true\n`)
    const CONTAINERS_REGISTRIES_CONF = writeFile(at('registries.conf'), registries.join(''))
    const places = ['--root', at('root'), '--runroot', at('run'), '--tmpdir', at('tmp')]
    return {
      words: [
        ...withOwnNetworks(at('network-state')),
        'podman',
        ...places,
        'system',
        'service',
        '--time=0',
        `unix://${socket}`,
      ],
      env: { CONTAINERS_CONF, CONTAINERS_REGISTRIES_CONF },
    }
  },
}

/**
 * All Podmans of a machine keep in one place who has which address, and which process answers for names. It cannot be set, and
 * with networks of its own an engine would ask a process that is in another's: so each sees a place of its own there.
 */
function withOwnNetworks(directory: string): string[] {
  const place = '/run/containers/networks'
  const own = `mkdir -p "$0" ${place} && mount --bind "$0" ${place}`
  // From its network nobody else is reached who knows names: who waits for one holds up all who ask.
  const script = `${own} && : >"$0.resolv" && mount --bind "$0.resolv" /etc/resolv.conf && exec "$@"`
  return ['unshare', '--mount', '--propagation', 'slave', 'sh', '-c', script, directory]
}

function writeFile(path: string, text: string): string {
  writeFileSync(path, text)
  return path
}
