import type { ServicesSubject } from '@stead/provider-kit/contract'
import { type ContainerEngine, testImage } from '@stead/testing/engines'
import { realWorld as world } from '@stead/world'
import { labels } from '../server/labels.ts'
import { askPort, connect, owner } from './region.ts'

/** An engine as the tests of services want it. */
export async function servicesSubject(engine: ContainerEngine): Promise<ServicesSubject> {
  const provider = await connect(engine)
  return {
    provider,
    owner,
    world,
    image: testImage,
    listener: (variable, page) =>
      `mkdir /var/www; echo ${page} >/var/www/index.html; exec httpd -f -p $${variable} -h /var/www`,
    fetcher: port => `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 3 127.0.0.1 ${port}`,
    // A variable of a shell is memory like any other.
    hog: mebibytes => `x=$(head -c ${mebibytes}m /dev/zero | tr '\\0' x); exec sleep 600`,
    fetchPage: ({ port }) => askPort(engine, port, 'GET / HTTP/1.0\r\n\r\n'),
    async shown(id) {
      const filters = encodeURIComponent(JSON.stringify({ label: [`${labels.id}=${id}`] }))
      const all = await engine.call<{ Id: string }[]>('GET', `/containers/json?all=true&filters=${filters}`)
      const inspected = await Promise.all(all.map(({ Id }) => engine.call('GET', `/containers/${Id}/json`)))
      const volumes = await engine.call('GET', '/volumes')
      const shown = JSON.stringify([all, inspected, volumes])
      if (!shown.includes(id)) throw new Error(`nothing is shown of ${id}`)
      return shown
    },
    count: async () => (await engine.everything()).length,
    close: () => provider.close(),
  }
}
