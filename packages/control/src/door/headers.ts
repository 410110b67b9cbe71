/**
 * On every answer. The API is never shown in a page, run or kept by a cache; pages of ours (the reference, the console)
 * say their own policy.
 */
export const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const

/** A year, as browsers ask for. Only where TLS is known to be there: it cannot be taken back. */
export const strictTransport = { 'strict-transport-security': 'max-age=31536000' } as const
