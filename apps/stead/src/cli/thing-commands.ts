import type { Command } from 'commander'
import { define } from './define.ts'

const file = ['-f, --file <file…>', 'a YAML or JSON file; - is standard input'] as const
const set = ['--set <name>', 'the name of what belongs together (default: the name of the first file)'] as const
const prune = ['--prune', 'delete what an earlier file of the same set had and this one has not'] as const
const organization = [
  '--organization <organization>',
  'for what is in an organization (default: that of the project)',
] as const

/** Things of every kind, and files of them. */
export function addThingCommands(program: Command): void {
  define(program, {
    usage: 'get <kind> [name]',
    summary: 'read things of any kind',
    examples: ['stead get regions', 'stead get instance web -o yaml', 'stead get networks --labels env=test -o json'],
    options: [
      ['--labels <labels>', 'only those with these labels'],
      ['-o, --output <format>', 'table, wide, json, yaml or name'],
      organization,
    ],
    load: async () => (await import('../commands/get.ts')).get,
  })

  define(program, {
    usage: 'create <kind> <name>',
    summary: 'make a thing of any kind',
    examples: [
      'stead create organization acme',
      'stead create project shop --organization acme',
      'stead create service-account ci',
    ],
    options: [
      ['--spec <yaml>', 'what it should be, as YAML or JSON'],
      ['--label <name=value…>', 'a label'],
      organization,
    ],
    load: async () => (await import('../commands/create.ts')).create,
  })

  define(program, {
    usage: 'plan',
    summary: 'say what applying a file would do, and what would be lost; does nothing',
    examples: ['stead plan -f shop.yaml', 'stead plan -f shop.yaml --prune'],
    options: [file, set, prune],
    load: async () => (await import('../commands/apply.ts')).plan,
  })

  define(program, {
    usage: 'apply',
    summary: 'make what files say: shows what changes first, and asks where something would be destroyed',
    examples: ['stead apply -f shop.yaml', 'stead apply -f shop.yaml --prune --yes'],
    options: [
      file,
      set,
      prune,
      ['-y, --yes', 'do not ask'],
      ['--timeout <duration>', 'how long to wait (default: 10m)'],
      ['--no-wait', 'do not wait until it is so'],
    ],
    load: async () => (await import('../commands/apply.ts')).apply,
  })

  define(program, {
    usage: 'watch [kinds...]',
    summary: 'say what changes, as it does, until Ctrl-C',
    examples: ['stead watch', 'stead watch instance operation --json'],
    options: [['--since <revision>', 'begin after this revision (default: now)']],
    load: async () => (await import('../commands/watch.ts')).watch,
  })

  define(program, {
    usage: 'quota',
    summary: 'how much of everything the project may have, and has',
    examples: ['stead quota', 'stead quota --json'],
    load: async () => (await import('../commands/quota.ts')).quota,
  })

  define(program, {
    usage: 'regions',
    summary: 'the places that run instances, and how they fare',
    examples: ['stead regions', 'stead regions -o wide'],
    options: [['-o, --output <format>', 'table, wide, json, yaml or name']],
    load: async () => (await import('../commands/get.ts')).regions,
  })
}
