import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import type { ServicesSubject } from '@stead/provider-kit/contract'
import { realWorld as world } from '@stead/world'
import { owner, processOf, TestRegion } from './region.ts'

/** Answers every request with a page. */
const listener = (variable: string, page: string) =>
  `exec perl -MIO::Socket::INET -e '
    $s = IO::Socket::INET->new(LocalAddr => "0.0.0.0", LocalPort => $ENV{${variable}}, Listen => 5, ReuseAddr => 1) or die $!;
    while ($c = $s->accept) { while (<$c>) { last if /^\\s*$/ } print $c "HTTP/1.0 200 OK\\r\\n\\r\\n${page}\\n"; close $c }'`

async function fetchPage({ port }: { readonly port: number }): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port })
  socket.write('GET / HTTP/1.0\r\n\r\n')
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

/** This machine as the tests of services want it. */
export async function servicesSubject(): Promise<ServicesSubject> {
  const region = await TestRegion.open()
  await region.provider.catalog() // so that there is a supervisor, and its directories
  return {
    provider: region.provider,
    owner,
    world,
    image: 'host',
    listener,
    fetcher: port => `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port} && echo >&3 && cat <&3'`,
    hog: mebibytes => `perl -e '$x = "a" x (${mebibytes} * 2 ** 20); sleep 600'`,
    fetchPage,
    shown: async id => {
      const kept = readFileSync(`${region.directory}/instances/${id}/launch.json`, 'utf8')
      return kept + readFileSync(`/proc/${processOf(region, id)}/cmdline`, 'utf8')
    },
    count: async () => region.instances().length + region.images().length + region.cgroups().length,
    close: () => region.close(),
  }
}
