/** Routes that no made-up request can get a success from, and why. All others must be reached. */
export const unreachable: Readonly<Record<string, string>> = {
  'GET /v1/oidc/{provider}/login':
    'needs an identity provider that answers: oidc.test.ts goes this way with a real one',
  'GET /v1/oidc/{provider}/callback': 'needs a browser that the provider has sent back: see oidc.test.ts',
  'PUT /v1/projects/{project}/images/{image}/content':
    'needs bytes with the checksum that was announced: see images.test.ts',
  'POST /v1/regions/{region}/orphans/{orphan}/reap': 'needs something at a backend that is nobody’s: see orphans',
  'POST /v1/regions/{region}/accept-loss': 'needs a region that looks gone: see the tests of its guard',
  'GET /v1/streams/{ticket}': 'is a WebSocket: see the tests of streams',
  'GET /v1/projects/{project}/operations/{operation}':
    'the ids of operations are in answers about other things: operations.test.ts asks for them',
}

/** Secrets that are shown more than once, by route and field, and why. All others are shown in one answer only. */
export const shownAgain: Readonly<Record<string, string>> = {
  'GET /v1/whoami csrfToken':
    'a page of the console that is loaded again asks for it; it is worth nothing without the cookie',
  'POST /v1/projects/{project}/instances/preview userData': 'who may read it is shown what would be launched',
  'POST /v1/projects/{project}/instances/{instance}/preview userData':
    'who may read it is shown what would be launched',
  'GET /v1/projects/{project}/secrets/{secret}/versions/{version}/value value': 'that is what it is for',
  'GET /v1/projects/{project}/secrets/{secret}/versions/{version}/value valueBase64': 'that is what it is for',
}
