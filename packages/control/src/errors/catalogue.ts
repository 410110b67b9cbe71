/** What a caller is told about one kind of refusal: its HTTP status, what it means and what to do next. */
export interface CatalogueEntry {
  readonly status: number
  readonly title: string
  readonly meaning: string
  readonly suggestion: string
}

/**
 * Every error a caller can get. The HTTP answer, the SDK's types and the docs page all come from here, so they cannot
 * disagree.
 */
export const catalogue = {
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    meaning: 'The request is malformed: a field, parameter or header is missing, unknown or of the wrong form.',
    suggestion: 'correct the fields named in errors and send it again',
  },
  unauthenticated: {
    status: 401,
    title: 'Not authenticated',
    meaning: 'No credential was sent, or it is unknown, expired or revoked.',
    suggestion: 'send a valid token: Authorization: Bearer …',
  },
  forbidden: {
    status: 403,
    title: 'Not allowed',
    meaning: 'The caller may see this but lacks the permission that the request needs. The detail names it.',
    suggestion: 'ask someone who may for a role with the missing permission',
  },
  quota_exceeded: {
    status: 403,
    title: 'Quota exceeded',
    meaning: 'The request would use more than a limit of the organization or project allows. Nothing was changed.',
    suggestion: 'delete what is no longer needed, or ask for a higher limit',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    meaning: 'There is no such thing, or none that the caller may read: the two are never told apart.',
    suggestion: 'check the name or id, and the project it is in',
  },
  wait_timeout: {
    status: 408,
    title: 'Wait timed out',
    meaning: 'What was waited for did not happen in the time given. The answer holds the object as it is now.',
    suggestion: 'wait again, or look at the events for what holds it up',
  },
  name_taken: {
    status: 409,
    title: 'Name taken',
    meaning: 'Another object holds this name. Nothing was created and nothing was charged.',
    suggestion: 'choose another name, or delete the existing one first',
  },
  invalid_state: {
    status: 409,
    title: 'Not possible in this state',
    meaning: 'The object is in a state in which this cannot be done. The detail says which, and what can be done now.',
    suggestion: 'do one of the things the detail says are possible now',
  },
  not_ready: {
    status: 409,
    title: 'Not ready yet',
    meaning: 'The object will be able to do this soon, but is not yet.',
    suggestion: 'try again after the time in Retry-After',
  },
  replacement_required: {
    status: 409,
    title: 'Replacement required',
    meaning: 'The change would destroy something: its disk, its addresses or its local state. The plan says what.',
    suggestion: 'read the plan, then repeat with allow=rebuild or allow=replace',
  },
  operation_in_progress: {
    status: 409,
    title: 'Operation in progress',
    meaning: 'Another operation holds the object and cannot be superseded by this one.',
    suggestion: 'wait for the operation to end, or delete the object',
  },
  ambiguous_name: {
    status: 409,
    title: 'Name fits several',
    meaning: 'The name given belongs to more than one object here.',
    suggestion: 'use the id, or say network/name',
  },
  conflict: {
    status: 409,
    title: 'Changed meanwhile',
    meaning: 'Others kept changing the same object while this change was made. Nothing was changed by it.',
    suggestion: 'read it again and repeat the change',
  },
  in_use: {
    status: 409,
    title: 'In use',
    meaning: 'Something else still needs this object. The answer lists what.',
    suggestion: 'delete what uses it first, or repeat with cascade=true where that is offered',
  },
  gone: {
    status: 410,
    title: 'No longer kept',
    meaning: 'The log no longer reaches back to the revision asked for.',
    suggestion: 'list again, then watch from the revision of the list',
  },
  stale: {
    status: 412,
    title: 'Stale revision',
    meaning: 'The object has changed since the revision in If-Match. Nothing was changed.',
    suggestion: 'read it again and repeat the change with the new ETag',
  },
  too_large: {
    status: 413,
    title: 'Too large',
    meaning: 'The body is larger than this server takes.',
    suggestion: 'send less; the limit is in the detail',
  },
  immutable: {
    status: 422,
    title: 'Cannot be changed',
    meaning: 'A field was changed that never changes after the object was created.',
    suggestion: 'create a new one with the value you want',
  },
  invalid: {
    status: 422,
    title: 'Does not fit together',
    meaning: 'Each field is well formed, but they do not fit each other or what they refer to.',
    suggestion: 'correct the fields named in errors and send it again',
  },
  idempotency_mismatch: {
    status: 422,
    title: 'Idempotency key reused',
    meaning: 'This Idempotency-Key was used within the last day for a different request.',
    suggestion: 'use a new Idempotency-Key for a different request',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    meaning: 'This credential or address sends more, or holds more open at once, than its share.',
    suggestion: 'slow down; try again after the time in Retry-After',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    meaning: 'A bug in Stead. The traceId finds it in the log.',
    suggestion: 'this is a bug: report it with the traceId',
  },
  unsupported: {
    status: 501,
    title: 'Not supported here',
    meaning: 'The region cannot do this. Nothing was started.',
    suggestion: 'use a region whose capabilities include it',
  },
  unavailable: {
    status: 503,
    title: 'Unavailable',
    meaning: 'The server is overloaded, starting, stopping, or cannot reach its store or the backend of a region.',
    suggestion: 'try again after the time in Retry-After, with the same Idempotency-Key if one was sent',
  },
} as const satisfies Record<string, CatalogueEntry>

export type ErrorCode = keyof typeof catalogue
