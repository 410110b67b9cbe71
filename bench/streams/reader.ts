// A process of its own for all who read: what they take must not be taken for what the server does.
import { goLast } from '../harness/priority.ts'
import { QuietLatencies } from '../harness/quiet-latencies.ts'
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
  readonly echoP50: number
  readonly echoP99: number
  /** What this process takes, in seconds of a core. */
  readonly processorSeconds: number
  /** Why streams ended though nobody ended them. */
  readonly lost: readonly string[]
}

let lineCount = 0
let lines = new QuietLatencies()
let echoes = new QuietLatencies()
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

function onLine(late: number): void {
  lineCount++
  lines.record(late)
}

async function open({ port, followers, terminals, typeEvery }: Reading): Promise<void> {
  // Tickets last a minute.
  for (const path of terminals) await sit(`ws://127.0.0.1:${port}${path}`, typeEvery)
  const hooks = { onLine, onEnd: (why: string) => lost.push(why) }
  for (const follower of followers) await follow({ port, ...follower }, hooks)
}

function seen(): Seen {
  const { user, system } = process.cpuUsage(processorBefore)
  const [line, echo] = [lines.end(), echoes.end()]
  const told = {
    ...{ lines: lineCount, lineP50: line.percentile(50), lineP99: line.percentile(99) },
    ...{ echoP50: echo.percentile(50), echoP99: echo.percentile(99) },
    processorSeconds: (user + system) / 1_000_000,
    lost,
  }
  processorBefore = process.cpuUsage()
  lineCount = 0
  lines = new QuietLatencies()
  echoes = new QuietLatencies()
  return told
}

goLast()
process.on('message', (message: Reading | 'seen') => {
  if (message === 'seen') process.send!(seen())
  else
    open(message).then(
      () => process.send!('open'),
      (error: unknown) => process.send!({ error: String(error) }),
    )
})
