import { type Answer, HttpConnection } from './connection.ts'

/** Connections for requests that come when they come: each takes one that is free, or waits for it. */
export class Pool {
  readonly #all: readonly HttpConnection[]
  readonly #free: HttpConnection[]
  readonly #waiting: ((connection: HttpConnection) => void)[] = []

  private constructor(connections: readonly HttpConnection[]) {
    this.#all = connections
    this.#free = [...connections]
  }

  static async open(port: number, size: number): Promise<Pool> {
    return new Pool(await Promise.all(Array.from({ length: size }, () => HttpConnection.open(port))))
  }

  async ask(request: Buffer): Promise<Answer> {
    const connection = this.#free.pop() ?? (await new Promise<HttpConnection>(resolve => this.#waiting.push(resolve)))
    try {
      return await connection.ask(request)
    } finally {
      const next = this.#waiting.shift()
      if (next) next(connection)
      else this.#free.push(connection)
    }
  }

  close(): void {
    for (const connection of this.#all) connection.close()
  }
}
