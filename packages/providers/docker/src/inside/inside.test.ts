import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { temporaryDirectory } from '@stead/testing'
import { describe, expect, test } from 'vitest'
import { programs } from './program.ts'

const architecture = { x64: 'x86_64', arm64: 'aarch64' }[process.arch as string] as keyof typeof programs | undefined

describe.runIf(process.platform === 'linux' && architecture)('the program in every container', () => {
  function install(words: readonly string[] = []) {
    const directory = temporaryDirectory()
    const program = join(directory, 'inside')
    writeFileSync(program, gunzipSync(Buffer.from(programs[architecture!], 'base64')), { mode: 0o755 })
    const file = join(directory, 'env')
    writeFileSync(file, words.map(word => `${word}\0`).join(''))
    return { program, file }
  }

  test('becomes the command in a file, with the environment in it, empty words and all', () => {
    const script = 'echo "$SECRET [$1] $#"'
    const { program, file } = install(['SECRET=a b', 'PATH=/usr/bin:/bin', '', 'sh', '-c', script, 'sh', '', 'x'])
    expect(execFileSync(program, ['run', file], { encoding: 'utf8', env: { SECRET: 'old' } })).toBe('a b [] 2\n')
  })

  test('says first which process it is, and ends as its command does', async () => {
    const { program, file } = install(['SECRET=x'])
    const session = spawn(program, ['session', file, 'sh', '-c', 'echo $$ $SECRET; exit 3'])
    let text = ''
    session.stdout.on('data', data => {
      text += data
    })
    const [code] = await once(session, 'close')
    expect([code, text]).toEqual([3, `${session.pid}\n${session.pid} x\n`])
  })

  test.each([
    ['/nowhere/at-all', 127],
    ['there-is-no-such-command', 127],
    ['/etc/passwd', 126],
  ])('%s exits with %i', async (command, code) => {
    const { program } = install()
    await expect(promisify(execFile)(program, ['session', '-', command])).rejects.toMatchObject({ code })
  })

  test('kills everything in a session, and nothing else', async () => {
    const { program } = install()
    const session = spawn(program, ['session', '-', 'sh', '-c', 'sleep 4321 & echo $!; wait'])
    let text = ''
    session.stdout.on('data', data => {
      text += data
    })
    await expect.poll(() => text.split('\n').length).toBe(3)
    const [leader, child] = text.split('\n')
    const ended = once(session, 'exit')
    execFileSync(program, ['end', leader!])
    await ended
    await expect.poll(() => existsSync(`/proc/${child}`)).toBe(false)
  })

  test('carries bytes to a port and back, and says when nobody is there', async () => {
    const server = createServer({ allowHalfOpen: true }, socket => socket.pipe(socket)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const { program } = install()
    const relay = promisify(execFile)(program, ['relay', String(port)])
    relay.child.stdin!.end('there and back')
    expect((await relay).stdout).toBe('+there and back')
    server.close()
    await once(server, 'close')
    await expect(promisify(execFile)(program, ['relay', String(port)])).rejects.toMatchObject({ code: 1 })
  })
})
