import { describeWith, testWith } from '@stead/testing'
import { expect } from 'vitest'
import { Desk } from '../tests/desk.ts'

const counting = 'i=0; while :; do echo "line $i"; i=$((i+1)); sleep 0.05; done'

/** At a desk with a Stead whose region is this machine, and a service that counts aloud. */
async function withCounter(act: (desk: Desk) => Promise<void>): Promise<void> {
  const desk = await Desk.withStead({ args: [], env: { STEAD_FIND_REGIONS: 'true' } })
  try {
    const ran = await desk.run('run', 'web', '--port', 'http', '--', 'sh', '-c', counting)
    expect(ran, ran.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/^web is running\n {2}http:/) })
    await act(desk)
  } finally {
    // Here, and not once the test is over: a Stead that was started again is the first to be gone then, and what runs on
    // this machine outlives it.
    await desk.run('delete', 'web', '--yes')
  }
}

const numbersIn = (text: string) => [...text.matchAll(/^line (\d+)$/gm)].map(([, number]) => Number(number))

describeWith('bubblewrap', 'on this machine', () => {
  testWith(
    'python',
    'a log is followed over a kill of the server, with no line lost or doubled',
    () =>
      withCounter(async desk => {
        const following = desk.begin(['logs', 'web', '-f'])
        await expect.poll(() => numbersIn(following.said.stdout).length, { timeout: 30_000 }).toBeGreaterThan(5)
        await desk.stead!.kill()
        await desk.stead!.startAgain()
        const before = numbersIn(following.said.stdout).length
        await expect
          .poll(() => numbersIn(following.said.stdout).length, { timeout: 30_000 })
          .toBeGreaterThan(before + 20)
        following.interrupt()
        const { code, stdout, stderr } = await following.ended
        expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('looking for it again') })
        const numbers = numbersIn(stdout)
        expect(numbers).toEqual(numbers.map((_, index) => index))
      }),
    120_000,
  )

  testWith(
    'python',
    'a command inside has the code, the streams, the input and every byte of one here',
    () =>
      withCounter(async desk => {
        const apart = await desk.run('exec', 'web', '--', 'sh', '-c', 'echo out; echo err >&2; exit 7')
        expect(apart).toEqual({ code: 7, stdout: 'out\n', stderr: 'err\n' })
        const piped = desk.begin(['exec', '-i', 'web', '--', 'wc', '-c'], { input: 'x'.repeat(300_000) })
        expect(await piped.ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\s*300000\n$/) })

        const terminal = desk.terminal(['exec', '-it', 'web', '--', 'sh'], { columns: 91, rows: 21 })
        const say = (line: string) => terminal.type(`${line}\r`)
        say('stty size')
        await terminal.shows(/21 91/)
        terminal.resize(73, 17)
        const sizeNow = () => {
          say('stty size')
          return terminal.text
        }
        await expect.poll(sizeNow, { timeout: 20_000, interval: 500 }).toMatch(/17 73/)
        // Ctrl-C ends what runs there, not us.
        say('echo began; sleep 1000; echo came back')
        await terminal.shows(/began\r/)
        terminal.type('\x03')
        // A terminal forgets what was typed before an interrupt: one waits to see it.
        await terminal.shows(/\^C/)
        say('echo still $((40 + 2))')
        await terminal.shows(/still 42/)
        // Bytes that are no text come as they are.
        say("stty raw; printf '\\001\\200\\377\\000<end>'; stty sane")
        await terminal.shows(/<end>/)
        expect(terminal.bytes.includes(Buffer.from([0x01, 0x80, 0xff, 0x00]))).toBe(true)
        say('exit 5')
        expect(await terminal.exited).toBe(5)

        // It never answers, so it is never ready: whoever stops waiting is told what goes on.
        const never = ['run', 'slow', '--port', 'http', '--health', '/', '--', 'sleep', '1000']
        const run = desk.terminal(never)
        await run.shows(/slow is /)
        run.type('\x03')
        expect(await run.exited, run.text).toBe(130)
        expect(run.text).toMatch(/slow is still being made on the server; `stead wait slow` waits for it/)
        expect((await desk.run('delete', 'slow', '--yes')).code, 'it was made').toBe(0)

        const cut = desk.terminal(['exec', '-it', 'web', '--', 'sh'])
        cut.type("echo be''gun\r")
        await cut.shows(/begun\r/)
        await desk.stead!.kill()
        expect(await cut.exited, cut.text).toBe(21)
        expect(cut.text).toMatch(/the connection was lost, and what ran through it ends/)
        await desk.stead!.startAgain()
      }),
    120_000,
  )
})

testWith(
  'python',
  'the console of a machine is sat at, and left by Ctrl-] without ending it',
  async () => {
    const desk = await Desk.withStead()
    await desk.run('create', 'network', 'n1', '--spec', '{region: simulated, cidr: 10.20.0.0/24}')
    expect((await desk.run('run', 'vm', '--flavor', 'small', '--image', 'minimal', '--network', 'n1')).code).toBe(0)
    const console = desk.terminal(['console', 'vm'])
    await console.shows(/Ctrl-\] leaves it[\s\S]*login:/)
    console.type('\x1d')
    expect(await console.exited, console.text).toBe(0)
    expect(console.text).toContain('the machine goes on')
    expect((await desk.run('console', 'vm')).code).toBe(2)
  },
  60_000,
)
