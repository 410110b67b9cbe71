import { type Duration, formatDuration } from '@stead/world'

/** The shard of the key went to another node, or may have. Nothing more may be done for it here. */
export class ShardLostError extends Error {
  override readonly name = 'ShardLostError'
  constructor(shard: number) {
    super(`shard ${shard} is no longer surely this node's`)
  }
}

/** The node is going down and waits no longer. */
export class StoppingError extends Error {
  override readonly name = 'StoppingError'
  constructor() {
    super('the node is stopping')
  }
}

/** A restored or copied store changes nothing outside until an operator resumes it. */
export class ObserveOnlyError extends Error {
  override readonly name = 'ObserveOnlyError'
  constructor(call: string) {
    super(`${call} would change something outside, and this store only observes until it is resumed`)
  }
}

/** A call to the outside took too long. What it did there is unknown. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
  constructor(call: string, deadline: Duration) {
    super(`${call} did not end within ${formatDuration(deadline)}`)
  }
}
