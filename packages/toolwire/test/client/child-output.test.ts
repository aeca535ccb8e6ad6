// Errors quote the output of a program that does not speak the protocol.
import { expect, it } from 'vitest'
import { connect, memoryRevisions } from '../../src/client/index.js'
import { childEndpoint } from '../../src/transports/stdio/client/child/child-endpoint.js'

/** Shorter than the default, for children that do not exit. */
const graceMs = 100

/** The error of connecting to a program with this code. A busy machine has twenty seconds to start it and read its output. */
async function failure(code: string) {
  const warnings: string[] = []
  const options = {
    revision: '2025-11-25',
    limits: { totalMs: 20_000 },
    verdicts: memoryRevisions(),
    onWarning: (text: string) => warnings.push(text),
  }
  const thrown: unknown = await connect(
    childEndpoint({ command: process.execPath, args: ['-e', code] }, { graceMs }),
    options,
  ).catch((one: unknown) => one)
  if (!(thrown instanceof Error)) throw new Error('It connected')
  return thrown
}

const stay = 'setInterval(() => {}, 1000)'

it.concurrent('a child that prints lines and never answers fails with the lines', async () => {
  const thrown = await failure(`console.log('Usage: shop --port <n>'); console.error('no config found'); ${stay}`)
  expect(thrown).toMatchObject({ name: 'CallFailure', code: 'timed_out' })
  expect(thrown.message).toMatch(/^initialize .*given up/)
  expect(thrown.message).toContain('It printed:\nUsage: shop --port <n>\n')
  expect(thrown.message).toContain('The end of its stderr:\nno config found')
})

it.concurrent('a prompt for a person at a terminal, without an end of line, is quoted', async () => {
  expect((await failure(`process.stdout.write('Need to install shop. Ok to proceed? (y) '); ${stay}`)).message).toContain(
    'It printed:\nNeed to install shop. Ok to proceed? (y)',
  )
})

it.concurrent('JSON log lines are quoted', async () => {
  const line = JSON.stringify({ level: 30, msg: 'listening' })
  expect((await failure(`console.log(${JSON.stringify(line)}); ${stay}`)).message).toContain(line)
})

it.concurrent('the first and the last of many lines are quoted, shortened, with hidden characters shown', async () => {
  const { message } = await failure(
    `for (let n = 1; n <= 1000; n++) console.log('line ' + n + ' \\u001b[31m' + 'x'.repeat(1_000)); ${stay}`,
  )
  expect(message).toMatch(/line 1 .*\nline 2 .*\nline 3 .*\n… 994 more lines …\nline 998 .*\nline 999 .*\nline 1000 /)
  expect(message.length).toBeLessThan(2_000)
  expect(message).not.toContain('\u001b')
})

it.concurrent('a child that prints and exits fails with its output and exit code', async () => {
  const { message } = await failure(`console.log('Usage: shop'); console.error('no config found'); process.exitCode = 2`)
  expect(message).toContain('exited with code 2')
  expect(message).toContain('It printed:\nUsage: shop')
  expect(message).toContain('no config found')
})

it.concurrent('a silent child is only reported as silent', async () => {
  expect((await failure(stay)).message).not.toContain('printed')
})
