import type { Instance } from '@stead/sdk'

/** Where an instance answers, as one would type it. */
export const endpointsOf = ({ status }: Instance): readonly string[] =>
  status.endpoints.map(({ url, protocol, host, port }) => url ?? `${protocol}://${host}:${port}`)
