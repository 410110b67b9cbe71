import { join } from 'node:path'
import { millis, type World } from '@stead/world'
import { encodeRequest } from '../api/client/messages.ts'
import { SteadProgram } from '../api/stead/program.ts'
import type { Scratch } from '../harness/scratch.ts'

/** Prints so many lines a second, each of a hundred letters, with the moment it was printed. */
const printer = (perSecond: number) => [
  'perl',
  '-MTime::HiRes=time,sleep',
  '-e',
  `$| = 1; $start = time; for ($n = 0; ; $n++) { $early = $start + $n / ${perSecond} - time; sleep $early if $early > 0;
   printf "%s t=%d\\n", "x" x 80, time * 1000 }`,
]

/** Below what one caller may hold open at a node. */
const streamsPerCaller = 60

const instances = '/v1/projects/default%2Fdefault/instances'

/** `stead serve` with processes of this machine that print, and accounts that read. */
export class Printers {
  readonly program: SteadProgram
  readonly #names: readonly string[]
  readonly #tokens: string[] = []

  private constructor(program: SteadProgram, names: readonly string[]) {
    this.program = program
    this.#names = names
  }

  static async start(world: World, scratch: Scratch, count: number, perSecond: number): Promise<Printers> {
    const data = join(scratch.newDirectory('stead'), 'data')
    const program = await SteadProgram.start(world, scratch, { data, env: { STEAD_FIND_REGIONS: 'true' } })
    // Its first answer comes a moment after the program does.
    while ((await program.ask('GET', '/v1/regions/local')).status.health !== 'healthy') await world.sleep(millis(50))
    const names = Array.from({ length: count }, (_, index) => `printer-${index}`)
    const printers = new Printers(program, names)
    const services = { main: { image: 'host', command: printer(perSecond), stopGraceSeconds: 0 } }
    const spec = { region: 'local', power: 'off', source: { services: { services } } }
    for (const name of names) await program.ask('POST', instances, { name, spec })
    await printers.#phase('stopped')
    return printers
  }

  /** They print from now on. */
  async begin(): Promise<void> {
    for (const name of this.#names) await this.program.ask('POST', `${instances}/${name}/start`, {})
    await this.#phase('running')
  }

  async rest(): Promise<void> {
    for (const name of this.#names) await this.program.ask('POST', `${instances}/${name}/stop`, {})
    await this.#phase('stopped')
  }

  /** So many who follow, each one of the printers, in turn. */
  async followers(count: number) {
    const tokens = await this.#tokensFor(count)
    return Array.from({ length: count }, (_, index) => ({
      path: `${instances}/${this.#nameOf(index)}/logs?follow=true&tail=0`,
      token: tokens[index % tokens.length]!,
    }))
  }

  /** Tickets for so many terminals. They last a minute. */
  async terminals(count: number): Promise<readonly string[]> {
    const body = { command: ['cat'], tty: true }
    const urls: string[] = []
    for (let index = 0; index < count; index++)
      urls.push((await this.program.ask('POST', `${instances}/${this.#nameOf(index)}/exec`, body)).url)
    return urls
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

  #nameOf(index: number): string {
    return this.#names[index % this.#names.length]!
  }

  async #phase(phase: string): Promise<void> {
    for (const name of this.#names)
      await this.program.ask('GET', `${instances}/${name}/wait?phase=${phase}&timeout=120s`)
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
