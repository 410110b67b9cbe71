import { execFile, execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ContainerEngine, testImage } from '@stead/testing/engines'

const run = promisify(execFile)

/** One way to have a container, and a command run in it. Its name is given by whoever starts it. */
export interface Way {
  start(name: string, command: readonly string[]): Promise<void>
  exec(name: string): Promise<void>
  remove(name: string): Promise<void>
}

const labels = ['bench.of=docker', 'bench.role=main']
/** What ours have, too: no rights, as few processes, a log with an end, and labels to be found by. */
const alike = [
  ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--pids-limit', '1024'],
  ...['--log-driver', 'local', '--log-opt', 'max-size=10m', '--log-opt', 'max-file=3'],
  ...labels.flatMap(label => ['--label', label]),
]

function dockerOf(engine: ContainerEngine) {
  const docker = async (...words: readonly string[]): Promise<void> => {
    await run('docker', ['-H', engine.endpoint, ...words])
  }
  const runOn = (network: string, name: string, command: readonly string[]) =>
    docker('run', '-d', '--name', name, '--network', network, ...alike, testImage, ...command)
  return { docker, runOn, exec: (name: string) => docker('exec', name, 'true') }
}

/** What somebody would type who wants the same: a network of its own, and a container without rights in it. */
export function sameByHand(engine: ContainerEngine): Way {
  const { docker, runOn, exec } = dockerOf(engine)
  let number = 0
  return {
    async start(name, command) {
      await docker('network', 'create', '--subnet', `10.214.${++number % 250}.0/29`, name)
      await runOn(name, name, command)
    },
    exec,
    async remove(name) {
      await docker('rm', '-f', name)
      await docker('network', 'rm', name)
    },
  }
}

/** Less: a container in a network that is there already, beside all others. */
export async function bareRun(engine: ContainerEngine): Promise<Way> {
  const { docker, runOn, exec } = dockerOf(engine)
  const network = 'beside-others'
  await docker('network', 'create', '--subnet', '10.215.0.0/16', network)
  return {
    start: (name, command) => runOn(network, name, command),
    exec,
    remove: name => docker('rm', '-f', name),
  }
}

/** The words that compose is called by here; undefined where there is none. */
export function findCompose(): readonly string[] | undefined {
  return [['docker', 'compose'], ['docker-compose']].find(([file, ...args]) => {
    try {
      execFileSync(file!, [...args, 'version'], { stdio: 'ignore' })
      return true
    } catch {
      return false // not here, or a docker without it
    }
  })
}

/** A project of one service, which has a network of its own, too. */
export function composed(engine: ContainerEngine, words: readonly string[], directory: string): Way {
  const { docker } = dockerOf(engine)
  const compose = async (name: string, ...more: readonly string[]) => {
    const [file, ...args] = [...words, '-f', join(directory, `${name}.yaml`), '-p', name, ...more]
    await run(file!, args, { env: { ...process.env, DOCKER_HOST: engine.endpoint } })
  }
  let number = 0
  return {
    async start(name, command) {
      const main = {
        ...{ image: testImage, command, labels, cap_drop: ['ALL'], security_opt: ['no-new-privileges'] },
        logging: { driver: 'local', options: { 'max-size': '10m', 'max-file': '3' } },
      }
      const subnet = `10.216.${++number % 250}.0/29`
      const networks = { default: { ipam: { config: [{ subnet }] } } }
      const services = { main: { ...main, container_name: name } }
      writeFileSync(join(directory, `${name}.yaml`), JSON.stringify({ version: '3', services, networks }))
      await compose(name, 'up', '-d')
    },
    exec: name => docker('exec', name, 'true'),
    remove: name => compose(name, 'down', '-t', '0'),
  }
}
