import { type FastifyError, type FastifyReply, type FastifyRequest, LogController } from 'fastify'

/** Answers are counted and timed in the metrics; a log line for each would drown what matters. Errors are still logged. */
export class QuietLog extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(error: FastifyError | null, request: FastifyRequest, reply: FastifyReply): void {
    if (error) super.requestCompleted(error, request, reply)
  }

  override routeNotFound(): void {}
}
