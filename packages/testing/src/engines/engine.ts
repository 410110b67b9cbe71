import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { request } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What one kind of engine is started with, in a directory of its own. */
export interface EngineKind {
  readonly name: 'docker' | 'podman'
  command(directory: string, socket: string): { readonly words: readonly string[]; readonly env?: NodeJS.ProcessEnv }
}

/** The image that every engine has: busybox, and nothing else. */
export const testImage = 'stead-test-busybox'

/**
 * An engine of its own, in a temporary directory and a network of its own, so that nothing it does to tables of packets
 * touches this machine, or another engine on it. Nothing of it is left when it is closed.
 */
export class ContainerEngine {
  readonly kind: EngineKind['name']
  readonly directory: string
  readonly socket: string
  readonly #kind: EngineKind
  readonly #network: string
  readonly #watchdog: ChildProcess
  #process: ChildProcess | undefined
  #said = ''
  #proxies = 0

  private constructor(kind: EngineKind) {
    this.#kind = kind
    this.kind = kind.name
    this.directory = mkdtempSync(join(tmpdir(), `stead-${kind.name}-`))
    this.socket = join(this.directory, 'engine.sock')
    this.#network = `stead-${this.directory.slice(-6)}`
    // However this process ends, nothing of the engine stays.
    const program = fileURLToPath(new URL('watchdog.mjs', import.meta.url))
    const stdio = ['pipe', 'ignore', 'inherit'] as const
    this.#watchdog = spawn(process.execPath, [program, this.directory, this.#network], {
      stdio: [...stdio],
      detached: true,
    })
    this.#watchdog.unref()
  }

  static async start(kind: EngineKind): Promise<ContainerEngine> {
    const engine = new ContainerEngine(kind)
    execFileSync('ip', ['netns', 'add', engine.#network])
    execFileSync('ip', ['-n', engine.#network, 'link', 'set', 'lo', 'up'])
    await engine.up()
    await engine.#importBusybox()
    return engine
  }

  get endpoint(): string {
    return `unix://${this.socket}`
  }

  /** Starts it, or starts it again. */
  async up(): Promise<void> {
    // Of a daemon that was killed nobody may have taken notice yet, and another would wait for it.
    rmSync(join(this.directory, 'exec/containerd/containerd.pid'), { force: true })
    const { words, env } = this.#kind.command(this.directory, this.socket)
    const [file, ...args] = [...this.inNetwork(), ...words]
    const child = spawn(file!, args, {
      cwd: this.directory,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', data => {
        this.#said = (this.#said + data).slice(-8_000)
      })
    this.#process = child
    for (let tries = 0; ; tries++) {
      if (await this.call('GET', '/version').then(Boolean, () => false)) return
      if (child.exitCode !== null || tries > 600) throw new Error(`${this.kind} did not start:\n${this.#said}`)
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }

  /** The words that run a command where this engine's ports are. */
  inNetwork(): string[] {
    return ['nsenter', `--net=/run/netns/${this.#network}`]
  }

  /** Ends it as a machine does that loses power, as far as it goes: its containers may live on. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#process
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const bytes = body === undefined || body instanceof Uint8Array ? body : JSON.stringify(body)
    const type = body instanceof Uint8Array ? 'application/x-tar' : 'application/json'
    return new Promise((resolve, reject) => {
      const headers = { host: 'engine', ...(bytes !== undefined && { 'content-type': type }) }
      const asked = request({ socketPath: this.socket, method, path, headers, agent: false }, answer => {
        let text = ''
        answer.on('data', chunk => {
          text += chunk
        })
        answer.on('end', () => {
          if ((answer.statusCode ?? 500) >= 400) reject(new Error(`${method} ${path}: ${answer.statusCode} ${text}`))
          else resolve((/^[[{]/.test(text) && !text.includes('}\r\n{') ? JSON.parse(text) : undefined) as T)
        })
      })
      asked.once('error', reject)
      asked.end(bytes)
    })
  }

  /** Another way to it, which can be cut, and opened again where it was. */
  async proxy(
    socket = join(this.directory, `proxy-${++this.#proxies}.sock`),
  ): Promise<{ readonly socket: string; readonly proxy: { close(): void } }> {
    const open = new Set<Socket>()
    const server = createServer(near => {
      const far = connect(this.socket)
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        open.add(one)
        one.on('error', () => other.destroy()).on('close', () => open.delete(one))
        one.pipe(other)
      }
    })
    await once(server.listen(socket), 'listening')
    const close = () => {
      server.close()
      for (const each of open) each.destroy()
    }
    return { socket, proxy: { close } }
  }

  /** The names of everything there is, but for what is there from the start. */
  async everything(): Promise<string[]> {
    const [containers, networks, { Volumes }] = await Promise.all([
      this.call<{ Names: string[] }[]>('GET', '/containers/json?all=true'),
      this.#networks(),
      this.call<{ Volumes: { Name: string }[] | null }>('GET', '/volumes'),
    ])
    const images = await this.call<{ RepoTags: string[] | null }[]>('GET', '/images/json')
    const known = /^(bridge|host|none|podman)$|stead-inside-|stead-test-busybox|<none>/
    return [
      ...containers.map(({ Names }) => `container ${Names[0]}`),
      ...networks.filter(name => !known.test(name)).map(name => `network ${name}`),
      ...(Volumes ?? []).map(({ Name }) => `volume ${Name}`),
      ...images.flatMap(({ RepoTags }) => (RepoTags ?? []).map(tag => `image ${tag}`)),
    ]
      .filter(name => !known.test(name))
      .sort()
  }

  /** Asked by Docker's API, Podman 4 forgets that they are isolated, and what is started next is not. */
  async #networks(): Promise<string[]> {
    if (this.kind === 'docker') return (await this.call<{ Name: string }[]>('GET', '/networks')).map(({ Name }) => Name)
    return (await this.call<{ name: string }[]>('GET', '/v4.0.0/libpod/networks/json')).map(({ name }) => name)
  }

  async close(): Promise<void> {
    try {
      const all = await this.call<{ Id: string }[]>('GET', '/containers/json?all=true')
      for (const { Id } of all) await this.call('DELETE', `/containers/${Id}?force=true&v=true`).catch(() => {})
    } catch {
      // It is dead: what it leaves behind is removed all the same.
    }
    this.#watchdog.ref()
    const ended = once(this.#watchdog, 'exit')
    this.#watchdog.stdin!.end()
    await ended
  }

  async #importBusybox(): Promise<void> {
    const root = join(this.directory, 'busybox')
    mkdirSync(join(root, 'bin'), { recursive: true })
    for (const directory of ['tmp', 'etc', 'root', 'var']) mkdirSync(join(root, directory), { recursive: true })
    copyFileSync('/bin/busybox', join(root, 'bin/busybox'))
    const applets = execFileSync('/bin/busybox', ['--list'], { encoding: 'utf8' }).trim().split('\n')
    for (const applet of applets) if (applet !== 'busybox') symlinkSync('busybox', join(root, 'bin', applet))
    const archive = execFileSync('tar', ['-C', root, '-c', '.'], { maxBuffer: 2 ** 26 })
    const query = new URLSearchParams({ fromSrc: '-', repo: testImage, changes: 'ENV PATH=/bin' })
    await this.call('POST', `/images/create?${query}`, archive)
  }
}
