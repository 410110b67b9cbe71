import type { Machine } from './guard.ts'

/**
 * With Podman 4 the bridge of a network gets another hardware address when a container comes or goes, and who is still there
 * sends to the old one for up to a minute, its questions about names first. So the kernel is told to announce the new one.
 * Docker gives its bridges an address that stays. Answers what one should know of it.
 */
export async function announceBridges(machine: Machine): Promise<string[]> {
  try {
    if ('not' in machine) throw new Error(machine.not)
    await machine.run('sysctl', ['-w', 'net.ipv4.conf.all.arp_notify=1'])
    return []
  } catch (error) {
    const why = (error as Error).message
    return [
      `names in networks that instances share may not be found for a minute after one of them was started: ${why}`,
    ]
  }
}
