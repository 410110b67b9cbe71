import { type MetricsRegistry, openMetricsContentType } from '@stead/engine'
import type { FastifyInstance } from 'fastify'
import type { Parts } from '../parts.ts'
import type { Version } from '../version.ts'

export interface StatusSources {
  readonly parts: Parts
  readonly metrics: MetricsRegistry
  readonly version: Version
}

/** What operators and their machines ask: is it alive, can it serve, what does it measure, which version is it. */
export function statusRoutes(server: FastifyInstance, { parts, metrics, version }: StatusSources): void {
  server.get('/healthz', () => ({ status: 'alive' }))

  server.get('/readyz', (_request, reply) => {
    const problems = parts.problems()
    if (problems.length === 0) return { status: 'ready' }
    return reply.code(503).send({ status: 'not ready', problems })
  })

  server.get('/metrics', (_request, reply) => reply.type(openMetricsContentType).send(metrics.expose()))

  server.get('/version', () => version)
}
