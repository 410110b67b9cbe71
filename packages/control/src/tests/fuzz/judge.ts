import { catalogue } from '../../errors/index.ts'
import type { Received } from './client.ts'
import type { DocumentedAnswer, Operation } from './document.ts'

/** Something that an answer must never be. */
export interface Violation {
  /** `5xx`, `status`, `schema`, …: what the counts are about. */
  readonly what: string
  readonly detail: string
}

const violation = (what: string, detail: string): Violation => ({ what, detail })

/** Holds an answer against what the document promises. No 5xx is right: nothing here is overloaded, or away. */
export function judge(operation: Operation | undefined, received: Received): readonly Violation[] {
  const { status, text } = received
  if (status >= 500) return [violation('5xx', `${status} ${text.slice(0, 400)}`)]
  if (status >= 400) return [...undocumented(operation, status), ...judgeProblem(received)]
  if (!operation) return [violation('unknown route', `${status} on a path that the document does not have`)]
  const answer = operation.answers.get(status)
  return answer ? judgeAnswer(answer, received) : undocumented(operation, status)
}

const undocumented = (operation: Operation | undefined, status: number): readonly Violation[] =>
  !operation || operation.answers.has(status) ? [] : [violation('status', `${status} is not documented`)]

function judgeProblem({ status, headers, text }: Received): readonly Violation[] {
  if (headers['content-type'] !== 'application/problem+json; charset=utf-8')
    return [violation('problem', `${status} comes as ${headers['content-type']}`)]
  const problem = parsed(text) as Readonly<Record<string, unknown>> | undefined
  if (typeof problem !== 'object' || problem === null) return [violation('problem', `${status} is not JSON`)]
  const { code, traceId, detail, suggestion, errors = [] } = problem
  if (typeof code !== 'string' || !Object.hasOwn(catalogue, code))
    return [violation('problem', `the code ${JSON.stringify(code)} is not in the catalogue`)]
  const entry = catalogue[code as keyof typeof catalogue]
  const areErrors = (errors as readonly { path?: unknown; message?: unknown }[]).every(
    ({ path, message }) => typeof path === 'string' && typeof message === 'string',
  )
  const wrong = [
    entry.status !== status && `${code} comes with status ${status}`,
    problem.status !== status && `says status ${problem.status} in ${status}`,
    problem.title !== entry.title && 'has another title than the catalogue',
    problem.type !== `/docs/errors/${code}` && `is of type ${problem.type}`,
    !(typeof detail === 'string' && detail !== '') && 'has no detail',
    !(typeof suggestion === 'string' && suggestion !== '') && 'has no suggestion',
    !/^[0-9a-f]{32}$/.test(String(traceId)) && 'has no trace id',
    !areErrors && 'has errors without path or message',
  ]
  return wrong.filter(each => each !== false).map(each => violation('problem', each))
}

function judgeAnswer({ headers: promised, content }: DocumentedAnswer, { status, headers, text }: Received) {
  const missing = promised.filter(name => headers[name] === undefined)
  if (missing.length > 0) return [violation('header', `${status} without ${missing.join(', ')}`)]
  const sent = headers['content-type'] as string | undefined
  if (content.size === 0)
    return text === '' ? [] : [violation('schema', `${status} has a body, and none is documented`)]
  const [type] = (sent ?? 'nothing').split(';')
  const media = content.get(type!)
  if (!media) return [violation('content type', `${status} comes as ${sent}, documented is ${[...content.keys()]}`)]
  const values = valuesIn(type!, text)
  if (!values) return [violation('schema', `${status} is not ${type}: ${text.slice(0, 200)}`)]
  const errors = values.flatMap(value => (media.validator.Check(value) ? [] : [media.validator.Errors(value)[0]]))
  return errors.slice(0, 1).map(error => violation('schema', `${status}: ${JSON.stringify(error)}`))
}

/** What a body holds, each to be held against the schema; undefined when it is not what it says it is. */
function valuesIn(type: string, text: string): readonly unknown[] | undefined {
  switch (type) {
    case 'application/json': {
      const value = parsed(text)
      return value === undefined ? undefined : [value]
    }
    case 'application/x-ndjson': {
      const values = text.split('\n').slice(0, -1).map(parsed)
      return values.includes(undefined) ? undefined : values
    }
    case 'text/event-stream': {
      // The last event may be cut off: we left.
      const data = text
        .split('\n\n')
        .slice(0, -1)
        .flatMap(event => /^data: (.*)$/m.exec(event)?.[1] ?? [])
      return data.map(parsed).includes(undefined) ? undefined : [text]
    }
    default:
      return [text]
  }
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
