// Runs in the network of one instance and passes on what comes from outside. It is handed connections that were accepted
// on the host, and questions of health checks. It ends when the supervisor does: only new connections then wait.
import type { Socket as DatagramSocket } from 'node:dgram'
import { createSocket } from 'node:dgram'
import { connect, type Socket } from 'node:net'
import { ask, type Probe } from '@stead/provider-kit/probes'
import { minutes, realWorld } from '@stead/world'

export type RelayOrder =
  | { readonly stream: number }
  | { readonly datagrams: number }
  | { readonly number: number; readonly probe: Probe; readonly timeoutMillis: number }
export interface RelayAnswer {
  readonly number: number
  readonly problem: string | null
}

const host = '127.0.0.1'

/** Until here we could read our own program; from here on a tenant's bytes come in. */
const [uid, gid] = process.argv.slice(2).map(Number)
if (uid !== undefined && gid !== undefined) {
  process.setgroups!([])
  process.setgid!(gid)
  process.setuid!(uid)
}

process.on('message', (order: RelayOrder, handle: unknown) => {
  if ('stream' in order) passStream(handle as Socket | undefined, order.stream)
  else if ('datagrams' in order) passDatagrams(handle as DatagramSocket, order.datagrams)
  else void answer(order)
})
process.on('disconnect', () => process.exit())
process.send!({ ready: true })

function passStream(outside: Socket | undefined, port: number): void {
  // It may have hung up on the way here.
  if (!outside) return
  const inside = connect({ host, port, allowHalfOpen: true })
  const drop = () => {
    inside.destroy()
    outside.destroy()
  }
  inside.once('error', drop)
  outside.once('error', drop)
  outside.pipe(inside).pipe(outside)
}

/** A sender is forgotten when it was silent this long. */
const silence = minutes(2)

function passDatagrams(outside: DatagramSocket, port: number): void {
  const senders = new Map<string, { readonly inside: DatagramSocket; restart(): void }>()
  outside.on('message', (data, from) => {
    const key = `${from.address} ${from.port}`
    let sender = senders.get(key)
    if (!sender) {
      const inside = createSocket('udp4')
      inside.on('message', reply => outside.send(reply, from.port, from.address))
      inside.on('error', () => {})
      const forget = () => {
        senders.delete(key)
        inside.close()
      }
      let timer = realWorld.setTimer(silence, forget)
      const restart = () => {
        timer.cancel()
        timer = realWorld.setTimer(silence, forget)
      }
      sender = { inside, restart }
      senders.set(key, sender)
    }
    sender.restart()
    sender.inside.send(data, port, host)
  })
}

async function answer({ number, probe, timeoutMillis }: Extract<RelayOrder, { probe: Probe }>): Promise<void> {
  const late = new AbortController()
  const timer = realWorld.setTimer(timeoutMillis as never, () => late.abort(new Error('no answer in time')))
  const problem = await ask(probe, late.signal).then(
    () => null,
    (error: Error) => error.message,
  )
  timer.cancel()
  process.send!({ number, problem } satisfies RelayAnswer)
}
