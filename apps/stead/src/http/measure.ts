import { durationBuckets, type Metrics } from '@stead/engine'
import type { FastifyInstance, onResponseHookHandler } from 'fastify'

const answerClasses = ['2xx', '3xx', '4xx', '5xx']

/** Counts and times every answer by route. By the route's pattern, never by the path asked for: paths have no end. */
export function measureAnswers(server: FastifyInstance, metrics: Metrics): void {
  const answers = metrics.counter('stead_http_answers', 'HTTP requests answered', ['method', 'route', 'class'])
  const durations = metrics.histogram(
    'stead_http_answer_duration_seconds',
    'Time from a request to the end of its answer',
    durationBuckets,
    ['method', 'route'],
  )

  /** Finds its series once, and not for each answer: that would cost more than to count it. */
  const measuring = (method: string, route: string): onResponseHookHandler => {
    const duration = durations.with({ method, route })
    const counters = new Map(answerClasses.map(each => [each[0], answers.with({ method, route, class: each })]))
    return (_request, reply, done) => {
      const digit = String(reply.statusCode)[0]!
      const counter = counters.get(digit) ?? answers.with({ method, route, class: `${digit}xx` })
      counter.add()
      duration.observe(reply.elapsedTime / 1_000)
      done()
    }
  }

  server.addHook('onRoute', route => {
    // Fastify answers HEAD wherever there is GET; those few make their series when they come.
    const methods = [route.method].flat().filter(method => method !== 'HEAD')
    const measures = new Map(methods.map(method => [method, measuring(method, route.url)]))
    const measure: onResponseHookHandler = function (request, reply, done) {
      const { method } = request
      if (!measures.has(method)) measures.set(method, measuring(method, route.url))
      measures.get(method)!.call(this, request, reply, done)
    }
    route.onResponse = [measure, ...[route.onResponse ?? []].flat()]
  })

  // What no route answers is one series, whatever method it made up.
  const elsewhere = measuring('', '')
  server.addHook('onResponse', function (request, reply, done) {
    if (request.is404) elsewhere.call(this, request, reply, done)
    else done()
  })
}
