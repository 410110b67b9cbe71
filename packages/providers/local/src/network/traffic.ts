import { readlinkSync } from 'node:fs'
import type { Usage } from '@stead/provider-kit'
import type { Instant } from '@stead/world'
import { readOr } from '../cgroups/hierarchies.ts'

export interface Networked {
  readonly state: { readonly startedAt: Instant | null }
  /** A process in the network of its own; undefined when it has none now. */
  readonly networkProcess: number | undefined
}

type Count = readonly [received: number, sent: number]

const nothing: Count = [0, 0]

/**
 * What went over the network of an instance since it was started. A network ends with the last process in it, and the next
 * one counts from zero: what was last seen of the others is added.
 *
 * Its only device is the one that leads back to itself: what its services say to each other, and what comes through declared
 * ports, is received there as often as it is sent.
 */
export class Traffic {
  #startedAt: Instant | null = null
  #network: string | undefined
  #before = nothing
  #last = nothing

  read({ state, networkProcess }: Networked): Pick<Usage, 'networkReceivedBytes' | 'networkSentBytes'> {
    const seen = networkProcess === undefined ? undefined : look(networkProcess)
    if (!seen) return { networkReceivedBytes: null, networkSentBytes: null }
    if (state.startedAt !== this.#startedAt) [this.#before, this.#last] = [nothing, nothing]
    else if (seen.network !== this.#network) this.#before = add(this.#before, this.#last)
    this.#startedAt = state.startedAt
    this.#network = seen.network
    this.#last = seen.count
    const [networkReceivedBytes, networkSentBytes] = add(this.#before, this.#last)
    return { networkReceivedBytes, networkSentBytes }
  }
}

function look(pid: number): { readonly network: string; readonly count: Count } | undefined {
  try {
    return { network: readlinkSync(`/proc/${pid}/ns/net`), count: readDevices(readOr(`/proc/${pid}/net/dev`, '')) }
  } catch {
    return undefined // it has just ended
  }
}

/** Two lines of headings, then one for each device: its name, eight numbers of what was received, eight of what was sent. */
export const readDevices = (text: string): Count =>
  text
    .split('\n')
    .slice(2)
    .filter(Boolean)
    .map(line =>
      line
        .slice(line.indexOf(':') + 1)
        .trim()
        .split(/\s+/),
    )
    .map((numbers): Count => [Number(numbers[0]), Number(numbers[8])])
    .reduce(add, nothing)

function add([received, sent]: Count, [moreReceived, moreSent]: Count): Count {
  return [received + moreReceived, sent + moreSent]
}
