import { millis } from '@stead/world'
import { LeaseKeeper } from '../../controllers/lease-keeper.ts'
import { type Entry, WorkQueue } from '../../controllers/queue.ts'
import { SqliteUpkeep } from '../../sqlite/upkeep.ts'
import type { LeaseRequest, Leases } from '../../words/lease.ts'
import type { MakeRequest, Thing } from '../example/outside/api.ts'
import { FaultyOutside } from '../example/outside/faulty-outside.ts'
import { SimulatedStore } from '../store.ts'
import { type Mutant, swap } from './mutant.ts'

class SameKeyTwice extends WorkQueue {
  protected override find(key: string): Entry | undefined {
    const entry = super.find(key)
    return entry?.run ? undefined : entry
  }
}

class LostWakeUp extends WorkQueue {
  protected override wakeRunning(): void {}
}

class LeaseShorterThanSaid extends SimulatedStore {
  override get leases(): Leases {
    const leases = super.leases
    const half = (request: LeaseRequest) => ({ ...request, ttl: millis(request.ttl / 2) })
    return {
      ...leases,
      acquire: request => leases.acquire(half(request)),
      renew: request => leases.renew(half(request)),
    }
  }
}

/** The token is what makes a thing once. */
class TokenIgnored extends FaultyOutside {
  #calls = 0
  override make(request: MakeRequest, signal: AbortSignal): Promise<Thing> {
    return super.make({ ...request, token: `${request.token}.${this.#calls++}` }, signal)
  }
}

/** Bugs in who works on what, and for how long. */
export const workingMutants: readonly Mutant[] = [
  {
    name: 'same key run twice',
    parts: { Queue: SameKeyTwice },
    caughtBy: ['one run per key'],
  },
  {
    name: 'lost wake-up',
    parts: { Queue: LostWakeUp },
    caughtBy: ['everything ends'],
  },
  {
    name: 'launch token ignored',
    parts: { Outside: TokenIgnored },
    caughtBy: ['I1 one live thing outside per widget'],
  },
  {
    name: 'lease shorter than said',
    parts: { Store: LeaseShorterThanSaid },
    caughtBy: ['a lease lasts as long as it is believed in', 'one run per key'],
  },
  {
    name: 'lease counted from the answer',
    install: () =>
      swap(
        LeaseKeeper,
        'keep',
        keep =>
          function (leases) {
            return keep.call(this, leases, this.options.world.monotonic())
          },
      ),
    emphasis: { 'answer-delayed': 0.5, partition: 0.15 },
    caughtBy: ['a lease lasts as long as it is believed in', 'one run per key'],
  },
  {
    name: 'lease never runs out here',
    install: () =>
      swap(
        LeaseKeeper,
        'holding',
        () =>
          function (name) {
            return this.held.get(name)
          },
      ),
    caughtBy: ['a lease lasts as long as it is believed in', 'one run per key'],
  },
  {
    name: 'late release takes away what was taken again',
    install: () =>
      swap(
        SqliteUpkeep,
        'release',
        release =>
          function (released: { name: string; holder: string }[]) {
            const now: { name: string; holder: string }[] = this.leases(0)
            const same = ({ name, holder }: { name: string; holder: string }) =>
              released.some(each => each.name === name && each.holder === holder)
            return release.call(this, now.filter(same))
          },
      ),
    emphasis: { 'request-delayed': 0.2 },
    caughtBy: ['a lease lasts as long as it is believed in', 'one run per key'],
  },
]
