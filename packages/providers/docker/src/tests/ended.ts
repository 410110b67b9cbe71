import type { Container } from '../engine/words.ts'

/** A container with a limit on its memory that ran for ten seconds, and ended with code 137. */
export const ended = (State: Partial<Container['State']> = {}, Memory = 64 * 2 ** 20): Container => ({
  ...{ Id: 'x', Name: '/x', Created: '', Image: '', RestartCount: 0, Config: { Labels: {}, Image: '' } },
  State: {
    ...{ Status: 'exited', Running: false, Restarting: false, OOMKilled: false, ExitCode: 137 },
    ...{ StartedAt: '2026-01-01T00:00:00Z', FinishedAt: '2026-01-01T00:00:10Z', ...State },
  },
  HostConfig: { Memory },
  NetworkSettings: { Networks: {}, Ports: {} },
})
