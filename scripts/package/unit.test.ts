import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandPath, temporaryDirectory, testWith } from '@stead/testing'
import { expect, test } from 'vitest'

const unit = readFileSync(new URL('../../packaging/stead.service', import.meta.url), 'utf8')

testWith('systemd', 'systemd understands every line of the unit', () => {
  const analyze = (text: string) => {
    const file = join(temporaryDirectory(), 'stead.service')
    // What it starts need not be installed here.
    writeFileSync(file, text.replace('/usr/local/bin/stead', process.execPath))
    const args = ['--man=no', '--recursive-errors=no', 'verify', file]
    return spawnSync(commandPath('systemd', 'systemd-analyze'), args, { encoding: 'utf8' }).stderr
  }
  expect(analyze(unit)).toBe('')
  expect(analyze(unit.replace('KillMode=process', 'KillMode=nobody')), 'what is wrong is seen').toContain('kill mode')
})

test('the unit does not start again what a person must look at', () => {
  const page = readFileSync(new URL('../../docs/exit-codes.md', import.meta.url), 'utf8')
  const [, codes = ''] = /^RestartPreventExitStatus=(.*)$/m.exec(unit) ?? []
  for (const code of codes.split(' ')) expect(page).toMatch(new RegExp(`^\\| ${code} +\\|`, 'm'))
})
