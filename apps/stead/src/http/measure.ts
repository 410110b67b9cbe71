import { durationBuckets, type Metrics } from '@stead/engine'
import type { FastifyInstance } from 'fastify'

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

  server.addHook('onRoute', ({ method, url }) => {
    // Fastify answers HEAD wherever there is GET; those few make their series when they come.
    for (const each of [method].flat().filter(each => each !== 'HEAD')) {
      durations.with({ method: each, route: url })
      for (const answerClass of answerClasses) answers.with({ method: each, route: url, class: answerClass })
    }
  })

  server.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url
    // What no route answers is one series, whatever method it made up.
    const labels = route === undefined ? { method: '', route: '' } : { method: request.method, route }
    answers.with({ ...labels, class: `${Math.floor(reply.statusCode / 100)}xx` }).add()
    durations.with(labels).observe(reply.elapsedTime / 1_000)
    done()
  })
}
