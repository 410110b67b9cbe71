import { LogController } from 'fastify'

/** Answers are counted and timed in the metrics; a log line for each would drown what matters. */
export class QuietLog extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(): void {}

  override routeNotFound(): void {}
}
