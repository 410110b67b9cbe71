/**
 * Every error a caller can get: its HTTP status, what it means and what to do next.
 * The HTTP answer, the SDK's types and the docs page all come from here, so they cannot disagree.
 */
export const catalogue = {
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    suggestion: 'correct the fields named in errors and send it again',
  },
  unauthenticated: {
    status: 401,
    title: 'Not authenticated',
    suggestion: 'send a valid token: Authorization: Bearer …',
  },
  forbidden: {
    status: 403,
    title: 'Not allowed',
    suggestion: 'ask someone who may for a role with the missing permission',
  },
  quota_exceeded: {
    status: 403,
    title: 'Quota exceeded',
    suggestion: 'delete what is no longer needed, or ask for a higher limit',
  },
  not_found: { status: 404, title: 'Not found', suggestion: 'check the name or id, and the project it is in' },
  wait_timeout: {
    status: 408,
    title: 'Wait timed out',
    suggestion: 'wait again, or look at the events for what holds it up',
  },
  name_taken: { status: 409, title: 'Name taken', suggestion: 'choose another name, or delete the existing one first' },
  invalid_state: {
    status: 409,
    title: 'Not possible in this state',
    suggestion: 'do one of the things the detail says are possible now',
  },
  not_ready: { status: 409, title: 'Not ready yet', suggestion: 'try again after the time in Retry-After' },
  replacement_required: {
    status: 409,
    title: 'Replacement required',
    suggestion: 'read the plan, then repeat with allow=rebuild or allow=replace',
  },
  operation_in_progress: {
    status: 409,
    title: 'Operation in progress',
    suggestion: 'wait for the operation to end, or delete the object',
  },
  ambiguous_name: { status: 409, title: 'Name fits several', suggestion: 'use the id, or say network/name' },
  conflict: { status: 409, title: 'Changed meanwhile', suggestion: 'read it again and repeat the change' },
  in_use: {
    status: 409,
    title: 'In use',
    suggestion: 'delete what uses it first, or repeat with cascade=true where that is offered',
  },
  gone: { status: 410, title: 'No longer kept', suggestion: 'list again, then watch from the revision of the list' },
  stale: { status: 412, title: 'Stale revision', suggestion: 'read it again and repeat the change with the new ETag' },
  too_large: { status: 413, title: 'Too large', suggestion: 'send less; the limit is in the detail' },
  immutable: { status: 422, title: 'Cannot be changed', suggestion: 'create a new one with the value you want' },
  invalid: {
    status: 422,
    title: 'Does not fit together',
    suggestion: 'correct the fields named in errors and send it again',
  },
  idempotency_mismatch: {
    status: 422,
    title: 'Idempotency key reused',
    suggestion: 'use a new Idempotency-Key for a different request',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    suggestion: 'slow down; try again after the time in Retry-After',
  },
  internal: { status: 500, title: 'Internal error', suggestion: 'this is a bug: report it with the traceId' },
  unsupported: { status: 501, title: 'Not supported here', suggestion: 'use a region whose capabilities include it' },
  unavailable: { status: 503, title: 'Unavailable', suggestion: 'try again after the time in Retry-After' },
} as const satisfies Record<string, { status: number; title: string; suggestion: string }>

export type ErrorCode = keyof typeof catalogue
