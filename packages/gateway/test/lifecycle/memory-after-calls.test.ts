import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { connect } from 'toolwire/client'
import { expect, it } from 'vitest'
import { soaking } from '../../../toolwire/test/soak.js'

const script = fileURLToPath(new URL('./memory-after-calls.mjs', import.meta.url))
const calls = 800
const inFlight = 32

// docs/decisions/0012: dead objects in old space keep whole calls alive until a major collection.
if (soaking)
  it('a call leaves almost nothing for major collections', async () => {
    const child = fork(script, { execArgv: ['--expose-gc'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    const { port, folder } = await nextMessage<{ port: number; folder: string }>(child)
    try {
      const client = await connect(`http://127.0.0.1:${port}/mcp`)
      const left: number[] = []
      for (let round = 0; round < 9; round++) {
        const before = await oldSpace(child)
        await Promise.all(Array.from({ length: inFlight }, () => callInTurn(client, calls / inFlight)))
        left.push(((await oldSpace(child)) - before) / calls)
      }
      await client.close()
      // The first rounds compile code. One of the others may include a major collection.
      const [, , middle = Number.NaN] = left.slice(-5).sort((one, other) => one - other)
      expect(middle).toBeLessThan(3_000)
    } finally {
      child.kill('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    }
  })

async function callInTurn(client: Awaited<ReturnType<typeof connect>>, times: number): Promise<void> {
  for (let time = 0; time < times; time++) expect(await client.call('greet')).toMatchObject({ content: [{ text: 'Hello' }] })
}

async function oldSpace(child: ChildProcess): Promise<number> {
  const answer = nextMessage<{ bytes: number }>(child)
  child.send('how much?')
  return (await answer).bytes
}

async function nextMessage<T>(child: ChildProcess): Promise<T> {
  const [message] = await once(child, 'message')
  return message as T
}
