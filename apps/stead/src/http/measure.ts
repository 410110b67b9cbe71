import { AnswerMetrics } from '@stead/control'
import type { Metrics } from '@stead/engine'
import { millis } from '@stead/world'
import type { FastifyInstance, onResponseHookHandler } from 'fastify'

/** Counts and times what the routes of this scope answer. The door does so itself for its own. */
export function measureAnswers(scope: FastifyInstance, metrics: Metrics): void {
  const answers = new AnswerMetrics(metrics)
  scope.addHook('onRoute', route => {
    // Fastify answers HEAD wherever there is GET; those few make their series when they come.
    const methods = [route.method].flat().filter(method => method !== 'HEAD')
    const meters = new Map(methods.map(method => [method, answers.of(method, route.url)]))
    const measure: onResponseHookHandler = ({ method }, reply, done) => {
      const meter = meters.get(method) ?? answers.of(method, route.url)
      meters.set(method, meter)
      meter.answered(reply.statusCode, millis(reply.elapsedTime))
      done()
    }
    route.onResponse = [measure, ...[route.onResponse ?? []].flat()]
  })
}
