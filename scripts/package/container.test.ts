import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryDirectory, testWith } from '@stead/testing'
import { ContainerEngine, podmanEngine } from '@stead/testing/engines'
import { expect, onTestFinished } from 'vitest'
import { buildPackage } from './build.ts'
import { nodeImage } from './tests/node-image.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const base = /^FROM (\S+)$/m.exec(readFileSync(join(root, 'packaging/Containerfile'), 'utf8'))![1]!

testWith(
  'podman',
  'the Containerfile makes an image of the package, which serves as a user of its own and stops when told',
  async () => {
    const here = temporaryDirectory()
    buildPackage(root, join(here, 'package'))
    mkdirSync(join(here, 'dist'))
    const pack = ['pack', '--silent', '--pack-destination', join(here, 'dist')]
    const packed = execFileSync('npm', pack, { cwd: join(here, 'package'), encoding: 'utf8' }).trim()
    // In npm's cache is what `npm ci` has brought, by its checksum, but not which versions there are: that is asked once here.
    const first = ['install', '--prefer-offline', '--loglevel=error', '--prefix', join(here, 'first')]
    execFileSync('npm', [...first, join(here, 'dist', packed)], { stdio: 'pipe' })
    cpSync(join(root, 'packaging'), join(here, 'packaging'), { recursive: true })

    const engine = await ContainerEngine.start(podmanEngine)
    onTestFinished(() => engine.close(), 60_000)
    // Beside its service: through that, a build takes no volumes.
    const { words, env } = podmanEngine.command(engine.directory, engine.socket)
    // And all in one view of the file system, so that one command finds what another has mounted.
    const command = words.slice(words.indexOf('podman'), words.indexOf('system'))
    const [file, ...places] = [...engine.inNetwork(), ...command]
    const podman = (args: readonly string[], input?: Buffer): string => {
      const options = { cwd: here, env: { ...process.env, ...env }, encoding: 'utf8', maxBuffer: 2 ** 30 } as const
      const { status, stdout, stderr } = spawnSync(file!, [...places, ...args], { ...options, ...(input && { input }) })
      expect(status, `podman ${args.join(' ')}\n${stdout.slice(-2_000)}\n${stderr.slice(-2_000)}`).toBe(0)
      return stdout
    }
    const offline = ['PATH=/usr/local/bin:/usr/bin:/bin', 'NPM_CONFIG_OFFLINE=true', 'NPM_CONFIG_CACHE=/npm']
    podman(['import', ...offline.flatMap(each => ['--change', `ENV ${each}`]), '-', base], nodeImage(here))
    // Laid over: what is written there is not kept.
    const cache = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim()
    const unplugged = ['--pull=never', '--network=none', '--volume', `${cache}:/npm:O`]
    podman([
      'build',
      '--format',
      'docker',
      '--layers=false',
      ...unplugged,
      '-f',
      'packaging/Containerfile',
      '-t',
      'stead',
      '.',
    ])

    podman(['run', '--detach', '--name', 'stead', '--network', 'none', '--volume', 'stead:/var/lib/stead', 'stead'])
    await expect
      .poll(() => podman(['logs', 'stead']), { timeout: 60_000 })
      .toContain('listening on http://0.0.0.0:7400')
    expect(podman(['exec', 'stead', 'id', '-un'])).toBe('node\n')
    // It finds the Stead by its data, as at home.
    expect(podman(['exec', 'stead', 'stead', 'whoami'])).toMatch(/^admin /)
    podman(['healthcheck', 'run', 'stead'])
    podman(['stop', '--time', '30', 'stead'])
    expect(podman(['inspect', 'stead', '--format', '{{.State.ExitCode}}'])).toBe('0\n')
  },
  300_000,
)
