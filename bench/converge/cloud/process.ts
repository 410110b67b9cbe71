// A simulated cloud with its default profile, for control planes in other processes.
import { type AddressInfo, createServer } from 'node:net'
import { SimulatedCloud } from '@stead/provider-kit/simulated'
import { realWorld } from '@stead/world'
import { Desk } from './desk.ts'

/** What it can be told: that one dies inside, by its name; or to say what there is. */
export type CloudOrder = { readonly type: 'crash'; readonly name: string } | { readonly type: 'count' }

export type CloudMessage =
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'crashed' }
  | { readonly type: 'counted'; readonly active: number; readonly all: number; readonly processor: number }

const say = (message: CloudMessage) => process.send?.(message)

const cloud = new SimulatedCloud({ world: realWorld })
const account = cloud.account()
const active = new Set<string>()
const all = new Map<string, string>()
account.events.listen(({ id, view }) => {
  if (view?.state === 'deleted') all.delete(view.name)
  else if (view) all.set(view.name, id)
  if (view?.state === 'active') active.add(id)
  else active.delete(id)
})

const server = createServer(socket => void new Desk(realWorld, cloud, socket))
server.listen(0, '127.0.0.1', () => say({ type: 'listening', port: (server.address() as AddressInfo).port }))

process.on('message', (order: CloudOrder) => {
  if (order.type === 'crash') {
    cloud.crash(all.get(order.name)!)
    say({ type: 'crashed' })
  } else {
    cloud.clockwork.advance()
    const { user, system } = process.cpuUsage()
    say({ type: 'counted', active: active.size, all: all.size, processor: (user + system) / 1e6 })
  }
})
process.once('disconnect', () => process.exit())
