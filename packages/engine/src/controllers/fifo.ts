/** What stands in a line. An item stands in at most one. */
export interface InLine {
  previous: this | undefined
  next: this | undefined
}

/** First come, first served; and whoever stands in the middle can leave, at no cost. */
export class Fifo<T extends InLine> {
  private head: T | undefined
  private tail: T | undefined
  private length = 0

  get size(): number {
    return this.length
  }

  get first(): T | undefined {
    return this.head
  }

  push(item: T): void {
    item.previous = this.tail
    item.next = undefined
    if (this.tail) this.tail.next = item
    else this.head = item
    this.tail = item
    this.length++
  }

  /** Takes out one that stands in this line. */
  remove(item: T): void {
    if (item.previous) item.previous.next = item.next
    else this.head = item.next
    if (item.next) item.next.previous = item.previous
    else this.tail = item.previous
    item.previous = undefined
    item.next = undefined
    this.length--
  }
}
