import { remoteCloud } from './remote.ts'

/** Stands in for the program's own detector of simulated regions: the same region, with its cloud in another process. */
export const simulatedDetector = () => ({
  provider: remoteCloud(Number(process.env.BENCH_CLOUD_PORT)),
  look: async () => ({ name: 'simulated', provider: 'simulated', credentials: { key: 'simulated' } }),
})
