import { fail } from '../errors/index.ts'

/** What bodies are: JSON on most routes … */
export const jsonType = 'application/json'
/** … and bytes as they are on those that take uploads. */
export const uploadType = 'application/octet-stream'

export const mustBe = (type: string, cause?: unknown) =>
  fail('invalid_request', `the body must be ${type}`, {
    errors: [{ path: 'Content-Type', message: `must be ${type}` }],
    cause,
  })
