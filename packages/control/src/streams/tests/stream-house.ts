import type { SimulatedCloud } from '@stead/provider-kit/simulated'
import { realWorld } from '@stead/world'
import { EventClient } from '../../door/tests/event-client.ts'
import { InstanceHouse, type InstanceHouseOptions } from '../../instances/tests/house.ts'
import { type OpenOptions, SocketClient } from './socket-client.ts'

/** A house of instances, and what tests ask of what they print and run. */
export class StreamHouse {
  readonly at: InstanceHouse
  readonly cloud: SimulatedCloud

  private constructor(at: InstanceHouse) {
    this.at = at
    this.cloud = at.cloud
  }

  static async open(options: InstanceHouseOptions = {}): Promise<StreamHouse> {
    return new StreamHouse(await InstanceHouse.open(options))
  }

  /** Prints lines as the newest of the servers in the cloud, or one of its services. */
  print(lines: readonly string[], { service = 'web', id = '' } = {}): void {
    const account = this.cloud.account()
    const servers = [...account.servers].filter(server => server.view().state !== 'deleted')
    const server = id === '' ? servers.at(-1)! : servers.find(each => each.id === id)!
    for (const line of lines) account.insideOf(server).logs.print(realWorld.now(), service, 'stdout', line)
  }

  /** Asks for a ticket, and opens what it is for. */
  async open(what: string, body: object, { token, ...options }: OpenOptions & { token?: string } = {}) {
    const { url } = await this.at.must(201, 'POST', `/${what}`, { body, ...(token !== undefined && { token }) })
    return SocketClient.open(this.at.house.url + url, options)
  }

  /** Runs a command to its end. */
  async run(name: string, command: readonly string[], more: object = {}) {
    const client = await this.open(`${name}/exec`, { command, ...more })
    const { code } = await client.exit()
    return { code, stdout: client.stdout, stderr: client.stderr }
  }

  follow(
    name: string,
    query = '',
    { token = this.at.house.admin, headers = {} }: { token?: string; headers?: Record<string, string> } = {},
  ): Promise<EventClient> {
    const { url } = this.at.house
    return EventClient.open(token, `${url}${this.at.instances}/${name}/logs?follow=true${query}`, { headers })
  }
}

/** The lines among what was received, as they were printed. */
export const linesOf = ({ events }: EventClient): readonly string[] =>
  events.filter(({ event }) => event === 'message').map(({ data }) => data.line)

export const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index}`)
