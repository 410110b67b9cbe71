import { type Duration, millis, type World } from '@stead/world'
import type { Connection } from './connection.ts'
import type { Connector } from './connector.ts'

/** Sessions for reads and small writes, made when needed and kept. */
export class Pool {
  private readonly world: World
  private readonly connector: Connector
  private readonly size: number
  private readonly idle: Connection[] = []
  private readonly waiting: (() => void)[] = []
  /** Those that are there, and those being made. */
  private count = 0
  private closed = false

  constructor(connector: Connector, size: number) {
    this.world = connector.world
    this.connector = connector
    this.size = size
  }

  /** How many sessions there are, and how many requests wait for one. */
  get load(): { readonly sessions: number; readonly waiting: number } {
    return { sessions: this.count, waiting: this.waiting.length }
  }

  async use<T>(timeout: Duration, work: (connection: Connection, left: Duration) => Promise<T>): Promise<T> {
    const deadline = this.world.monotonic() + timeout
    const connection = await this.take(timeout)
    try {
      return await work(connection, millis(deadline - this.world.monotonic()))
    } catch (error) {
      if (this.connector.hasSpoilt(error)) connection.abandon()
      throw error
    } finally {
      this.give(connection)
    }
  }

  private async take(timeout: Duration): Promise<Connection> {
    const deadline = this.world.monotonic() + timeout
    while (true) {
      if (this.closed) throw new Error('the store is closed')
      const left = millis(deadline - this.world.monotonic())
      const idle = this.idle.pop()
      if (idle) return idle
      if (this.count < this.size) return this.make(left)
      if (left <= 0) throw new Error(`no free session within ${Math.round(timeout)} ms`)
      await this.turn(left)
    }
  }

  private give(connection: Connection): void {
    if (!connection.ended && !this.closed) this.idle.push(connection)
    else void connection.close()
    this.waiting.shift()?.()
  }

  async close(): Promise<void> {
    this.closed = true
    for (const wake of this.waiting.splice(0)) wake()
    await Promise.all(this.idle.splice(0).map(connection => connection.close()))
  }

  private async make(timeout: Duration): Promise<Connection> {
    this.count++
    const ended = () => {
      this.count--
      this.waiting.shift()?.()
    }
    try {
      const connection = await this.connector.connect(timeout)
      void connection.end.then(() => {
        const index = this.idle.indexOf(connection)
        if (index >= 0) this.idle.splice(index, 1)
        ended()
      })
      return connection
    } catch (error) {
      ended()
      throw error
    }
  }

  private turn(timeout: Duration): Promise<void> {
    return new Promise(resolve => {
      const wake = () => {
        timer.cancel()
        resolve()
      }
      const timer = this.world.setTimer(timeout, () => {
        this.waiting.splice(this.waiting.indexOf(wake), 1)
        resolve()
      })
      this.waiting.push(wake)
    })
  }
}
