import { chmodSync, mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commandPath, describeWith, testWith } from '@stead/testing'
import { expect } from 'vitest'
import { Desk } from '../tests/desk.ts'
import { Terminal } from '../tests/terminal.ts'

const main = fileURLToPath(new URL('../main.js', import.meta.url))

/** Each shell as someone has it who never set it up, and what makes it find the completion in a file. */
const shells = {
  bash: { args: ['--norc', '--noprofile', '-i'], file: 'stead.bash', setUp: '. ./stead.bash' },
  // As documented: a file named _stead in a directory of fpath.
  zsh: { args: ['-f', '-i'], file: '_stead', setUp: 'fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D' },
  fish: { args: ['--no-config', '--interactive'], file: 'stead.fish', setUp: 'source ./stead.fish' },
} as const

/** What is typed before Tab, and what stands there after it. */
const completed: readonly (readonly [typed: string, line: string])[] = [
  ['stead ru', 'stead run'],
  ['stead run web --fla', 'stead run web --flavor'],
  ['stead get netw', 'stead get networks'],
  ['stead get instances -o ya', 'stead get instances -o yaml'],
  ['stead completion zs', 'stead completion zsh'],
  ['stead admin re', 'stead admin reset-token'],
  ['stead apply -f sho', 'stead apply -f shop.yaml'],
  // Asked of the server.
  ['stead stop longn', 'stead stop longname'],
]

describeWith('shells', 'in a real shell, Tab', () => {
  testWith(
    'python',
    'completes commands, flags, kinds, values, files and the names of instances',
    async () => {
      const desk = await Desk.withStead()
      expect((await desk.run('run', 'longname', '--no-wait', '--region', 'simulated', '--', 'x')).code).toBe(0)
      mkdirSync(join(desk.directory, 'bin'))
      desk.write('bin/stead', `#!/bin/sh\nexec ${process.execPath} ${main} "$@"\n`)
      chmodSync(join(desk.directory, 'bin/stead'), 0o755)
      desk.write('shop.yaml', '')
      const env = { ...desk.env, PATH: [join(desk.directory, 'bin'), desk.env.PATH].join(delimiter), PS1: '> ' }
      for (const [name, { args, file, setUp }] of Object.entries(shells)) {
        desk.write(file, (await desk.run('completion', name)).stdout)
        const shell = new Terminal([commandPath('shells', name), ...args], { cwd: desk.directory, env })
        shell.type(`${setUp}; echo set''up\r`)
        await shell.shows(/setup\r/)
        for (const [typed, line] of completed) {
          // How each shows a line while it is typed differs: what has become of it is printed, in a word that nobody typed.
          shell.type(`${typed}\t\x01echo com''pleted: \r`)
          await expect
            .poll(() => shell.text, { timeout: 20_000, message: `${name}: ${typed}` })
            .toContain(`completed: ${line}\r`)
        }
      }
    },
    180_000,
  )
})
