import type { Instant } from '@stead/world'
import type { SimServer } from '../server/server.ts'
import { ConsoleDevice } from './console-device.ts'
import { LogBook } from './log-book.ts'
import type { Process } from './process.ts'

/**
 * What goes on inside a server. Made when somebody first looks: of 100,000 servers most are never looked into.
 * The lines of boots before that are not there, as if they had been rotated away.
 */
export class Inside {
  readonly logs: LogBook
  readonly console = new ConsoleDevice()
  readonly processes = new Set<Process>()

  constructor(server: SimServer, keepLines: number) {
    this.logs = new LogBook(keepLines)
    if (server.bootedAt !== undefined) this.booted(server, server.bootedAt)
  }

  booted(server: SimServer, at: Instant): void {
    const { source } = server.spec
    const services = source.type === 'services' ? Object.keys(source.services) : ['']
    for (const service of services) this.logs.print(at, service, 'stdout', `${service || server.name} started`)
    this.console.print(Buffer.from(`\r\n${server.name} (boot ${server.boots})\r\nlogin: `))
  }

  /** The power is off: whatever ran does not. */
  down(): void {
    for (const process of this.processes) process.finish({ code: 137, signal: 'KILL' })
    this.processes.clear()
  }

  gone(): void {
    this.down()
    this.logs.close()
    this.console.hangUp()
  }
}
