import { Pipe } from './pipe.ts'

const scrollback = 16_384

/** A serial line with an echo on the other end: what is typed comes back, to everybody who looks. */
export class ConsoleDevice {
  readonly #screens = new Set<Pipe<Uint8Array>>()
  #printed: Buffer = Buffer.alloc(0)

  print(data: Uint8Array): void {
    this.#printed = Buffer.concat([this.#printed, data]).subarray(-scrollback)
    for (const screen of this.#screens) void screen.write(data)
  }

  recent(bytes = scrollback): Uint8Array {
    return bytes > 0 ? Uint8Array.from(this.#printed.subarray(-bytes)) : new Uint8Array()
  }

  open(scrollbackBytes: number): Pipe<Uint8Array> {
    const screen = new Pipe<Uint8Array>()
    const before = this.recent(scrollbackBytes)
    if (before.length > 0) void screen.write(before)
    this.#screens.add(screen)
    return screen
  }

  close(screen: Pipe<Uint8Array>): void {
    screen.end()
    this.#screens.delete(screen)
  }

  /** The server is gone. */
  hangUp(): void {
    for (const screen of this.#screens) this.close(screen)
  }
}
