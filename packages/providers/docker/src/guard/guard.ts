import { execFile } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import type { EngineName } from '../detect.ts'

/** Runs a program, gives it this to read, and fails with what it complains of. */
export type Run = (file: string, args: readonly string[], input?: string) => Promise<void>

export interface Guarding {
  /** The addresses that instances have. */
  readonly range: string
  readonly kind: EngineName
  readonly run: Run
}

const chain = 'STEAD-GUARD'

/**
 * What comes from an instance: nothing to the addresses of a link, where clouds tell machines their secrets, and nothing new
 * to this machine itself, but for questions about names, which Podman answers there.
 */
const rules = [
  '*filter',
  `:${chain} - [0:0]`,
  `-F ${chain}`,
  `-A ${chain} -d 169.254.0.0/16 -j REJECT`,
  `-A ${chain} -m addrtype ! --dst-type LOCAL -j RETURN`,
  `-A ${chain} -m conntrack --ctstate ESTABLISHED,RELATED -j RETURN`,
  `-A ${chain} -p udp --dport 53 -j RETURN`,
  `-A ${chain} -p tcp --dport 53 -j RETURN`,
  `-A ${chain} -j REJECT`,
  'COMMIT',
  '',
].join('\n')

/**
 * The same for Podman, and what comes from an instance to no other network: Podman 4 keeps them apart itself, but only until
 * one falls idle. It also puts its rules before all others and lets pass there what comes from containers, so these stand in
 * a table that is asked after that. Never emptied: several regions may have their networks in it.
 */
const apart = 'STEAD-APART'

/** Where packets pass that are for this machine, and that are for others. Docker puts its own rules before all but this chain. */
const passages: Readonly<Record<EngineName, readonly string[]>> = {
  docker: ['INPUT', 'DOCKER-USER'],
  podman: ['INPUT', 'FORWARD'],
}

async function once(run: Run, table: 'filter' | 'security', how: '-I' | '-A', rule: readonly string[]): Promise<void> {
  const put = (verb: string) => run('iptables', ['--wait', '-t', table, verb, ...rule])
  await put('-C').catch(() => put(how))
}

/** Keeps instances from the machine they run on and from its metadata address, in the tables of packets of that machine. */
export class Guard {
  readonly #guarding: Guarding | { readonly not: string }
  readonly #ranges = new Set<string>()
  #problem: string | undefined

  constructor(guarding: Guarding | { readonly not: string }) {
    this.#guarding = guarding
    if ('range' in guarding) this.#ranges.add(guarding.range)
  }

  /** Counts for what comes from these addresses, too. */
  async cover(range: string): Promise<void> {
    if (this.#ranges.has(range)) return
    this.#ranges.add(range)
    await this.ensure()
  }

  /** Puts the rules where they are not. Somebody who loads all rules anew takes them away, so this is done now and then. */
  async ensure(): Promise<void> {
    if ('not' in this.#guarding) return
    const { kind, run } = this.#guarding
    try {
      await run('iptables-restore', ['--wait', '--noflush'], rules)
      for (const passage of passages[kind])
        for (const range of this.#ranges) {
          const jump = [passage, '-s', range, '-j', chain]
          await once(run, 'filter', '-I', jump)
        }
      if (kind === 'podman') await this.#keepApart(run, this.#guarding.range)
      this.#problem = undefined
    } catch (error) {
      this.#problem = (error as Error).message
    }
  }

  async #keepApart(run: Run, own: string): Promise<void> {
    await run('iptables', ['--wait', '-t', 'security', '-N', apart]).catch(() => {}) // it is there, or what follows fails
    await once(run, 'security', '-A', [apart, '-d', '169.254.0.0/16', '-j', 'DROP'])
    for (const range of this.#ranges) {
      // Who shares a network is reached there. In a server's own there is nobody else.
      if (range !== own) await once(run, 'security', '-I', [apart, '-s', range, '-d', range, '-j', 'RETURN'])
      await once(run, 'security', '-A', [apart, '-d', range, '-j', 'DROP'])
      await once(run, 'security', '-I', ['FORWARD', '-s', range, '-j', apart])
    }
  }

  /** What one should know of it. */
  get note(): string {
    const why = 'not' in this.#guarding ? this.#guarding.not : this.#problem
    if (why === undefined) return 'instances reach neither this machine nor a metadata address'
    return `instances reach what their machine reaches, itself and a metadata address too: ${why}`
  }
}

/** The machine that an engine has its networks on: how programs are run there, or why we may not. */
export type Machine = { readonly run: Run } | { readonly not: string }

export function machineOf(endpoint: string): Machine {
  if (!endpoint.startsWith('unix://')) return { not: 'the engine is reached over TCP, as on another machine' }
  if (process.getuid?.() !== 0) return { not: 'Stead does not run as root' }
  if (!listensHere(endpoint.slice('unix://'.length), readFileSync('/proc/net/unix', 'utf8')))
    return { not: 'the networks of the engine are not those of this machine' }
  return { run: runWith() }
}

/** Guards an engine that has its networks where we are, when we may. */
export const guardOn = (machine: Machine, range: string, kind: EngineName): Guard =>
  new Guard('not' in machine ? machine : { range, kind, run: machine.run })

/** A socket is listed in the network it was made in: an engine in a network of its own, such as a rootless one, is not here. */
export function listensHere(socket: string, listed: string): boolean {
  const real = (path: string) => (existsSync(path) ? realpathSync(path) : path)
  return listed.split('\n').some(line => {
    const [, , , flags, , , , path] = line.trim().split(/\s+/)
    return flags === '00010000' && path !== undefined && real(path) === real(socket)
  })
}

/** As {@link Run}, on this machine; with words before, somewhere else on it. */
export const runWith =
  (...before: readonly string[]): Run =>
  (file, args, input = '') =>
    new Promise((resolve, reject) => {
      const [first, ...rest] = [...before, file, ...args]
      const child = execFile(first!, rest, { timeout: 10_000 }, (error, _, complaint) => {
        if (error) reject(new Error(`${file}: ${complaint.trim().split('\n')[0] || error.message}`))
        else resolve()
      })
      child.stdin!.on('error', () => {}) // it ended without reading: why is told above
      child.stdin!.end(input)
    })
