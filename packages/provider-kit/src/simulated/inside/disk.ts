/** Files in memory. A copy shares them until one side writes: a snapshot of a big disk costs nothing. */
export class Disk {
  #files: Map<string, Uint8Array>
  #shared: boolean

  constructor(files: Iterable<readonly [string, Uint8Array]> = []) {
    this.#files = new Map(files)
    this.#shared = false
  }

  read(path: string): Uint8Array | undefined {
    return this.#files.get(path)
  }

  write(path: string, content: Uint8Array): void {
    this.#own()
    this.#files.set(path, content)
  }

  delete(path: string): boolean {
    this.#own()
    return this.#files.delete(path)
  }

  copy(): Disk {
    const copy = new Disk()
    copy.#files = this.#files
    copy.#shared = true
    this.#shared = true
    return copy
  }

  get bytes(): number {
    let total = 0
    for (const content of this.#files.values()) total += content.length
    return total
  }

  #own(): void {
    if (!this.#shared) return
    this.#files = new Map(this.#files)
    this.#shared = false
  }
}
