/** Logs that are alike. */
export interface LogGroup {
  readonly logs: number
  /** A second, of each. */
  readonly lines: number
  /** Of each. */
  readonly followers: number
}

/** What is printed and read at the same time. */
export interface StreamLoad {
  readonly name: string
  readonly groups: readonly LogGroup[]
  readonly terminals: number
}

/** Of all logs of a load together. */
export const sumOf = ({ groups }: StreamLoad, each: (group: LogGroup) => number): number =>
  groups.reduce((sum, group) => sum + group.logs * each(group), 0)

export const describeLoad = (load: StreamLoad): string => {
  const logs = load.groups.map(
    ({ logs, lines, followers }) =>
      `${logs} ${logs === 1 ? 'log' : 'logs'} of ${lines} lines/s with ${followers} ${followers === 1 ? 'follower' : 'followers'}${logs === 1 ? '' : ' each'}`,
  )
  return `${logs.join(', ')}; ${load.terminals} terminals`
}
