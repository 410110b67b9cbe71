import type { Command } from 'commander'
import { bash } from '../client/completion/bash.ts'
import { fish } from '../client/completion/fish.ts'
import { shellNames, wordOf } from '../client/completion/words.ts'
import { zsh } from '../client/completion/zsh.ts'
import { StartError } from '../exit-codes.ts'

const shells = { bash, zsh, fish } as const satisfies Record<(typeof shellNames)[number], unknown>

/** `stead completion <shell>`: made from the commands themselves. */
export function completionCommand(program: Command, shell: string): void {
  if (!Object.hasOwn(shells, shell))
    throw new StartError('usage', `there is completion for ${shellNames.join(', ')}, not for ${shell}`)
  console.log(shells[shell as keyof typeof shells](program.commands.map(wordOf)).trimEnd())
}
