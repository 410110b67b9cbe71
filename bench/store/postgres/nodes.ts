import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Sample } from '../../harness/rounds.ts'
import type { Scratch } from '../../harness/scratch.ts'
import type { Acknowledged, Contender, Load } from '../contender.ts'
import { operations } from '../workload.ts'
import type { Answered, NodeRequest, WritingNode } from './writing-node.ts'

const program = fileURLToPath(new URL('writing-node.ts', import.meta.url))

export interface NodesStart extends Omit<WritingNode, 'workload'> {
  readonly count: number
  /** Of each node. */
  readonly population?: number
}

/** Several processes that write to one database at once, as nodes do; the writers are spread over them. */
export class Nodes implements Contender {
  readonly name: string
  readonly operations = operations
  readonly #nodes: readonly Node[]

  private constructor(name: string, nodes: readonly Node[]) {
    this.name = name
    this.#nodes = nodes
  }

  static async start(scratch: Scratch, { count, population, ...start }: NodesStart): Promise<Nodes> {
    const starts = Array.from({ length: count }, (_, index) =>
      Node.start(scratch, { ...start, workload: { names: `node${index}`, ...(population && { population }) } }),
    )
    return new Nodes(
      `${start.by} on ${count} nodes${start.follows ? '' : ' that follow nothing'}`,
      await Promise.all(starts),
    )
  }

  get acknowledged(): Acknowledged {
    const sum = (of: keyof Acknowledged) => this.#nodes.reduce((total, node) => total + node.acknowledged[of], 0)
    return { puts: sum('puts'), creates: sum('creates') }
  }

  /** Rates add up; of the waiting times the node's that waited longest counts. */
  async write({ writers, ...load }: Load): Promise<Sample> {
    const count = this.#nodes.length
    const shares = this.#nodes.map((_, index) => Math.floor((writers + count - 1 - index) / count))
    const samples = await Promise.all(
      this.#nodes.flatMap((node, index) => (shares[index] ? node.write({ ...load, writers: shares[index] }) : [])),
    )
    const of = (field: string) => samples.map(sample => sample[field]!)
    return {
      rate: of('rate').reduce((total, rate) => total + rate, 0),
      p50: Math.max(...of('p50')),
      p99: Math.max(...of('p99')),
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#nodes.map(node => node.close()))
  }
}

class Node {
  acknowledged: Acknowledged = { puts: 0, creates: 0 }
  readonly #child: ChildProcess
  readonly #exited: Promise<unknown[]>

  private constructor(child: ChildProcess) {
    this.#child = child
    this.#exited = once(child, 'exit')
  }

  static async start(scratch: Scratch, start: WritingNode): Promise<Node> {
    const node = new Node(
      scratch.adopt(
        spawn(process.execPath, [program, JSON.stringify(start)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
      ),
    )
    await node.#answer()
    return node
  }

  async write(load: Load): Promise<Sample> {
    this.#ask({ type: 'write', load })
    const answer = await this.#answer()
    if (answer.type !== 'sample') throw new Error(`a node answered ${answer.type} to a load`)
    return answer.sample
  }

  async close(): Promise<void> {
    this.#ask({ type: 'close' })
    const [code] = await this.#exited
    if (code !== 0) throw new Error(`a node ended with ${code}`)
  }

  #ask(request: NodeRequest): void {
    this.#child.send(request)
  }

  async #answer(): Promise<Answered> {
    const died = this.#exited.then(([code]) => Promise.reject(new Error(`a node ended with ${code}`)))
    const [answer] = await Promise.race([once(this.#child, 'message'), died])
    const answered = answer as Answered
    this.acknowledged = answered.acknowledged
    return answered
  }
}
