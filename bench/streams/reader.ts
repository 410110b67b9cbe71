// A process of its own for all who read: what they take must not be taken for what the server does.
import { Latencies } from '../harness/latencies.ts'
import { follow } from './follower.ts'

export interface Reading {
  readonly port: number
  readonly followers: readonly { readonly path: string; readonly token: string }[]
  /** Paths that tickets gave. */
  readonly terminals: readonly string[]
  /** How often something is typed into each, in milliseconds. */
  readonly typeEvery: number
}

/** What was seen since the last time. */
export interface Seen {
  readonly lines: number
  readonly lineP50: number
  readonly lineP99: number
  readonly echoes: number
  readonly echoP50: number
  readonly echoP99: number
  /** What this process takes, in seconds of a core. */
  readonly processorSeconds: number
  /** Why streams ended though nobody ended them. */
  readonly lost: readonly string[]
}

let lines = new Latencies()
let echoes = new Latencies()
let processorBefore = process.cpuUsage()
const lost: string[] = []

/** Types a letter now and then, and waits for it to come back. */
function sit(url: string, typeEvery: number): Promise<void> {
  const socket = new WebSocket(url, 'stead.v1')
  socket.binaryType = 'arraybuffer'
  let typedAt: number | undefined
  const type = () => {
    if (typedAt !== undefined || socket.readyState !== WebSocket.OPEN) return
    typedAt = performance.now()
    socket.send(Uint8Array.of(0, 0x78))
  }
  return new Promise((resolve, reject) => {
    socket.onmessage = ({ data }) => {
      const [channel] = new Uint8Array(data as ArrayBuffer)
      if (channel === 3) {
        setInterval(type, typeEvery)
        resolve()
      } else if (typedAt !== undefined) {
        echoes.record(performance.now() - typedAt)
        typedAt = undefined
      }
    }
    socket.onerror = () => reject(new Error(`a terminal could not be opened`))
    socket.onclose = () => lost.push('a terminal was closed')
  })
}

async function open({ port, followers, terminals, typeEvery }: Reading): Promise<void> {
  // Tickets last a minute.
  for (const path of terminals) await sit(`ws://127.0.0.1:${port}${path}`, typeEvery)
  const hooks = { onLine: (late: number) => lines.record(late), onEnd: (why: string) => lost.push(why) }
  for (const follower of followers) await follow({ port, ...follower }, hooks)
}

function seen(): Seen {
  const { user, system } = process.cpuUsage(processorBefore)
  const told = {
    ...{ lines: lines.count, lineP50: lines.percentile(50), lineP99: lines.percentile(99) },
    ...{ echoes: echoes.count, echoP50: echoes.percentile(50), echoP99: echoes.percentile(99) },
    processorSeconds: (user + system) / 1_000_000,
    lost,
  }
  processorBefore = process.cpuUsage()
  lines = new Latencies()
  echoes = new Latencies()
  return told
}

process.on('message', (message: Reading | 'seen') => {
  if (message === 'seen') process.send!(seen())
  else
    open(message).then(
      () => process.send!('open'),
      (error: unknown) => process.send!({ error: String(error) }),
    )
})
