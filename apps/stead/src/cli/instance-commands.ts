import type { Command } from 'commander'
import { define } from './define.ts'

const timeout = ['--timeout <duration>', 'how long to wait (default: 10m)'] as const
const noWait = ['--no-wait', 'do not wait until it is so'] as const
const yes = ['-y, --yes', 'do not ask'] as const

/** The verbs of instances. */
export function addInstanceCommands(program: Command): void {
  define(program, {
    usage: 'run <name> [command...]',
    summary: 'create an instance, wait until it runs, and say where it answers',
    examples: [
      "stead run web --port http -- python3 -m http.server '$(PORT_HTTP)'",
      'stead run worker --env QUEUE=mail --cpu 500 --memory 256 -- sleep 1000',
    ],
    options: [
      ['--image <image>', 'what to run it from; `host` is this machine itself (default: host)'],
      ['--port <name[:number]…>', 'a port it listens on; without a number one is picked, and given as PORT_<NAME>'],
      ['--env <name=value…>', 'a variable of its environment'],
      ['--label <name=value…>', 'a label'],
      ['--cpu <millis>', 'thousandths of a CPU'],
      ['--memory <MiB>', 'memory'],
      ['--health <path>', 'ready once the first port answers HTTP there'],
      ['--region <region>', 'where, by name or id'],
      ['--flavor <flavor>', 'make a machine of this size, and not a service'],
      ['--network <network>', 'a network of the project that it is on'],
      ['--ttl <duration>', 'delete it by itself after this time'],
      timeout,
      noWait,
    ],
    load: async () => (await import('../commands/run.ts')).run,
  })

  define(program, {
    usage: 'ps',
    summary: 'list instances',
    examples: ['stead ps', 'stead ps --labels tier=web --phase running -o wide'],
    options: [
      ['--labels <labels>', 'only those with these labels: tier=web,env'],
      ['--phase <phases>', 'only those in these phases, separated by commas'],
      ['--region <region>', 'only those in this region'],
      ['-o, --output <format>', 'table, wide, json, yaml or name'],
    ],
    load: async () => (await import('../commands/get.ts')).ps,
  })

  define(program, {
    usage: 'wait <name>',
    summary: 'wait until an instance is as wanted',
    examples: ['stead wait web', 'stead wait web --phase stopped --timeout 30s'],
    options: [
      ['--phase <phases>', 'until it is in one of these, separated by commas (default: running)'],
      ['--ready', 'until it is ready, too'],
      timeout,
    ],
    load: async () => (await import('../commands/wait.ts')).wait,
  })

  for (const [verb, summary] of [
    ['start', 'start an instance'],
    ['stop', 'stop an instance; its disk stays'],
    ['unsuspend', 'let a suspended instance be as it was'],
  ] as const)
    define(program, {
      usage: `${verb} <names...>`,
      summary,
      examples: [`stead ${verb} web`],
      options: [timeout, noWait],
      load: async () => (await import('../commands/power.ts'))[verb],
    })

  define(program, {
    usage: 'restart <names...>',
    summary: 'restart an instance, or one of its services',
    examples: ['stead restart web', 'stead restart web --service web --hard'],
    options: [['--service <service>', 'only this one'], ['--hard', 'without asking it to end first'], timeout, noWait],
    load: async () => (await import('../commands/power.ts')).restart,
  })

  define(program, {
    usage: 'suspend <name>',
    summary: 'switch an instance off so that its owner cannot start it',
    examples: ['stead suspend web --reason "unpaid since May"'],
    options: [['--reason <text>', 'why; its owner reads it'], timeout, noWait],
    load: async () => (await import('../commands/power.ts')).suspend,
  })

  define(program, {
    usage: 'scale <name>',
    summary: 'give an instance more or less CPU and memory, or another flavor',
    examples: ['stead scale web --cpu 500 --memory 256'],
    options: [
      ['--cpu <millis>', 'thousandths of a CPU'],
      ['--memory <MiB>', 'memory'],
      ['--service <service>', 'which service (default: main)'],
      ['--flavor <flavor>', 'for a machine; where its region cannot resize it, says what is lost and asks'],
      yes,
      timeout,
      noWait,
    ],
    load: async () => (await import('../commands/power.ts')).scale,
  })

  define(program, {
    usage: 'delete <things...>',
    summary: 'delete instances, or other things as kind/name',
    examples: ['stead delete web --yes', 'stead delete ssh-authority/ca --yes'],
    options: [yes, timeout, noWait],
    load: async () => (await import('../commands/delete.ts')).deleteThings,
  })

  define(program, {
    usage: 'events <thing>',
    summary: 'what happened to an instance, or to another thing as kind/name, and why',
    examples: ['stead events web', 'stead events instance/web --since 1h', 'stead events web -f'],
    options: [
      ['-f, --follow', 'go on as things happen, over restarts of the server, until it is gone or Ctrl-C'],
      ['--since <when>', 'not older than this: a duration such as 1h, or a time'],
    ],
    load: async () => (await import('../commands/events.ts')).events,
  })

  define(program, {
    usage: 'logs <name>',
    summary: 'what an instance prints',
    examples: ['stead logs web', 'stead logs web --tail 20 --timestamps', 'stead logs web -f'],
    options: [
      ['-f, --follow', 'go on as lines are printed, over restarts of it and of the server'],
      ['--tail <count>', 'only this many of the last lines'],
      ['--since <when>', 'not older than this: a duration such as 10m, or a time'],
      ['--service <service>', 'which service; * for all of them (default: main)'],
      ['--timestamps', 'show when each was printed'],
    ],
    load: async () => (await import('../commands/logs.ts')).logs,
  })

  define(program, {
    usage: 'exec <name> [command...]',
    summary: 'run a command inside an instance, and end with its code',
    examples: ['stead exec web -- echo hello', 'stead exec -it web -- sh'],
    options: [
      ['-i, --stdin', 'let it read what is typed, or piped in'],
      ['-t, --tty', 'give it a terminal (default: both, where a person is there)'],
      ['--service <service>', 'in which service (default: main)'],
      ['--env <name=value…>', 'a variable of its environment'],
      ['--user <user>', 'as whom'],
      ['--directory <path>', 'where'],
    ],
    load: async () => (await import('../commands/exec.ts')).exec,
  })

  define(program, {
    usage: 'console <name>',
    summary: 'sit down at the console of a machine; Ctrl-] leaves it',
    examples: ['stead console vm', 'stead console vm --output'],
    options: [['--output', 'print the last of what it has shown, and open nothing']],
    load: async () => (await import('../commands/console.ts')).console,
  })

  define(program, {
    usage: 'ssh <name> [command...]',
    summary: 'log in to a machine with a key that is signed for it, for a short while, by its SSH authority',
    examples: ['stead ssh vm', 'stead ssh vm --user debian -- uname -a'],
    options: [
      ['-l, --user <user>', 'as whom (default: root)'],
      ['--port <port>', 'where its SSH server listens (default: 22)'],
      ['--address <address>', 'where to reach it (default: its first address, the public ones first)'],
      ['--identity <file>', 'have this key of yours signed (default: a new one, forgotten afterwards)'],
      ['--accept-new', 'trust the key of a machine that was never logged in to before, without asking'],
      ['--option <name=value…>', 'a setting of ssh, such as LocalForward=8080:localhost:80'],
    ],
    load: async () => (await import('../commands/ssh.ts')).ssh,
  })

  define(program, {
    usage: 'snapshot <name> <image>',
    summary: 'make an image of what is on the disk of an instance now',
    examples: ['stead snapshot vm monday'],
    options: [['--label <name=value…>', 'a label of the image'], timeout, noWait],
    load: async () => (await import('../commands/snapshot.ts')).snapshot,
  })

  define(program, {
    usage: 'top [names...]',
    summary: 'what instances use now',
    examples: ['stead top', 'stead top web --json'],
    load: async () => (await import('../commands/top.ts')).top,
  })
}
