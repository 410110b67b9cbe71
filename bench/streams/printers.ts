import { join } from 'node:path'
import { millis, type World } from '@stead/world'
import { encodeRequest } from '../api/client/messages.ts'
import { SteadProgram } from '../api/stead/program.ts'
import type { Scratch } from '../harness/scratch.ts'
import { type LogGroup, type StreamLoad, sumOf } from './load.ts'
import { printedFormat } from './printed-lines.ts'

/** Prints so many lines a second, each of a hundred letters, with the moment it was printed. */
const printer = (perSecond: number) => [
  'perl',
  '-MTime::HiRes=time,sleep',
  '-e',
  `$| = 1; $start = time; for ($n = 0; ; $n++) { $early = $start + $n / ${perSecond} - time; sleep $early if $early > 0;
   printf "%s ${printedFormat}\\n", "x" x 72, $n, time * 1000 }`,
]

/** Below what one caller may hold open at a node. */
const streamsPerCaller = 60

const instances = '/v1/projects/default%2Fdefault/instances'

/** `stead serve` with processes of this machine that print, and accounts that read. */
export class Printers {
  readonly program: SteadProgram
  readonly #names: string[] = []
  readonly #tokens: string[] = []

  private constructor(program: SteadProgram) {
    this.program = program
  }

  static async start(world: World, scratch: Scratch): Promise<Printers> {
    const data = join(scratch.newDirectory('stead'), 'data')
    const program = await SteadProgram.start(world, scratch, { data, env: { STEAD_FIND_REGIONS: 'true' } })
    // Its first answer comes a moment after the program does.
    while ((await program.ask('GET', '/v1/regions/local')).status.health !== 'healthy') await world.sleep(millis(50))
    return new Printers(program)
  }

  /** What a load needs, not printing yet. */
  async add(load: StreamLoad): Promise<Printing> {
    const logs: Log[] = []
    for (const group of load.groups)
      for (let index = 0; index < group.logs; index++) {
        const name = `printer-${this.#names.length}`
        const services = { main: { image: 'host', command: printer(group.lines), stopGraceSeconds: 0 } }
        const spec = { region: 'local', power: 'off', source: { services: { services } } }
        await this.program.ask('POST', instances, { name, spec })
        this.#names.push(name)
        logs.push({ name, group })
      }
    const followers = sumOf(load, group => group.followers)
    const printing = new Printing(this.program, logs, await this.#tokensFor(followers))
    await printing.reach('stopped')
    return printing
  }

  /** A read as callers make it. */
  request(): Buffer {
    return encodeRequest({ method: 'GET', path: `${instances}/${this.#names[0]}`, token: this.program.adminToken })
  }

  async close(): Promise<void> {
    for (const name of this.#names) await this.program.ask('DELETE', `${instances}/${name}`)
    for (const name of this.#names)
      await this.program
        .ask('GET', `${instances}/${name}/wait?phase=destroyed&timeout=60s`)
        // It may be gone before it is waited for.
        .catch(() => {})
    await this.program.stop()
  }

  async #tokensFor(streams: number): Promise<readonly string[]> {
    const organization = '/v1/organizations/default'
    while (this.#tokens.length * streamsPerCaller < streams) {
      const name = `reader-${this.#tokens.length}`
      const { metadata } = await this.program.ask('POST', `${organization}/service-accounts`, { name })
      await this.program.ask('POST', `${organization}/grants`, { principal: metadata.id, role: 'developer' })
      const { token } = await this.program.ask('POST', `${organization}/service-accounts/${name}/tokens`, {})
      this.#tokens.push(token)
    }
    return this.#tokens
  }
}

interface Log {
  /** Of the instance that prints it. */
  readonly name: string
  readonly group: LogGroup
}

/** The instances of one load. */
export class Printing {
  readonly #program: SteadProgram
  readonly #logs: readonly Log[]
  readonly #tokens: readonly string[]

  constructor(program: SteadProgram, logs: readonly Log[], tokens: readonly string[]) {
    this.#program = program
    this.#logs = logs
    this.#tokens = tokens
  }

  /** They print from now on. */
  async begin(): Promise<void> {
    for (const { name } of this.#logs) await this.#program.ask('POST', `${instances}/${name}/start`, {})
    await this.reach('running')
  }

  async rest(): Promise<void> {
    for (const { name } of this.#logs) await this.#program.ask('POST', `${instances}/${name}/stop`, {})
    await this.reach('stopped')
  }

  async reach(phase: string): Promise<void> {
    for (const { name } of this.#logs)
      await this.#program.ask('GET', `${instances}/${name}/wait?phase=${phase}&timeout=120s`)
  }

  /** All who follow. */
  followers() {
    const names = this.#logs.flatMap(({ name, group }) => Array.from({ length: group.followers }, () => name))
    return names.map((name, index) => ({
      path: `${instances}/${name}/logs?follow=true&tail=0`,
      token: this.#tokens[index % this.#tokens.length]!,
    }))
  }

  /** Tickets for so many terminals. They last a minute. */
  async terminals(count: number): Promise<readonly string[]> {
    const body = { command: ['cat'], tty: true }
    const urls: string[] = []
    for (let index = 0; index < count; index++) {
      const { name } = this.#logs[index % this.#logs.length]!
      urls.push((await this.#program.ask('POST', `${instances}/${name}/exec`, body)).url)
    }
    return urls
  }
}
