import { GoneError, UnavailableError } from '@stead/engine'
import { millis } from '@stead/world'
import { catalogue, fail, Problem } from '../errors/index.ts'
import { jsonType, mustBe } from './media-types.ts'
import type { WrittenReply } from './written-reply.ts'

/** The refusal that an error means to a caller. What nobody foresaw is a bug, and says nothing of itself. */
export function problemOf(error: unknown, bodyType: string = jsonType): Problem {
  if (error instanceof Problem) return error
  if (error instanceof GoneError) return fail('gone', error.message, { cause: error })
  if (error instanceof UnavailableError)
    return fail('unavailable', 'the store cannot be reached now', { retryAfter: millis(1_000), cause: error })
  return ofFramework(error, bodyType) ?? bug(error)
}

const bug = (cause: unknown) => fail('internal', 'something went wrong that should not have', { cause })

/** Fastify refuses what it cannot read. Its messages quote what was sent, so they are said anew. */
function ofFramework(error: unknown, bodyType: string): Problem | undefined {
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown }
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return fail('too_large', 'the body is larger than this server takes', { cause: error })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_TYPE':
      return mustBe(bodyType, error)
  }
  const isRefusal = typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500
  return isRefusal && typeof code === 'string' && code.startsWith('FST_')
    ? fail('invalid_request', 'the request cannot be read', { cause: error })
    : undefined
}

/** A problem as callers see it: RFC 9457. */
export function problemBody({ code, message: detail, details, status }: Problem, traceId: string): object {
  const { title, suggestion } = catalogue[code]
  const { errors, extensions } = details
  return {
    ...extensions,
    type: `/docs/errors/${code}`,
    title,
    status,
    code,
    detail,
    suggestion: details.suggestion ?? suggestion,
    ...(errors && { errors }),
    traceId,
  }
}

/** A problem as an answer. */
export function writeProblem(problem: Problem, traceId: string): WrittenReply {
  const { code, details, status } = problem
  const { retryAfter } = details
  return {
    status,
    headers: {
      'content-type': 'application/problem+json; charset=utf-8',
      ...(retryAfter !== undefined && { 'retry-after': String(Math.max(1, Math.ceil(retryAfter / 1_000))) }),
      ...(code === 'unauthenticated' && { 'www-authenticate': 'Bearer' }),
    },
    text: JSON.stringify(problemBody(problem, traceId)),
  }
}
